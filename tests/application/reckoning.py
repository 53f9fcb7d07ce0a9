"""What is on disk held against the abacus: rows, banks, and the streams that houses tell hands and tables from."""

from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import delete, select, update

from tests.application.abacus import Abacus
from zhangfang.application import CountingHouse
from zhangfang.domain.events import DomainEvent
from zhangfang.domain.hands import project_hand
from zhangfang.domain.tables import project_table
from zhangfang.store import schema
from zhangfang.store.chain import GENESIS
from zhangfang.store.database import Database
from zhangfang.store.log import read_head, read_rows
from zhangfang.store.mapper import EventMapper
from zhangfang.store.recorder import LogEntry


def clear(database: Database) -> None:
    """Makes a store what it was before anything happened."""
    with database.write() as connection:
        for table in (schema.events, *schema.PROJECTION_TABLES):
            connection.execute(delete(table))
        connection.execute(update(schema.log_head).values(position=0, hash=GENESIS, recorded_at_us=0))


def read_on(database: Database, after: int) -> int:
    """Reads what the log has grown by since a position: gapless, and every event in balance. Returns by how many."""
    mapper = EventMapper()
    with database.read() as connection:
        rows, head = read_rows(connection, after, 10_000), read_head(connection)
    assert [row.position for row in rows] == list(range(after + 1, head.position + 1))
    for row in rows:
        entry = LogEntry(row.stream, row.version, row.topic, row.body, row.position, row.recorded_at_us, row.hash)
        event = mapper.to_domain_event(entry)
        assert sum(posted.amount for posted in event.postings) == 0
        assert all(posted.amount for posted in event.postings)
    return len(rows)


def compare_rows(database: Database, abacus: Abacus) -> None:
    """Accounts, level points, hands, tables and requests are what the abacus shows."""
    with database.read() as connection:

        def read(*columns: Any) -> list[tuple[Any, ...]]:
            return [tuple(row) for row in connection.execute(select(*columns))]

        of = {table.name: table.c for table in schema.PROJECTION_TABLES}
        accounts = read(of["accounts"].account, of["accounts"].balance, of["accounts"].held)
        points = read(of["level_points"].player_id, of["level_points"].game, of["level_points"].points)
        hands = read(of["hands"].hand_id, of["hands"].state)
        tables = read(of["tables"].table_id, of["tables"].is_open)
        requests = read(of["requests"].request_id, of["requests"].fingerprint)
    assert sum(balance for _, balance, _ in accounts) == 0
    assert any_amount(accounts) == any_amount(
        (name, silver, abacus.held(name.removeprefix("player/"))) for name, silver in abacus.balances.items()
    )
    assert all(count >= 0 for *_, count in points)
    assert any_amount(points) == any_amount((*key, count) for key, count in abacus.points.items())
    assert dict(hands) == {hand_id: hand.state for hand_id, hand in abacus.hands.items()}
    assert dict(tables) == {table_id: table.is_open for table_id, table in abacus.tables.items()}
    assert dict(requests) == abacus.answered


def any_amount(rows: Iterable[tuple[Any, ...]]) -> set[tuple[Any, ...]]:
    """Rows that say more than nothing."""
    return {row for row in rows if any(value for value in row if isinstance(value, int))}


def compare_banks(house: CountingHouse, abacus: Abacus) -> None:
    """Who banks, and who waits for it."""
    for table_id, sheet in abacus.tables.items():
        table = house.table(table_id) if sheet.bank else None
        assert (table and table.bank) == sheet.bank


def compare_streams(log: Iterable[DomainEvent], houses: Sequence[CountingHouse], abacus: Abacus) -> None:
    """Every house tells hands and tables as their streams do, whatever it remembers."""
    streams: dict[str, list[DomainEvent]] = {}
    for event in log:
        streams.setdefault(event.originator_id, []).append(event)
    for hand_id, sheet in abacus.hands.items():
        hand = project_hand(None, streams[f"hand/{hand_id}"])
        assert hand is not None
        assert hand.state == sheet.state
        assert all(house.hand(hand_id) == hand for house in houses)
    for table_id in abacus.tables:
        table = project_table(None, streams[f"table/{table_id}"])
        assert all(house.table(table_id) == table for house in houses)
