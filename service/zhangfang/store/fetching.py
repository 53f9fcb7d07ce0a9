"""Many rows straight from the driver, as plain tuples: what reads whole tables spends most of its time here.

PostgreSQL sends them in binary. What the driver raises comes out as it does from SQLAlchemy.
"""

from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from itertools import count
from typing import Any

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

Row = tuple[Any, ...]

_numbers = count()


def fetch_all(connection: Connection, query: str) -> list[Row]:
    """All rows of a query at once."""
    with _cursor(connection, query) as cursor:
        rows: list[Row] = cursor.fetchall()
        return rows


def fetch_pages(connection: Connection, query: str, page_rows: int) -> Generator[list[Row]]:
    """The rows of a query, ``page_rows`` at a time and never more of them in memory; the last page may be shorter."""
    with _cursor(connection, query, f"pages_{next(_numbers)}") as cursor:
        while rows := cursor.fetchmany(page_rows):
            yield rows


@contextmanager
def _cursor(connection: Connection, query: str, name: str = "") -> Iterator[Any]:
    """A cursor that has executed a query; with a name PostgreSQL keeps the rows until they are fetched."""
    driver: Any = connection.connection.dbapi_connection
    is_sqlite = connection.dialect.name == "sqlite"
    options: dict[str, Any] = {} if is_sqlite else {"binary": True}
    with _translated(connection, query), closing(driver.cursor() if is_sqlite else driver.cursor(name)) as cursor:
        cursor.execute(query, **options)
        yield cursor


@contextmanager
def _translated(connection: Connection, query: str) -> Iterator[None]:
    dialect = connection.dialect
    error_type: Any = dialect.loaded_dbapi.Error
    try:
        yield
    except error_type as error:
        is_lost = dialect.is_disconnect(error, connection.connection, None)
        raise DBAPIError.instance(
            query, None, error, error_type, hide_parameters=True, connection_invalidated=is_lost
        ) from error
