"""An exported log read back into an empty store: all of it, exactly, or nothing.

Every line is checked as it comes: the chain over its bytes, its place, what its bytes say, that its silver adds up.
"""

import base64
import binascii
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from sqlalchemy import Connection, select, update
from sqlalchemy.exc import DataError, IntegrityError

from zhangfang.audit.export import FORMAT, FORMAT_VERSION, write_body
from zhangfang.audit.findings import Discrepancy, Progress
from zhangfang.audit.fold import Requests, check_postings, check_requests, fold, follow_streams
from zhangfang.audit.receipts import Receipt
from zhangfang.audit.walk import Walk, wrong_kind
from zhangfang.domain.events import DomainEvent
from zhangfang.store.bulk import Sink
from zhangfang.store.database import Database, lift_timeouts
from zhangfang.store.log import BATCH_EVENTS, StoredRow
from zhangfang.store.schema import events as events_table
from zhangfang.store.schema import log_head

STREAM_ENDS = "SELECT stream, max(version) FROM events WHERE stream {keys} GROUP BY stream"


class ImportRefusedError(Exception):
    """What was to be imported is not a whole and true log, or the store is not empty; nothing was written."""


@dataclass(frozen=True, slots=True)
class Header:
    """The first line of an export."""

    last_position: int
    last_hash: bytes


def import_log(database: Database, lines: Iterable[str]) -> Iterator[Progress | Receipt]:
    """Imports an export from its first line on; yields progress, and at last the receipt of the new log.

    All of it is one transaction, which ends when the iterator does.

    Raises:
        ImportRefusedError: names the line, or the position, and what is wrong there.
    """
    numbered = enumerate(lines, start=1)
    with database.write() as connection:
        if not database.is_sqlite:
            lift_timeouts(connection)
        _require_empty(connection)
        header = _read_header(next(numbered, (1, "")))
        import_ = Import(connection)
        while batch := list(islice(numbered, BATCH_EVENTS)):
            try:
                import_.take([_read_row(number, line) for number, line in batch])
            except (DataError, IntegrityError) as error:
                raise ImportRefusedError(f"the store does not take it: {str(error.orig).splitlines()[0]}") from error
            yield Progress(import_.walk.end.position, header.last_position)
        receipt = import_.finish()
        if (receipt.position, receipt.hash) != (header.last_position, header.last_hash):
            promised = Receipt(header.last_position, header.last_hash)
            raise ImportRefusedError(f"the export ends with {receipt}; its header promises {promised}")
    yield receipt


class Import:
    """One import into a store that is known to be empty."""

    def __init__(self, connection: Connection) -> None:
        self.walk = Walk()
        self._connection = connection
        self._sink = Sink(connection)
        self._requests = Requests()

    def take(self, rows: list[StoredRow]) -> None:
        """Appends the next events."""
        events, wrong = self.walk.take(rows)
        _refuse(wrong)
        names = sorted({event.originator_id for event in events})
        _refuse(follow_streams({row[0]: row[1] for row in self._sink.select_in(STREAM_ENDS, names)}, events))
        self._sink.insert(events_table, rows)
        self._fold(self._requests.whole(events))

    def finish(self) -> Receipt:
        """Folds the last request and moves the head."""
        self._fold(self._requests.rest())
        end = self.walk.end
        self._connection.execute(update(log_head).values(**end._asdict()))
        return Receipt(end.position, end.hash)

    def _fold(self, events: list[DomainEvent]) -> None:
        _refuse(check_postings(self._sink, events))
        _refuse(check_requests(self._sink, events))
        fold(self._sink, events)


def _refuse(wrong: list[Discrepancy]) -> None:
    if wrong:
        raise ImportRefusedError(f"position {wrong[0].position}: {wrong[0].text}")


def _require_empty(connection: Connection) -> None:
    position = connection.execute(select(log_head.c.position).with_for_update()).scalar_one()
    if position or connection.execute(select(events_table.c.position).limit(1)).first():
        raise ImportRefusedError(f"the store is not empty: its log ends at position {position}; import into a new one")


def _read_header(numbered: tuple[int, str]) -> Header:
    header = _read_json(*numbered)
    if header.get("format") != FORMAT:
        raise ImportRefusedError(f"line 1 is no header of an export; its format would be {FORMAT!r}")
    if header.get("format_version") != FORMAT_VERSION:
        known = f"this version reads {FORMAT_VERSION}"
        raise ImportRefusedError(f"line 1: format_version is {header.get('format_version')!r}; {known}")
    if header.get("first_position") != 1:
        begin = header.get("first_position")
        raise ImportRefusedError(f"line 1: the export begins at position {begin!r}; only a whole log can be imported")
    try:
        return Header(header["last_position"], bytes.fromhex(header["last_hash"]))
    except (KeyError, TypeError, ValueError) as error:
        raise ImportRefusedError(f"line 1: last_position or last_hash cannot be read ({error})") from None


def _read_row(number: int, text: str) -> StoredRow:
    line = _read_json(number, text)
    try:
        row = StoredRow(
            line["position"],
            line["stream"],
            line["version"],
            line["topic"],
            line["recorded_at_us"],
            base64.b64decode(line["stored_bytes"], validate=True),
            bytes.fromhex(line["hash"]),
        )
        body = line["body"]
    except (KeyError, TypeError, ValueError, binascii.Error) as error:
        raise ImportRefusedError(f"line {number} is no exported event: {type(error).__name__} {error}") from None
    problem = wrong_kind(row)
    if problem:
        raise ImportRefusedError(f"line {number}: {problem}")
    if body != write_body(row.topic, row.body):
        raise ImportRefusedError(f"line {number}: the body says something else than the stored bytes")
    return row


def _read_json(number: int, text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except ValueError as error:
        raise ImportRefusedError(f"line {number} is no JSON: {error}") from None
    if not isinstance(value, dict):
        raise ImportRefusedError(f"line {number} is no JSON object")
    return value
