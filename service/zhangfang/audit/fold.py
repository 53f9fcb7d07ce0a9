"""The fold of the log: what its events come to, made anew with the projections' own ``apply``."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from sqlalchemy import BigInteger, Column, Connection, MetaData, Table, Text, create_engine
from sqlalchemy.schema import CreateTable

from zhangfang.audit.findings import Discrepancy, in_log
from zhangfang.domain.events import DomainEvent
from zhangfang.ledger.accounts import is_account
from zhangfang.projections import PROJECTIONS
from zhangfang.projections.accounts import read_accounts
from zhangfang.projections.requests import read_answered
from zhangfang.store.bulk import Sink
from zhangfang.store.schema import PROJECTION_TABLES

SCRATCH = "fold"
SCRATCH_PRAGMAS = ("cache_size=-65536",)
REQUEST_EVENTS_MAX = 10_000

streams = Table(
    "streams",
    MetaData(),
    Column("stream", Text, primary_key=True),
    Column("version", BigInteger, nullable=False),
    sqlite_with_rowid=False,
)


@contextmanager
def scratch(view: Connection) -> Iterator[Sink]:
    """Tables for one fold and nothing else, beside the view where it is of SQLite: those of all projections, empty.

    They are in a nameless database: what does not fit into its cache goes to a temporary file, the rest never does.
    """
    if view.dialect.name == "sqlite":
        with _attached(view):
            yield Sink(view, f"{SCRATCH}.")
        return
    engine = create_engine("sqlite://", connect_args={"isolation_level": None})
    try:
        with engine.connect() as connection, _attached(connection):
            connection.exec_driver_sql("BEGIN")
            yield Sink(connection, f"{SCRATCH}.")
    finally:
        engine.dispose()


@contextmanager
def _attached(connection: Connection) -> Iterator[None]:
    driver: Any = connection.connection.dbapi_connection
    driver.execute(f"ATTACH '' AS {SCRATCH}")
    try:
        for pragma in SCRATCH_PRAGMAS:
            driver.execute(f"PRAGMA {SCRATCH}.{pragma}")
        # Keys and nothing else: nobody looks for a hand by its table here.
        for table in (*PROJECTION_TABLES, streams):
            connection.execute(CreateTable(table.to_metadata(MetaData(), schema=SCRATCH)))
        yield
    finally:
        driver.rollback()
        driver.execute(f"DETACH {SCRATCH}")


class Requests:
    """Cuts a stream of events where no request is split: a projection gets all events of a request at once."""

    def __init__(self) -> None:
        self._waiting: list[DomainEvent] = []

    def whole(self, events: Sequence[DomainEvent]) -> list[DomainEvent]:
        """The next events up to the last request, which may go on with those to come."""
        taken = [*self._waiting, *events]
        cut = len(taken)
        while cut and taken[cut - 1].metadata.request_id == taken[-1].metadata.request_id:
            cut -= 1
        if len(taken) - cut > REQUEST_EVENTS_MAX:
            cut = len(taken)
        self._waiting = taken[cut:]
        return taken[:cut]

    def rest(self) -> list[DomainEvent]:
        """The last request."""
        rest, self._waiting = self._waiting, []
        return rest


def fold(sink: Sink, events: Sequence[DomainEvent]) -> None:
    """Applies events to all projections; no request may be split over two calls."""
    for projection in PROJECTIONS:
        projection.apply(sink, events)


def check_streams(sink: Sink, events: Sequence[DomainEvent]) -> list[Discrepancy]:
    """Whether streams go on with 1, 2, 3 … in the order of the log; notes where they stand now in a scratch table."""
    names = sorted({event.originator_id for event in events})
    stand = dict(sink.select_in("SELECT stream, version FROM {prefix}streams WHERE stream {keys}", names))
    wrong = follow_streams(stand, events)
    sink.insert(streams, sorted(stand.items()), "ON CONFLICT (stream) DO UPDATE SET version = excluded.version")
    return wrong


def follow_streams(stand: dict[str, int], events: Sequence[DomainEvent]) -> list[Discrepancy]:
    """Whether events go on with the versions of their streams; ``stand`` has the last of each, and is brought on."""
    wrong = []
    for event in events:
        due = stand.get(event.originator_id, 0) + 1
        if event.originator_version != due:
            text = f"version {event.originator_version} of stream {event.originator_id!r} where {due} is due"
            wrong.append(in_log(event.position, text))
        stand[event.originator_id] = event.originator_version
    return wrong


def check_postings(sink: Sink, events: Sequence[DomainEvent]) -> list[Discrepancy]:
    """Whether each event's postings sum to zero and each balance follows from the one before. Rule: CM-2.

    ``sink`` holds the accounts as they stand before these events.
    """
    names = {posted.account for event in events for posted in event.postings}
    balances = {name: account.balance for name, account in read_accounts(sink, names).items()}
    wrong = []
    for event in events:
        total = sum([posted.amount for posted in event.postings])
        if total:
            wrong.append(in_log(event.position, f"the postings sum to {total} silver instead of 0"))
        for posted in event.postings:
            due = balances.get(posted.account, 0) + posted.amount
            if not is_account(posted.account):
                wrong.append(in_log(event.position, f"{posted.account!r} is no account"))
            if posted.balance_after != due:
                text = f"the balance of {posted.account} after it is {posted.balance_after}, its postings make it {due}"
                wrong.append(in_log(event.position, text))
            balances[posted.account] = posted.balance_after
    return wrong


def check_requests(sink: Sink, events: Sequence[DomainEvent]) -> list[Discrepancy]:
    """Whether each request stands in one place of the log; ``sink`` holds those answered before these events."""
    answered = read_answered(sink, {event.metadata.request_id for event in events})
    earlier = {request_id: answer.position for request_id, answer in answered.items()}
    wrong, present = [], ""
    for event in events:
        request_id = event.metadata.request_id
        if request_id != present and request_id in earlier:
            text = f"request {request_id!r} was answered at position {earlier[request_id]} already"
            wrong.append(in_log(event.position, text))
        present = request_id
        earlier.setdefault(request_id, event.position)
    return wrong
