"""Walking the log event by event: the hash chain, the positions, the times, and what each event says of itself."""

import re
from collections.abc import Sequence

from sqlalchemy.exc import DBAPIError

from zhangfang.audit.findings import Discrepancy, in_log
from zhangfang.contract.events import decode_event
from zhangfang.domain.events import (
    BankChanged,
    DomainEvent,
    PlayerRegistered,
    TableClosed,
    TableOpened,
    Transferred,
)
from zhangfang.rules.verdict import INT64_MAX
from zhangfang.store.chain import GENESIS, next_hash
from zhangfang.store.log import Head, StoredRow
from zhangfang.wire.v1.settlement_pb2 import Judgement

BEFORE_THE_FIRST = Head(0, GENESIS, 0)


class Walk:
    """Where a walk along the log stands; ``end`` is the last event it has taken.

    After something wrong it goes on from what is stored, so that one fault is told once.
    """

    def __init__(self, begin: Head = BEFORE_THE_FIRST) -> None:
        self.end = begin
        self.event_count = 0

    def take(self, rows: Sequence[StoredRow]) -> tuple[list[DomainEvent], list[Discrepancy]]:
        """Checks the next rows of the log; returns the events among them that could be read, and what is wrong."""
        events: list[DomainEvent] = []
        wrong: list[Discrepancy] = []
        for row in rows:
            self.event_count += 1
            problem = wrong_kind(row)
            if problem:
                wrong.append(self._step_over(row, problem))
                continue
            wrong += self._check_place(row)
            self.end = Head(row.position, row.hash, row.recorded_at_us)
            event = read_event(row)
            if isinstance(event, Discrepancy):
                wrong.append(event)
            else:
                events.append(event)
        return events, wrong

    def _step_over(self, row: StoredRow, problem: str) -> Discrepancy:
        """Goes on behind a row that cannot even be hashed."""
        position = row.position if isinstance(row.position, int) else self.end.position + 1
        self.end = Head(position, row.hash if isinstance(row.hash, bytes) else GENESIS, self.end.recorded_at_us)
        return in_log(position, problem)

    def _check_place(self, row: StoredRow) -> list[Discrepancy]:
        wrong = []
        due = self.end.position + 1
        if row.position > due:
            gone = f"position {due} is" if row.position == due + 1 else f"positions {due} to {row.position - 1} are"
            wrong.append(in_log(due, f"{gone} missing: the next event is at {row.position}"))
        elif row.position < due:
            wrong.append(in_log(row.position, f"the event says position {row.position} where {due} is due"))
        follows = next_hash(
            self.end.hash, row.position, row.version, row.recorded_at_us, row.stream, row.topic, row.body
        )
        if follows != row.hash:
            text = f"the hash does not follow: stored is {row.hash.hex()}, the event and those before it give "
            wrong.append(in_log(row.position, text + follows.hex()))
        if row.recorded_at_us <= self.end.recorded_at_us:
            text = (
                f"recorded at {row.recorded_at_us} µs, not later than the event before ({self.end.recorded_at_us} µs)"
            )
            wrong.append(in_log(row.position, text))
        return wrong


def differing_head(head: Head, end: Head) -> list[Discrepancy]:
    """How the row of the log's head differs from the last event; empty if it does not."""
    wrong = []
    for name in Head._fields:
        stored, due = getattr(head, name), getattr(end, name)
        if stored != due:
            shown = (stored.hex(), due.hex()) if isinstance(stored, bytes) else (stored, due)
            text = f"the log's head has {name} {shown[0]}, the last event of the log has {shown[1]}"
            wrong.append(in_log(end.position, text))
    return wrong


def read_event(row: StoredRow) -> DomainEvent | Discrepancy:
    """The event of a row, or why it is none."""
    place = {
        "originator_id": row.stream,
        "originator_version": row.version,
        "position": row.position,
        "recorded_at_us": row.recorded_at_us,
    }
    try:
        event = decode_event(row.topic, row.body, place)
        Judgement.FromString(getattr(event, "judgement", b""))  # decoding leaves it as it is
    except Exception as error:  # noqa: BLE001 - bytes that were tampered with can fail in any way
        return in_log(row.position, f"no {row.topic!r} can be read from the stored bytes: {_first_line(error)}")
    stream = stream_of(event)
    if stream != row.stream:
        return in_log(row.position, f"the event is of stream {stream!r} but lies in {row.stream!r}")
    return event


def unreadable(position: int, error: DBAPIError) -> Discrepancy:
    """What a database says of rows that it holds and cannot give."""
    return in_log(position, f"the database cannot be read: {str(error.orig).splitlines()[0]}")


def stream_of(event: DomainEvent) -> str:
    """The stream that an event belongs to, by what it says."""
    match event:
        case PlayerRegistered():
            return f"player/{event.player_id}"
        case Transferred():
            return f"transfer/{event.metadata.request_id}"
        case TableOpened() | TableClosed() | BankChanged():
            return f"table/{event.table_id}"
        case _:
            return f"hand/{event.hand_id}"


_KINDS = (int, str, int, str, int, bytes, bytes)
"""What the columns of a row hold."""

_SURROGATES = re.compile("[\ud800-\udfff]")
"""How bytes that are not UTF-8 are read."""


def wrong_kind(row: StoredRow) -> str:
    """Which column holds something that was never written there; empty if none. SQLite lets a column hold anything."""
    if tuple(map(type, row)) == _KINDS and (row.stream + row.topic).isascii() and _are_places(row):
        return ""  # nearly every row, at one look
    for column, value, kind in zip(row._fields, row, _KINDS, strict=True):
        if type(value) is not kind:
            return f"{column} is {value!r}; {kind.__name__} is stored there"
        if isinstance(value, int) and not 0 <= value <= INT64_MAX:
            return f"{column} is {value}; it is never below zero or beyond 64 bits"
        if isinstance(value, str) and _SURROGATES.search(value):
            return f"{column} is {value!r}, which is not UTF-8"
    return ""


def _are_places(row: StoredRow) -> bool:
    return 0 <= min(row.position, row.version, row.recorded_at_us) <= max(row[0], row[2], row[4]) <= INT64_MAX


def _first_line(error: Exception) -> str:
    return f"{type(error).__name__} {error}".splitlines()[0]
