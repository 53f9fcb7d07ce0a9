"""One consistent view of the whole database for as long as an audit takes, in nobody's way.

On SQLite a reader of the write-ahead log, on PostgreSQL a read-only REPEATABLE READ transaction: the writer goes on.
"""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection

from zhangfang.store.database import Database, StoreError, lift_timeouts
from zhangfang.store.schema import PROJECTION_TABLES


@contextmanager
def whole_view(database: Database) -> Iterator[Connection]:
    """A connection that sees the database as it is now, however long it is looked at."""
    with database.read() as connection:
        if database.is_sqlite:
            with any_text(connection):
                yield connection
            connection.rollback()  # a file that is broken on disk cannot even commit what was only read
        else:
            lift_timeouts(connection)
            _hold_tables(connection)
            yield connection


@contextmanager
def alone(database: Database, task: str) -> Iterator[None]:
    """Keeps another process, or another thread, from doing the same task on the same database.

    Raises:
        StoreError: if one is at it.
    """
    refusal = StoreError(f"another {task} of this database is running; wait for it to end")
    if database.is_sqlite:
        with database.sqlite_path.with_name(f"{database.sqlite_path.name}.{task}.lock").open("a") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise refusal from None
            yield
        return
    with database.read() as connection:
        lift_timeouts(connection)
        query = "SELECT pg_try_advisory_xact_lock(hashtext(%s))"
        if not connection.exec_driver_sql(query, (f"zhangfang {task}",)).scalar_one():
            raise refusal
        yield


def _hold_tables(connection: Connection) -> None:
    """Looks at every table once, so that a rebuild cannot put another one in its place before it was compared."""
    for table in PROJECTION_TABLES:
        connection.exec_driver_sql(f"SELECT 1 FROM {table.name} LIMIT 0")  # noqa: S608 - a name of schema.py


@contextmanager
def any_text(connection: Connection) -> Iterator[None]:
    """Lets SQLite read text that is not UTF-8 any more as what it is, instead of failing at it."""
    if connection.dialect.name != "sqlite":
        yield
        return
    driver: Any = connection.connection.dbapi_connection
    driver.text_factory = lambda raw: raw.decode("utf-8", "surrogateescape")
    try:
        yield
    finally:
        driver.text_factory = str
