"""The driver under SQLAlchemy, for statements on which its own work would cost more than the database's.

They run on the connection of an open transaction and are part of it. What the driver raises comes out as it does from
SQLAlchemy, and a connection that was lost is given up.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError


def driver_of(connection: Connection) -> Any:
    """The driver's connection: sqlite3's or psycopg's."""
    return connection.connection.driver_connection


@contextmanager
def raising_as_usual(connection: Connection) -> Iterator[None]:
    """Turns what the driver raises into what SQLAlchemy does."""
    dialect = connection.dialect
    error_type: Any = dialect.loaded_dbapi.Error
    try:
        yield
    except error_type as error:
        is_lost = dialect.is_disconnect(error, driver_of(connection), None)
        if is_lost:
            connection.invalidate(error)
        raise DBAPIError.instance(
            None, None, error, error_type, hide_parameters=True, connection_invalidated=is_lost, dialect=dialect
        ) from error
