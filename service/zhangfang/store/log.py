"""Reading the log: its head, a moment in it, and all of it in batches of flat memory."""

from collections.abc import Iterator
from typing import NamedTuple

from sqlalchemy import Connection, select

from zhangfang.store.database import StoreError
from zhangfang.store.fetching import fetch_all
from zhangfang.store.schema import events, log_head

BATCH_EVENTS = 2000

# The numbers are put in as text: the drivers' marks differ.
SELECT_AFTER = (
    "SELECT position, stream, version, topic, recorded_at_us, body, hash FROM events "
    "WHERE position > {after} ORDER BY position LIMIT {limit}"
)


class Head(NamedTuple):
    """The last event of the log: position 0 and zeros before the first."""

    position: int
    hash: bytes
    recorded_at_us: int


class StoredRow(NamedTuple):
    """One event as it lies in the log."""

    position: int
    stream: str
    version: int
    topic: str
    recorded_at_us: int
    body: bytes
    hash: bytes


def read_head(connection: Connection) -> Head:
    """The end of the log.

    Raises:
        StoreError: if its row is gone, which no version of this program does.
    """
    row = connection.execute(select(log_head.c.position, log_head.c.hash, log_head.c.recorded_at_us)).one_or_none()
    if row is None:
        raise StoreError("the row of the log's head is missing: somebody edited the database; go back to a copy of it")
    return Head(row.position, row.hash, row.recorded_at_us)


def read_row(connection: Connection, position: int) -> StoredRow | None:
    """The event at a position."""
    row = connection.execute(select(events).where(events.c.position == position)).one_or_none()
    return StoredRow(*row) if row else None


def read_rows(connection: Connection, after: int, limit: int) -> list[StoredRow]:
    """Events after a position, in order."""
    rows = fetch_all(connection, SELECT_AFTER.format(after=int(after), limit=int(limit)))
    return list(map(StoredRow._make, rows))


def read_batches(connection: Connection, after: int = 0, batch_events: int = BATCH_EVENTS) -> Iterator[list[StoredRow]]:
    """The whole log after a position, in batches."""
    while rows := read_rows(connection, after, batch_events):
        yield rows
        after = rows[-1].position


def position_at(connection: Connection, moment_us: int) -> int:
    """The last position recorded at or before a moment; 0 if none was.

    Times increase strictly along the log, so a handful of look-ups by position find it without an index on time.
    """
    low, high = 0, read_head(connection).position
    while low < high:
        middle = (low + high + 1) // 2
        row = connection.execute(select(events.c.recorded_at_us).where(events.c.position == middle)).one()
        if row.recorded_at_us <= moment_us:
            low = middle
        else:
            high = middle - 1
    return low
