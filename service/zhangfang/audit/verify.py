"""Walking the log and everything that follows from it, and naming what is wrong, the first first.

The log proves itself by its chain; the projections are proven by folding the log again beside them and comparing row
by row. All of it is one consistent view, in flat memory, while the house goes on writing.
"""

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import islice

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError, OperationalError

from zhangfang.audit.compare import compare_table
from zhangfang.audit.findings import Discrepancy, Progress, in_log
from zhangfang.audit.fold import Requests, check_postings, check_requests, check_streams, fold, scratch
from zhangfang.audit.view import whole_view
from zhangfang.audit.walk import Walk, differing_head, unreadable
from zhangfang.domain.events import DomainEvent
from zhangfang.projections import PROJECTIONS
from zhangfang.store.bulk import Sink
from zhangfang.store.database import Database, StoreError
from zhangfang.store.log import BATCH_EVENTS, Head, StoredRow, read_head, read_rows

__all__ = ["Discrepancy", "Finding", "Progress", "verify"]

DISCREPANCIES_MAX = 100
TABLE_DISCREPANCIES_MAX = 20


@dataclass(frozen=True, slots=True)
class Finding:
    """What a verification found; at most ``DISCREPANCIES_MAX`` discrepancies, those of the log first."""

    event_count: int
    head_hash: bytes
    discrepancies: tuple[Discrepancy, ...] = field(default=())

    @property
    def is_sound(self) -> bool:
        """Whether nothing is wrong."""
        return not self.discrepancies


def verify(database: Database) -> Iterator[Progress | Finding]:
    """Verifies log and projections in one consistent view; yields progress, and at last the finding."""
    with whole_view(database) as view, scratch(view) as sink:
        yield from Verification(view, sink).run()


class Verification:
    """One verification: ``view`` is what is verified, ``sink`` where the log is folded again."""

    def __init__(self, view: Connection, sink: Sink) -> None:
        self._view = view
        self._sink = sink
        self._walk = Walk()
        self._requests = Requests()
        self._wrong: list[Discrepancy] = []
        self._is_folded = True

    def run(self) -> Iterator[Progress | Finding]:
        """Log, head, projections, in that order."""
        try:
            head = self._read_head()
            for rows in self._read_log():
                events, wrong = self._walk.take(rows)
                self._note(wrong)
                self._fold(self._requests.whole(events))
                position = self._walk.end.position
                yield Progress(position, max(head.position, position) if isinstance(head.position, int) else position)
            self._fold(self._requests.rest())
            self._note(differing_head(head, self._walk.end))
            yield from self._compare()
        except OperationalError:
            raise  # the database is away or busy: that says nothing about the log
        except DBAPIError as error:
            self._note([unreadable(self._walk.end.position + 1, error)])
        yield Finding(self._walk.event_count, self._walk.end.hash, tuple(self._wrong))

    def _read_head(self) -> Head:
        try:
            return read_head(self._view)
        except StoreError as error:
            self._note([in_log(0, str(error))])
            return Head(0, b"", 0)

    def _read_log(self) -> Iterator[Sequence[StoredRow]]:
        before = self._view.exec_driver_sql("SELECT min(position) FROM events WHERE position < 1").scalar()
        if before is not None:
            self._note([in_log(before, "an event lies before position 1")])
        after = 0
        while rows := read_rows(self._view, after, BATCH_EVENTS):
            yield rows
            if not all(isinstance(row.position, int) for row in rows):
                return
            after = rows[-1].position

    def _fold(self, events: Sequence[DomainEvent]) -> None:
        if not events or not self._is_folded:
            return
        self._note(check_streams(self._sink, events))
        self._note(check_postings(self._sink, events))
        repeated = check_requests(self._sink, events)
        self._note(repeated)
        again = {each.position for each in repeated}
        try:
            fold(self._sink, [event for event in events if event.position not in again])
        except Exception as error:  # noqa: BLE001 - a log that was tampered with can fail in any way
            self._is_folded = False
            first, last = events[0].position, events[-1].position
            self._note(
                [in_log(first, f"the events at {first} to {last} cannot be folded: {type(error).__name__} {error}")]
            )

    def _compare(self) -> Iterator[Progress]:
        """Every row of every projection against the fold; none if the log could not be folded to its end."""
        for projection in PROJECTIONS if self._is_folded else ():
            for table in projection.tables:
                with closing(compare_table(self._view, self._sink.connection, table, self._sink.prefix)) as differences:
                    first = islice(differences, TABLE_DISCREPANCIES_MAX)
                    self._note([each.found_in(projection.name) for each in first])
                yield Progress(self._walk.end.position, self._walk.end.position)

    def _note(self, wrong: Sequence[Discrepancy]) -> None:
        self._wrong += wrong[: DISCREPANCIES_MAX - len(self._wrong)]
