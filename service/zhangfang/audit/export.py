"""The log as text that outlives this program: JSON lines, one event a line, with the very bytes the chain is over.

The first line is a header; ``docs/audit.md`` describes both. ``importing.py`` reads them back, and
``deploy/verify_export.py`` checks them with nothing but Python.
"""

import base64
import json
from collections.abc import Iterator
from typing import Any

from google.protobuf.json_format import MessageToDict

from zhangfang.audit.findings import UnsoundLogError, in_log
from zhangfang.audit.view import whole_view
from zhangfang.audit.walk import wrong_kind
from zhangfang.contract.events import decode_message
from zhangfang.store.chain import GENESIS
from zhangfang.store.database import Database
from zhangfang.store.log import StoredRow, read_batches, read_head, read_row

FORMAT = "zhangfang-log"
FORMAT_VERSION = 1


class UnknownPositionError(ValueError):
    """There is no event at the position an export should begin with."""


def export_log(database: Database, first_position: int = 1) -> Iterator[str]:
    """The log from a position on as it is now, line by line, each with its line feed.

    Raises:
        UnknownPositionError: if the log ends before ``first_position``.
        UnsoundLogError: at a row that holds what cannot be written down.
    """
    with whole_view(database) as view:
        head = read_head(view)
        if not 1 <= first_position <= head.position + 1:
            raise UnknownPositionError(f"there is no position {first_position}; the log ends at {head.position}")
        before = read_row(view, first_position - 1)
        yield _line(
            {
                "format": FORMAT,
                "format_version": FORMAT_VERSION,
                "first_position": first_position,
                "previous_hash": (before.hash if before else GENESIS).hex(),
                "last_position": head.position,
                "last_hash": head.hash.hex(),
            }
        )
        for rows in read_batches(view, first_position - 1):
            for row in rows:
                yield _line(write_row(row))


def write_row(row: StoredRow) -> dict[str, Any]:
    """One event as it is exported; ``body`` is what its bytes say, null if they say nothing that can be read."""
    problem = wrong_kind(row)
    if problem:
        raise UnsoundLogError(in_log(row.position, problem))
    return {
        "position": row.position,
        "stream": row.stream,
        "version": row.version,
        "topic": row.topic,
        "recorded_at_us": row.recorded_at_us,
        "hash": row.hash.hex(),
        "stored_bytes": base64.b64encode(row.body).decode("ascii"),
        "body": write_body(row.topic, row.body),
    }


def write_body(topic: str, body: bytes) -> Any:
    """An event's message as canonical protobuf JSON: int64 as text, so that nobody rounds it."""
    try:
        return MessageToDict(decode_message(topic, body))
    except Exception:  # noqa: BLE001 - bytes that were tampered with can fail in any way; they are exported all the same
        return None


def _line(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")) + "\n"
