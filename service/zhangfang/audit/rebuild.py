"""Making all projections anew from the log, beside the live ones, and putting them in their place.

The house goes on meanwhile: the log is folded into tables of another name, a batch at a time; only for the last few
events and the swap itself is the log's head locked.
"""

from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field
from itertools import islice

from sqlalchemy import Connection, Index, MetaData, Table, select, update
from sqlalchemy.exc import DBAPIError, OperationalError
from sqlalchemy.schema import CreateIndex, CreateTable, DropTable

from zhangfang.audit.compare import Difference, compare_table, read_keyed
from zhangfang.audit.findings import Discrepancy, Progress, UnsoundLogError
from zhangfang.audit.fold import Requests, check_postings, check_requests, fold
from zhangfang.audit.view import alone, any_text, whole_view
from zhangfang.audit.walk import Walk, differing_head, unreadable
from zhangfang.domain.events import DomainEvent
from zhangfang.errors import Refusal
from zhangfang.projections import PROJECTIONS
from zhangfang.store.bulk import Sink
from zhangfang.store.database import Database
from zhangfang.store.log import BATCH_EVENTS, StoredRow, read_head, read_rows
from zhangfang.store.schema import PROJECTION_TABLES, log_head

PREFIX = "rebuilt_"
CANDIDATES_MAX = 50_000
REPORTED_MAX = 100
SWAP_ATTEMPTS = 5
SWAP_LOCK_MILLISECONDS = 2000

_rebuilt_metadata = MetaData()

REBUILT_TABLES: dict[str, Table] = {
    table.name: table.to_metadata(_rebuilt_metadata, name=PREFIX + table.name) for table in PROJECTION_TABLES
}


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """What a rebuild did: up to which position, and what was different before; at most ``REPORTED_MAX`` of it."""

    position: int
    discrepancies: tuple[Discrepancy, ...] = field(default=())


def rebuild(database: Database) -> Iterator[Progress | Rebuilt]:
    """Rebuilds every projection; yields progress, and at last what differed.

    Raises:
        UnsoundLogError: if the log is not what was written; the projections stay as they are.
        StoreError: if another rebuild is running.
        Refusal: STORE_UNAVAILABLE, if readers held on to the old tables; nothing was changed.
    """
    with alone(database, "rebuild"):
        yield from Rebuild(database).run()


class Rebuild:
    """One rebuild."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._walk = Walk()
        self._requests = Requests()
        self._candidates: list[tuple[str, Difference]] = []

    def run(self) -> Iterator[Progress | Rebuilt]:
        """Fold, compare, catch up, swap."""
        try:
            self._make_tables()
            yield from self._follow()
            self._compare()
            yield from self._follow()
            reported = self._swap_in()
        finally:
            self._drop_tables()
        yield Rebuilt(self._walk.end.position, reported)

    def _make_tables(self) -> None:
        self._drop_tables()
        with self._database.write() as connection:
            for table in REBUILT_TABLES.values():
                connection.execute(CreateTable(table))

    def _drop_tables(self) -> None:
        with self._database.write() as connection:
            for table in REBUILT_TABLES.values():
                connection.execute(DropTable(table, if_exists=True))

    def _follow(self) -> Iterator[Progress]:
        """Folds the log until less than a batch is left of it."""
        is_last = False
        while not is_last:
            with self._database.read() as connection:
                last = read_head(connection).position
                rows = self._read_rows(connection)
            events, is_last = self._requests.whole(self._read(rows)), len(rows) < BATCH_EVENTS
            if is_last:
                # An append commits whole requests: what the log ends with here is not split.
                events += self._requests.rest()
            self._write(events)
            yield Progress(self._walk.end.position, last)

    def _read_rows(self, connection: Connection) -> list[StoredRow]:
        try:
            with any_text(connection):
                return read_rows(connection, self._walk.end.position, BATCH_EVENTS)
        except OperationalError:
            raise  # the database is away or busy: that says nothing about the log
        except DBAPIError as error:
            raise UnsoundLogError(unreadable(self._walk.end.position + 1, error)) from error

    def _read(self, rows: list[StoredRow]) -> list[DomainEvent]:
        events, wrong = self._walk.take(rows)
        if wrong:
            raise UnsoundLogError(wrong[0])
        return events

    def _write(self, events: list[DomainEvent]) -> None:
        if events:
            with self._database.write() as connection:
                _fold_checked(Sink(connection, PREFIX), events)

    def _compare(self) -> None:
        """Notes rows that differ. Some only do because the house went on: they are looked at again at the swap."""
        with whole_view(self._database) as view:
            for projection in PROJECTIONS:
                for table in projection.tables:
                    room = CANDIDATES_MAX - len(self._candidates)
                    with closing(compare_table(view, view, table, PREFIX)) as differences:
                        self._candidates += [(projection.name, each) for each in islice(differences, room)]

    def _swap_in(self) -> tuple[Discrepancy, ...]:
        """Swaps; if readers hold on to old tables it lets go, so that the house gets its turn, and tries again."""
        walked = self._walk.end
        for _ in range(SWAP_ATTEMPTS - 1):
            with suppress(Refusal):
                return self._try_to_swap_in()
            self._walk.end, self._requests = walked, Requests()
        return self._try_to_swap_in()

    def _try_to_swap_in(self) -> tuple[Discrepancy, ...]:
        with self._database.write() as connection:
            if not self._database.is_sqlite:
                connection.exec_driver_sql(f"SET LOCAL lock_timeout = {SWAP_LOCK_MILLISECONDS}")
            connection.execute(select(log_head.c.position).with_for_update()).one()
            self._catch_up(connection)
            self._check_head(connection)
            reported = self._look_again(connection)
            for table in PROJECTION_TABLES:
                _swap(connection, table)
            connection.execute(update(log_head).values(rebuilds=log_head.c.rebuilds + 1))
            return reported

    def _catch_up(self, connection: Connection) -> None:
        """Folds what is left of the log, whose head is locked."""
        sink = Sink(connection, PREFIX)
        while rows := self._read_rows(connection):
            _fold_checked(sink, self._requests.whole(self._read(rows)))
        _fold_checked(sink, self._requests.rest())

    def _check_head(self, connection: Connection) -> None:
        """The log ends where its head says: projections of a log that was cut off would hide what is missing."""
        wrong = differing_head(read_head(connection), self._walk.end)
        if wrong:
            raise UnsoundLogError(wrong[0])

    def _look_again(self, connection: Connection) -> tuple[Discrepancy, ...]:
        reported = []
        for projection, candidate in self._candidates:
            live = read_keyed(connection, candidate.table, "", candidate.key)
            folded = read_keyed(connection, candidate.table, PREFIX, candidate.key)
            if live != folded:
                difference = Difference(candidate.table, candidate.key, live, folded)
                reported.append(difference.found_in(projection))
            if len(reported) == REPORTED_MAX:
                break
        return tuple(reported)


def _fold_checked(sink: Sink, events: list[DomainEvent]) -> None:
    wrong = check_postings(sink, events) or check_requests(sink, events)
    if wrong:
        raise UnsoundLogError(wrong[0])
    fold(sink, events)


def _swap(connection: Connection, table: Table) -> None:
    """Puts a rebuilt table in the place of the live one, under the names that migrations gave."""
    connection.execute(DropTable(table))
    connection.exec_driver_sql(f"ALTER TABLE {PREFIX}{table.name} RENAME TO {table.name}")
    for index in sorted(table.indexes, key=_name):
        connection.execute(CreateIndex(index))
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql(f"ALTER INDEX {PREFIX}{table.name}_pkey RENAME TO {table.name}_pkey")


def _name(index: Index) -> str:
    return str(index.name)
