"""The log on disk, as the event-sourcing library's ApplicationRecorder.

One row, the log head, holds the last position and hash. Whoever appends locks it first, so positions are gapless and
become visible in their order, whatever number of processes share the database: a follower never misses one.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from threading import local
from time import time_ns
from typing import Any, NamedTuple
from uuid import UUID

from eventsourcing.persistence import (
    ApplicationRecorder,
    IntegrityError,
    Notification,
    StoredEvent,
    Subscription,
)
from sqlalchemy import Connection, select
from sqlalchemy.exc import IntegrityError as DriverIntegrityError

from zhangfang.store.bulk import Sink
from zhangfang.store.chain import next_hash
from zhangfang.store.database import Database
from zhangfang.store.follower import LogSubscription, Wakeup
from zhangfang.store.log import Head
from zhangfang.store.schema import events, log_head

LOCK_HEAD = "SELECT position, hash, recorded_at_us, rebuilds FROM log_head"
MOVE_HEAD = "UPDATE log_head SET position = {}, hash = {}, recorded_at_us = {}"

Clock = Callable[[], int]
"""Nanoseconds since 1970."""


@dataclass(frozen=True, eq=False)
class LogEntry(Notification):
    """A stored event in its place in the log: also when it was written and its chained hash."""

    recorded_at_us: int
    hash: bytes

    def __eq__(self, other: object) -> bool:
        return isinstance(other, StoredEvent) and _identity(self) == _identity(other)

    def __hash__(self) -> int:
        return hash(_identity(self))


def _identity(entry: StoredEvent) -> tuple[str, int, str, bytes]:
    return str(entry.originator_id), entry.originator_version, entry.topic, entry.state


class Edition(NamedTuple):
    """A state of log and projections: the last event's position and hash, and how often projections were rebuilt.

    Two transactions that hold the lock on the log's head and see the same edition see the same rows.
    """

    position: int
    hash: bytes
    rebuilds: int


class LogTransaction:
    """One append to the log, from the moment its head is locked until the commit.

    ``position`` and ``hash`` are the log's last ones, ``recorded_at_us`` the time of its last event.
    """

    def __init__(self, sink: Sink, head: Head, rebuilds: int, clock: Clock) -> None:
        self.sink = sink
        self._rebuilds = rebuilds
        self.position = head.position
        self.hash = head.hash
        self.recorded_at_us = head.recorded_at_us
        self._clock = clock

    @property
    def edition(self) -> Edition:
        """What log and projections are at now."""
        return Edition(self.position, self.hash, self._rebuilds)

    def next_time_us(self) -> int:
        """The time for one more event: now, and always later than the event before it, even if the clock steps back."""
        self.recorded_at_us = max(self._clock() // 1000, self.recorded_at_us + 1)
        return self.recorded_at_us


class LogRecorder(ApplicationRecorder):
    """Appends to and reads the log.

    Args:
        database: where it is.
        wakeup: rings after every append.
        clock: nanoseconds since 1970.
    """

    def __init__(self, database: Database, wakeup: Wakeup | None = None, clock: Clock = time_ns) -> None:
        super().__init__()
        self.database = database
        self.wakeup = wakeup or Wakeup()
        self._clock = clock
        self._of_thread = local()

    @contextmanager
    def transaction(self) -> Iterator[LogTransaction]:
        """Locks the log head for one append; commits at the end, or leaves no trace if anything is raised."""
        with self.database.write() as connection:
            sink = Sink(connection)
            [(*head, rebuilds)] = sink.select(LOCK_HEAD if self.database.is_sqlite else f"{LOCK_HEAD} FOR UPDATE")
            transaction = LogTransaction(sink, Head(*head), rebuilds, self._clock)
            yield transaction
            appended = transaction.position > head[0]
        if appended:
            self.wakeup.notify()

    @contextmanager
    def reading_over(self, connection: Connection) -> Iterator[None]:
        """Lets this thread read streams over a connection that it holds already.

        What it reads belongs to that connection's moment, and nobody who holds one of few connections waits for
        another.
        """
        self._of_thread.connection = connection
        try:
            yield
        finally:
            self._of_thread.connection = None

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        connection: Connection | None = getattr(self._of_thread, "connection", None)
        with nullcontext(connection) if connection is not None else self.database.read() as reader:
            yield reader

    def insert_events(
        self, stored_events: Sequence[StoredEvent], *, transaction: LogTransaction | None = None, **_kwargs: Any
    ) -> Sequence[int]:
        """Appends events and returns their positions.

        Args:
            stored_events: in the order in which they become visible. One that is a LogEntry brings its own time.
            transaction: the append they belong to; without one they are an append of their own.

        Raises:
            IntegrityError: if a stream already has an event of that version.
        """
        if not stored_events:
            return []
        try:
            with nullcontext(transaction) if transaction else self.transaction() as append:
                return self._append(append, stored_events)
        except DriverIntegrityError as error:
            raise IntegrityError(str(error.orig)) from error

    def _append(self, transaction: LogTransaction, stored_events: Sequence[StoredEvent]) -> list[int]:
        rows = []
        position, last_hash = transaction.position, transaction.hash
        for stored in stored_events:
            position += 1
            at_us = stored.recorded_at_us if isinstance(stored, LogEntry) else transaction.next_time_us()
            stream, version = str(stored.originator_id), stored.originator_version
            last_hash = next_hash(last_hash, position, version, at_us, stream, stored.topic, stored.state)
            rows.append((position, stream, version, stored.topic, at_us, stored.state, last_hash))
        transaction.sink.insert(events, rows)
        transaction.sink.execute(MOVE_HEAD, (position, last_hash, rows[-1][4]))
        transaction.position, transaction.hash = position, last_hash
        return [row[0] for row in rows]

    def select_events(
        self,
        originator_id: UUID | str,
        *,
        gt: int | None = None,
        lte: int | None = None,
        desc: bool = False,
        limit: int | None = None,
    ) -> Sequence[LogEntry]:
        """The events of one stream, by version."""
        query = select(events).where(events.c.stream == str(originator_id))
        if gt is not None:
            query = query.where(events.c.version > gt)
        if lte is not None:
            query = query.where(events.c.version <= lte)
        query = query.order_by(events.c.version.desc() if desc else events.c.version)
        if limit is not None:
            query = query.limit(limit)
        with self._reading() as connection:
            return [_entry(row) for row in connection.execute(query)]

    def select_notifications(
        self,
        start: int | None,
        limit: int,
        stop: int | None = None,
        topics: Sequence[str] = (),
        *,
        inclusive_of_start: bool = True,
    ) -> Sequence[LogEntry]:
        """The events of the whole log from a position on."""
        query = select(events).order_by(events.c.position).limit(limit)
        if start is not None:
            query = query.where(events.c.position >= start if inclusive_of_start else events.c.position > start)
        if stop is not None:
            query = query.where(events.c.position <= stop)
        if topics:
            query = query.where(events.c.topic.in_(topics))
        with self.database.read() as connection:
            return [_entry(row) for row in connection.execute(query)]

    def max_notification_id(self) -> int | None:
        """The last position of the log, None if it is empty."""
        with self.database.read() as connection:
            return connection.execute(select(log_head.c.position)).scalar_one() or None

    def subscribe(self, gt: int | None = None, topics: Sequence[str] = ()) -> Subscription[ApplicationRecorder]:
        """Follows the log from a position on, also what other processes append."""
        return LogSubscription(self, self.wakeup, gt, topics)


def _entry(row: Any) -> LogEntry:
    return LogEntry(
        originator_id=row.stream,
        originator_version=row.version,
        topic=row.topic,
        state=row.body,
        id=row.position,
        recorded_at_us=row.recorded_at_us,
        hash=row.hash,
    )
