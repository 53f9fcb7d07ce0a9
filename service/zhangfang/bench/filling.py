"""Logs of a size: some thousand real hands, and beyond them copies of their rows, which only take up space."""

from itertools import islice

from sqlalchemy import Connection, Table, func, select, text

from zhangfang.application import CountingHouse
from zhangfang.bench.cast import Cast, execute, furnish
from zhangfang.store.database import Database, lift_timeouts
from zhangfang.store.log import read_head
from zhangfang.store.schema import accounts, entries, events, hand_players, hands, players, requests

BATCH = 512

SHIFTED = {"position", "first_position", "last_position", "registered_position"}
"""Columns that a copy moves on by the length of the log."""

RENAMED = {"stream", "request_id", "hand_id", "player_id"}
"""Columns that a copy gives another name."""

COPIED = (events, requests, entries, hands, hand_players, players, accounts)


def fill(url: str, seed: int, event_count: int) -> Database:
    """A database whose log has at least so many events, all of them real."""
    furnish(url)
    database = Database(url)
    house, commands = CountingHouse(database), Cast.of_seed(seed).commands("f")
    while last_position(database) < event_count:
        execute(house, list(islice(commands, BATCH)))
    return database


def grow(database: Database, event_count: int) -> None:
    """Doubles every table until the log has so many events; the copies' hashes do not chain and nobody reads them."""
    with database.write() as connection:
        if not database.is_sqlite:
            lift_timeouts(connection)
        position = read_head(connection).position
        while position < event_count:
            _double(connection, position)
            position *= 2
        connection.execute(text("UPDATE log_head SET position = :position"), {"position": position})
    settle_down(database)


def settle_down(database: Database) -> None:
    """Lets a store finish what it puts off, so that whoever is measured next does not pay for it."""
    if database.is_sqlite:
        with database.read() as connection:
            connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
        return
    with database.write() as connection:
        lift_timeouts(connection)
        connection.execute(text("ANALYZE"))


def last_position(database: Database) -> int:
    """Where the log ends."""
    with database.read() as connection:
        return read_head(connection).position


def bytes_of(database: Database) -> int:
    """What a database takes up on disk."""
    if database.is_sqlite:
        return database.sqlite_path.stat().st_size
    with database.read() as connection:
        return int(connection.execute(select(func.pg_database_size(func.current_database()))).scalar_one())


def _double(connection: Connection, position: int) -> None:
    for table in COPIED:
        columns = ", ".join(table.columns.keys())
        copied = ", ".join(_copied(table, column, position) for column in table.columns.keys())  # noqa: SIM118
        # Names from the schema and a number: nothing of a caller.
        connection.execute(text(f"INSERT INTO {table.name} ({columns}) SELECT {copied} FROM {table.name}"))  # noqa: S608


def _copied(table: Table, column: str, position: int) -> str:
    if column in SHIFTED:
        return f"{column} + {position}"
    # The copies of a statement's lines and of a player's hands stay with the account and the player: they get long.
    is_kept = table is hand_players and column == "player_id"
    if (column in RENAMED and not is_kept) or (table is accounts and column == "account"):
        return f"{column} || '+{position}'"
    return column
