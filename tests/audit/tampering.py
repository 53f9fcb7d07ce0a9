"""Editing a database behind the house's back, as a careless or a dishonest hand would."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection, Table, delete, insert, select, update

from zhangfang.store.chain import GENESIS, next_hash
from zhangfang.store.database import Database
from zhangfang.store.schema import events, log_head

Edit = Callable[[Connection], object]


def tamper(database: Database, *edits: Edit) -> None:
    """Makes edits in one transaction."""
    with database.write() as connection:
        for edit in edits:
            edit(connection)


def set_event(position: int, /, **columns: Any) -> Edit:
    """Writes other values into an event's row."""
    return lambda connection: connection.execute(update(events).where(events.c.position == position).values(**columns))


def write_raw(table: str, column: str, expression: str, condition: str) -> Edit:
    """Writes what no type would let through; ``expression`` and ``condition`` are SQL."""
    statement = f"UPDATE {table} SET {column} = {expression} WHERE {condition}"  # noqa: S608 - texts of the tests
    return lambda connection: connection.exec_driver_sql(statement)


def delete_events(first: int, last: int) -> Edit:
    """Takes events out."""
    return lambda connection: connection.execute(delete(events).where(events.c.position.between(first, last)))


def swap_events(one: int, other: int) -> Edit:
    """Exchanges the places of two events."""

    def swap(connection: Connection) -> None:
        for position, target in ((one, -1), (other, one), (-1, other)):
            connection.execute(update(events).where(events.c.position == position).values(position=target))

    return swap


def insert_event(like: int, **columns: Any) -> Edit:
    """Adds a copy of an event with other values in it."""

    def add(connection: Connection) -> None:
        row = connection.execute(select(events).where(events.c.position == like)).one()
        connection.execute(insert(events).values(**{**row._mapping, **columns}))

    return add


def edit_body(position: int, change: Callable[[Any], None], message: type[Any]) -> Edit:
    """Changes an event's message."""

    def edit(connection: Connection) -> None:
        query = select(events.c.body).where(events.c.position == position)
        decoded = message.FromString(connection.execute(query).scalar_one())
        change(decoded)
        set_event(position, body=decoded.SerializeToString(deterministic=True))(connection)

    return edit


def loosen(table: str) -> Edit:
    """Takes away from a table of the embedded store what the schema forbids, its key included."""

    def make(connection: Connection) -> None:
        connection.exec_driver_sql(f"CREATE TABLE loose AS SELECT * FROM {table}")  # noqa: S608 - texts of the tests
        connection.exec_driver_sql(f"DROP TABLE {table}")
        connection.exec_driver_sql(f"ALTER TABLE loose RENAME TO {table}")

    return make


@contextmanager
def broken_page(database: Database, table: str) -> Iterator[Database]:
    """The embedded store after its disk lost what the first page of a table held."""
    path, url = database.sqlite_path, database.url.render_as_string()
    with database.read() as connection:
        query = "SELECT rootpage FROM sqlite_master WHERE name = ?"
        root = connection.exec_driver_sql(query, (table,)).scalar_one()
    database.close()
    content = bytearray(path.read_bytes())
    content[(root - 1) * 4096 : (root - 1) * 4096 + 8] = b"\xff" * 8
    path.write_bytes(content)
    reopened = Database(url)
    yield reopened
    reopened.close()


def set_head(**columns: Any) -> Edit:
    """Writes other values into the row of the log's head."""
    return lambda connection: connection.execute(update(log_head).values(**columns))


def chain_again(connection: Connection) -> None:
    """Makes the chain and the head fit what lies there: what somebody would do who knows how it works."""
    last = GENESIS
    for row in connection.execute(select(events).order_by(events.c.position)).all():
        last = next_hash(last, row.position, row.version, row.recorded_at_us, row.stream, row.topic, row.body)
        connection.execute(update(events).where(events.c.position == row.position).values(hash=last))
        connection.execute(update(log_head).values(position=row.position, hash=last, recorded_at_us=row.recorded_at_us))


def spoiled(value: Any) -> Any:
    """Another value of the same kind."""
    match value:
        case bool():
            return not value
        case int():
            return value + 1
        case str():
            return value + "x"
        case _:
            return bytes([value[0] ^ 1]) + value[1:]


def spoil_column(table: Table, column: str) -> Edit:
    """Changes one column of a table's last row."""

    def edit(connection: Connection) -> None:
        keys = list(table.primary_key)
        row = connection.execute(select(table).order_by(*[key.desc() for key in keys]).limit(1)).one()
        statement = update(table).values(**{column: spoiled(row._mapping[column])})
        for key in keys:
            statement = statement.where(key == row._mapping[key])
        connection.execute(statement)

    return edit


def delete_row(table: Table) -> Edit:
    """Takes a table's last row out."""

    def edit(connection: Connection) -> None:
        keys = list(table.primary_key)
        row = connection.execute(select(table).order_by(*[key.desc() for key in keys]).limit(1)).one()
        statement = delete(table)
        for key in keys:
            statement = statement.where(key == row._mapping[key])
        connection.execute(statement)

    return edit


def insert_row(table: Table) -> Edit:
    """Adds a copy of a table's last row under another key."""

    def edit(connection: Connection) -> None:
        keys = [key.name for key in table.primary_key]
        row = connection.execute(select(table).order_by(*[key.desc() for key in table.primary_key]).limit(1)).one()
        values = dict(row._mapping)
        changed = {name for name in (*keys, "opened_position") if name in values}
        connection.execute(insert(table).values(**{**values, **{name: spoiled(values[name]) for name in changed}}))

    return edit


def raise_an_amount(message: Any) -> None:
    """Silver out of nowhere, in one line of an event."""
    message.postings[0].amount += 1
