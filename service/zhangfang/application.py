"""The counting house: commands in, events appended, answers out.

An ``Application`` of the event-sourcing library over our own recorder and mapper. A batch of commands is one append:
the log head is locked, the books are taken from their shelf and hold what the batch needs, each command is decided on
its own, all events are saved together with their projections, and the transaction commits once.
"""

from collections.abc import Sequence
from importlib.metadata import version
from time import time_ns
from typing import Any, NamedTuple

from eventsourcing.application import AggregateNotFoundError, Application
from eventsourcing.persistence import InfrastructureFactory, Recording

from zhangfang.bookshelf import Bookshelf
from zhangfang.contract.judging import WireScribe
from zhangfang.domain.books import Books, Referee, judge_by_the_rulebook
from zhangfang.domain.commands import Command, Request
from zhangfang.domain.decide import decide
from zhangfang.domain.events import DomainEvent
from zhangfang.domain.hands import Hand, HandState, project_hand
from zhangfang.domain.tables import Table, project_table
from zhangfang.errors import Reason, Refusal, Status
from zhangfang.projections import PROJECTIONS, requests
from zhangfang.projections.requests import Answered
from zhangfang.store.bulk import Sink
from zhangfang.store.database import Database
from zhangfang.store.factory import LogFactory
from zhangfang.store.recorder import Clock, LogRecorder, LogTransaction

SOFTWARE = f"zhangfang {version('zhangfang')}"
CACHED_STREAM_COUNT = 10_000


class Answer(NamedTuple):
    """What an accepted command did.

    ``event`` is the one that tells the answer, ``subject`` the table or hand as it stood right after the command, None
    for players and transfers. ``is_repeat`` says that it was done before and only told again.
    """

    event: DomainEvent
    subject: Table | Hand | None
    is_repeat: bool = False


class CountingHouse(Application[str]):
    """Decides commands and reads the log and its projections.

    Args:
        database: a migrated one; whoever opened it closes it.
        clock: nanoseconds since 1970.
        referee: judges the hands that can only be judged inside an append.
    """

    name = "zhangfang"
    env = {"AGGREGATE_CACHE_MAXSIZE": str(CACHED_STREAM_COUNT), "DEEPCOPY_FROM_AGGREGATE_CACHE": "n"}  # noqa: RUF012

    recorder: LogRecorder

    def __init__(self, database: Database, clock: Clock = time_ns, referee: Referee = judge_by_the_rulebook) -> None:
        self.database = database
        self._clock = clock
        self._referee = referee
        super().__init__()
        self._scribe = WireScribe()
        self._shelf = Bookshelf(self._new_books, self._subject)

    def construct_factory(self, env: Any) -> InfrastructureFactory[Any]:
        """Our persistence module over the open database."""
        factory = LogFactory(env)
        factory.adopt(self.database, self._clock)
        return factory

    def execute(self, commands: Sequence[Command]) -> list[Answer | Refusal]:
        """Decides a batch of commands in order, in one append; one answer or refusal a command.

        A refused command leaves no trace and does not touch its neighbours. A request id that was answered before, in
        an earlier batch or in this one, gets the first answer.

        Raises:
            Refusal: STORE_UNAVAILABLE, when nothing of the batch is known to be on disk; retries are safe.
        """
        with self.recorder.transaction() as transaction:
            books = self._shelf.take(transaction.edition)
            with self.recorder.reading_over(transaction.sink.connection):
                self._shelf.load(books, transaction.sink, commands)
            answered = requests.read_answered(transaction.sink, {command.request.request_id for command in commands})
            taken: list[DomainEvent] = []
            answers = [self._decide(books, answered, transaction, taken, command) for command in commands]
            if taken:
                self.save(*taken, transaction=transaction)
        self._remember(books, taken)
        self._shelf.put_back(books, transaction.edition)
        return [self.tell(answer.position) if isinstance(answer, Answered) else answer for answer in answers]

    def preview(self, command: Command) -> Answer:
        """What a command would answer now; nothing is written and nothing is waited for.

        Raises:
            Refusal: what the command would be refused with.
        """
        with self.database.read() as connection:
            books = self._new_books()
            with self.recorder.reading_over(connection):
                self._shelf.load(books, Sink(connection), [command])
        events = decide(books, command)
        for event in events:
            books.apply(event)
        return Answer(events[0], books.hands.get(events[0].hand_id))

    def save(  # type: ignore[override]
        self, *events: DomainEvent, transaction: LogTransaction, **kwargs: Any
    ) -> list[Recording[str]]:
        """Appends events with their projections; every event of the log comes through here.

        The library's own ``save`` looks for snapshots and aggregates to notify; here there are none, and its look at
        every event costs as much as encoding it.
        """
        recordings = self.events.put(events, transaction=transaction, **kwargs)
        for projection in PROJECTIONS:
            projection.apply(transaction.sink, events)
        return recordings

    def tell(self, position: int) -> Answer:
        """The answer that the event at a position gave, told again from the log."""
        entry = self.recorder.select_notifications(position, 1)[0]
        event: Any = self.mapper.to_domain_event(entry)
        return Answer(event, self._subject(event.originator_id, event.originator_version), is_repeat=True)

    def first_answer(self, request: Request) -> Answer | None:
        """The answer that this very request got before, told again; None if it was never answered."""
        with self.database.read() as connection:
            answered = requests.read_answered(Sink(connection), {request.request_id}).get(request.request_id)
        if answered is None or answered.fingerprint != request.fingerprint:
            return None
        return self.tell(answered.position)

    def table(self, table_id: str) -> Table | None:
        """A table as it stands."""
        subject = self._subject(f"table/{table_id}")
        return subject if isinstance(subject, Table) else None

    def hand(self, hand_id: str) -> Hand | None:
        """A hand as it stands."""
        subject = self._subject(f"hand/{hand_id}")
        return subject if isinstance(subject, Hand) else None

    def remembered_terms(self, table_id: str) -> Table | None:
        """A table's game, house rules and money, which never change, if in memory; its state or bank may be old."""
        return self._shelf.table(table_id)

    def terms(self, table_id: str) -> Table | None:
        """As ``remembered_terms``, read from the log if need be."""
        table = self.remembered_terms(table_id) or self.table(table_id)
        if table:
            self._shelf.keep_table(table)
        return table

    def _new_books(self) -> Books:
        return Books(self._scribe, SOFTWARE, self._referee)

    def _subject(self, stream: str, stream_version: int | None = None) -> Table | Hand | None:
        projectors: dict[str, Any] = {"hand": project_hand, "table": project_table}
        projector = projectors.get(stream.partition("/")[0])
        if projector is None:
            return None
        try:
            subject: Table | Hand = self.repository.get(stream, version=stream_version, projector_func=projector)
        except AggregateNotFoundError:
            return None
        return subject

    def _decide(
        self,
        books: Books,
        answered: dict[str, Answered],
        transaction: LogTransaction,
        taken: list[DomainEvent],
        command: Command,
    ) -> Answer | Refusal | Answered:
        """Decides one command; what it did is in the books and in ``taken`` when this returns an Answer."""
        earlier = answered.get(command.request.request_id)
        if earlier:
            return earlier if earlier.fingerprint == command.request.fingerprint else _reused(command)
        try:
            events = decide(books, command)
        except Refusal as refusal:
            return refusal
        stream = events[0].originator_id
        telling = events[0]
        for event in events:
            taken.append(event)
            event.take_place(transaction.position + len(taken), transaction.next_time_us())
            books.apply(event)
            if event.originator_id == stream:
                telling = event
        answered[command.request.request_id] = Answered(command.request.fingerprint, telling.position)
        kind, _, key = stream.partition("/")
        subject = books.hands.get(key) if kind == "hand" else books.tables.get(key) if kind == "table" else None
        return Answer(telling, subject)

    def _remember(self, books: Books, taken: Sequence[DomainEvent]) -> None:
        """Keeps what was just written for whoever asks next; versions are checked before it is used."""
        for stream in {event.originator_id for event in taken}:
            kind, _, key = stream.partition("/")
            if kind == "table":
                self._shelf.keep_table(books.tables[key])
            elif kind == "hand" and self.repository.cache and books.hands[key].state is HandState.OPEN:
                self.repository.cache.put(stream, books.hands[key])  # type: ignore[arg-type]


def _reused(command: Command) -> Refusal:
    request_id = command.request.request_id
    return Refusal(
        Status.ALREADY_EXISTS,
        Reason.REQUEST_ID_REUSED,
        f"request id {request_id!r} was used for a request with another body; use a new id for a new request",
        {"request_id": request_id},
    )
