"""Whether the books are in order, told by reading everything again: the laws that hold after whatever happened.

This is written out apart from the service's own verification, and much simpler: it keeps everything in memory.
"""

from collections.abc import Iterable, Sequence
from itertools import groupby, pairwise
from typing import Any

from sqlalchemy import Connection, create_engine, select

from zhangfang.application import CountingHouse
from zhangfang.domain.events import DomainEvent
from zhangfang.ledger.accounts import player_account
from zhangfang.projections import PROJECTIONS
from zhangfang.store.bulk import Sink
from zhangfang.store.chain import GENESIS, next_hash
from zhangfang.store.database import Database
from zhangfang.store.log import read_head, read_rows
from zhangfang.store.mapper import EventMapper
from zhangfang.store.recorder import LogEntry
from zhangfang.store.schema import PROJECTION_TABLES, metadata

Rows = dict[str, list[tuple[Any, ...]]]


def balances(database: Database, *player_ids: str) -> list[int]:
    """The silver of players, by the projection."""
    with database.read() as connection:
        query = "SELECT account, balance FROM accounts WHERE account {keys}"
        found = {row[0]: row[1] for row in Sink(connection).select_in(query, [*map(player_account, player_ids)])}
    return [found[player_account(player_id)] for player_id in player_ids]


def silver_of(database: Database, account: str) -> int:
    """The silver of one account, 0 if nothing was ever posted to it."""
    with database.read() as connection:
        found = Sink(connection).select_in("SELECT balance FROM accounts WHERE account {keys}", [account])
    return int(found[0][0]) if found else 0


def read_log(database: Database) -> list[DomainEvent]:
    """All events."""
    mapper = EventMapper()
    with database.read() as connection:
        rows = read_rows(connection, 0, 10_000_000)
    entries = [
        LogEntry(row.stream, row.version, row.topic, row.body, row.position, row.recorded_at_us, row.hash)
        for row in rows
    ]
    return [mapper.to_domain_event(entry) for entry in entries]


def assert_sound(database: Database) -> list[DomainEvent]:
    """The log is gapless, ordered, chained and balanced, and every projection is its fold; returns the events."""
    with database.read() as connection:
        rows, head = read_rows(connection, 0, 10_000_000), read_head(connection)
        live = read_projections(connection)
    last_hash = GENESIS
    for row in rows:
        last_hash = next_hash(last_hash, row.position, row.version, row.recorded_at_us, row.stream, row.topic, row.body)
        assert row.hash == last_hash, row.position
    assert [row.position for row in rows] == list(range(1, len(rows) + 1))
    times = [row.recorded_at_us for row in rows]
    assert all(earlier < later for earlier, later in pairwise(times))
    assert head == (len(rows), last_hash, times[-1] if times else 0)

    events = read_log(database)
    assert_versions_count_up(events)
    assert_balances_follow(events)
    assert live == fold(events, [events]), "folded in one batch"
    by_request = [list(group) for _, group in groupby(events, key=lambda event: event.metadata.request_id)]
    assert live == fold(events, by_request), "folded request by request"
    return events


def assert_versions_count_up(events: Iterable[DomainEvent]) -> None:
    versions: dict[str, int] = {}
    for event in events:
        versions[event.originator_id] = versions.get(event.originator_id, 0) + 1
        assert event.originator_version == versions[event.originator_id], event


def assert_balances_follow(events: Iterable[DomainEvent]) -> None:
    silver: dict[str, int] = {}
    for event in events:
        assert sum(posted.amount for posted in event.postings) == 0, event
        for posted in event.postings:
            silver[posted.account] = silver.get(posted.account, 0) + posted.amount
            assert posted.balance_after == silver[posted.account], posted


def fold(events: Sequence[DomainEvent], batches: Iterable[Sequence[DomainEvent]]) -> Rows:
    """The projections as these batches of a log make them."""
    engine = create_engine("sqlite://")
    with engine.begin() as connection:
        metadata.create_all(connection)
        for batch in batches:
            for projection in PROJECTIONS:
                projection.apply(Sink(connection), batch)
        folded = read_projections(connection)
    engine.dispose()
    return folded


def read_projections(connection: Connection) -> Rows:
    """Every row of every projection, in an order that does not depend on the store."""
    return {table.name: sorted(tuple(row) for row in connection.execute(select(table))) for table in PROJECTION_TABLES}


def new_house(url: str) -> CountingHouse:
    """A house that remembers nothing, as after a restart."""
    return CountingHouse(Database(url))
