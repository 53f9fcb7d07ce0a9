"""Many rows in one statement: the only way the hot path writes.

SQLite gets a few prepared statements of many rows each, PostgreSQL one statement over binary arrays. (The driver's
``executemany`` gives up the interpreter at every row and must win it back from the event loop.)
"""

import json
from collections.abc import Sequence
from functools import cache
from itertools import chain
from typing import Any

from sqlalchemy import Connection, Table

from zhangfang.store.driver import driver_of, raising_as_usual

ARRAY_TYPES = {"BIGINT": "int8[]", "TEXT": "text[]", "BLOB": "bytea[]", "BYTEA": "bytea[]", "BOOLEAN": "bool[]"}

SQLITE_ROWS = (256, 64, 16, 4, 1)
"""How many rows the statements for SQLite have: few enough kinds that each is prepared once."""


class Sink:
    """Where projections write: the live tables, or with a prefix the ones of a rebuild beside them."""

    def __init__(self, connection: Connection, prefix: str = "") -> None:
        self.connection = connection
        self.prefix = prefix
        self.is_sqlite = connection.dialect.name == "sqlite"
        # The driver's own cursor, inside the connection's transaction: a statement costs half as much there.
        self._cursor = driver_of(connection).cursor()

    def insert(self, table: Table, rows: Sequence[Sequence[Any]], on_conflict: str = "") -> None:
        """Inserts rows, each in the order of the table's columns.

        ``on_conflict`` is what follows the rows, e.g. ``ON CONFLICT (account) DO UPDATE SET held = t.held +
        excluded.held``; ``t`` is the table itself, ``excluded`` the row that did not go in.
        """
        if not rows:
            return
        if self.is_sqlite:
            done = 0
            for count in SQLITE_ROWS:
                statement = _insert_rows(table, self.prefix, on_conflict, count)
                while len(rows) - done >= count:
                    parameters = tuple(chain.from_iterable(rows[done : done + count]))
                    self._execute(statement, parameters)
                    done += count
        else:
            statement = _insert_arrays(table, self.prefix, on_conflict)
            self._execute(statement, tuple([list(column) for column in zip(*rows, strict=True)]))

    def select_in(self, query: str, keys: Sequence[str]) -> list[Any]:
        """The rows of ``query`` for a list of text keys; ``{keys}`` in it stands for the condition's right side.

        E.g. ``SELECT account, held FROM {prefix}accounts WHERE account {keys}``.
        """
        if not keys:
            return []
        if self.is_sqlite:
            # SQLite has a limit on parameters a statement; a JSON array is one parameter however many keys there are.
            text = query.format(keys="IN (SELECT value FROM json_each(?))", prefix=self.prefix)
            self._execute(text, (json.dumps(keys),))
        else:
            text = query.format(keys="= ANY(%b::text[])", prefix=self.prefix)
            self._execute(text, (list(keys),))
        rows: list[Any] = self._cursor.fetchall()
        return rows

    def select(self, query: str) -> list[Any]:
        """The rows of a query."""
        self._execute(query, ())
        rows: list[Any] = self._cursor.fetchall()
        return rows

    def execute(self, statement: str, parameters: Sequence[Any]) -> None:
        """Does what one statement says; ``{}`` in it stands for a parameter."""
        self._execute(statement.replace("{}", "?" if self.is_sqlite else "%b"), parameters)

    def _execute(self, statement: str, parameters: Sequence[Any]) -> None:
        with raising_as_usual(self.connection):
            self._cursor.execute(statement, parameters)


# Every part of a statement comes from the schema and from constants of this code, none from a caller.


@cache
def _insert_rows(table: Table, prefix: str, on_conflict: str, count: int) -> str:
    row = f"({', '.join('?' for _ in table.columns)})"
    return f"{_insert_into(table, prefix)} VALUES {', '.join([row] * count)} {on_conflict}"


@cache
def _insert_arrays(table: Table, prefix: str, on_conflict: str) -> str:
    arrays = ", ".join(f"%b::{ARRAY_TYPES[str(column.type)]}" for column in table.columns)
    return f"{_insert_into(table, prefix)} SELECT * FROM unnest({arrays}) {on_conflict}"  # noqa: S608


def _insert_into(table: Table, prefix: str) -> str:
    return f"INSERT INTO {prefix}{table.name} AS t ({', '.join(column.name for column in table.columns)})"
