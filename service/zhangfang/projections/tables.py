"""Tables: which there are and whether they are open; what they are is in their streams."""

from collections.abc import Iterable, Sequence

from sqlalchemy import Connection, Row, select

from zhangfang.domain.events import BankChanged, DomainEvent, TableClosed, TableOpened
from zhangfang.store.bulk import Sink
from zhangfang.store.schema import tables

TABLES = (tables,)

UPDATE = "ON CONFLICT (table_id) DO UPDATE SET is_open = t.is_open AND excluded.is_open, version = excluded.version"


def apply(sink: Sink, events: Sequence[DomainEvent]) -> None:
    """Brings each table of a batch to its newest state; once closed it stays closed."""
    rows: dict[str, list[object]] = {}
    for event in events:
        if isinstance(event, TableOpened):
            rows[event.table_id] = [event.game, True, event.position, event.originator_version]
        elif isinstance(event, TableClosed | BankChanged):
            # A row that exists keeps its game and position: only what UPDATE names is written to it.
            row = rows.setdefault(event.table_id, ["", True, event.position, 0])
            row[1] = not isinstance(event, TableClosed) and row[1]
            row[3] = event.originator_version
    sink.insert(tables, [(table_id, *rows[table_id]) for table_id in sorted(rows)], UPDATE)


def read_versions(sink: Sink, table_ids: Iterable[str]) -> dict[str, int]:
    """The stream version of each of these tables that exists."""
    query = "SELECT table_id, version FROM {prefix}tables WHERE table_id {keys}"
    return {row[0]: row[1] for row in sink.select_in(query, sorted(table_ids))}


def read_tables(
    connection: Connection, game: str, after: int, limit: int, *, is_open: bool | None
) -> Sequence[Row[tuple[object, ...]]]:
    """Tables in the order in which they were opened, after a position; "" and None mean all."""
    query = select(tables).where(tables.c.opened_position > after)
    if game:
        query = query.where(tables.c.game == game)
    if is_open is not None:
        query = query.where(tables.c.is_open.is_(is_open))
    return connection.execute(query.order_by(tables.c.opened_position).limit(limit)).all()
