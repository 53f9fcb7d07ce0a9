"""Many rows straight from the driver, as plain tuples: what reads whole tables spends most of its time here.

PostgreSQL sends them in binary.
"""

from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from itertools import count
from typing import Any

from sqlalchemy import Connection

from zhangfang.store.driver import driver_of, raising_as_usual

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
    driver = driver_of(connection)
    is_sqlite = connection.dialect.name == "sqlite"
    options: dict[str, Any] = {} if is_sqlite else {"binary": True}
    with raising_as_usual(connection), closing(driver.cursor() if is_sqlite else driver.cursor(name)) as cursor:
        cursor.execute(query, **options)
        yield cursor
