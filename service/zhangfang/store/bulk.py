"""Many rows in one statement: the only way the hot path writes.

SQLite gets one prepared statement executed for all rows, PostgreSQL one statement over binary arrays.
"""

from collections.abc import Sequence
from functools import cache
from typing import Any

from sqlalchemy import Connection, Table

ARRAY_TYPES = {"BIGINT": "int8[]", "TEXT": "text[]", "BLOB": "bytea[]", "BYTEA": "bytea[]", "BOOLEAN": "bool[]"}


class Sink:
    """Where projections write: the live tables, or with a prefix the ones of a rebuild beside them."""

    def __init__(self, connection: Connection, prefix: str = "") -> None:
        self.connection = connection
        self.prefix = prefix
        self.is_sqlite = connection.dialect.name == "sqlite"

    def insert(self, table: Table, rows: Sequence[Sequence[Any]], on_conflict: str = "") -> None:
        """Inserts rows, each in the order of the table's columns.

        ``on_conflict`` is what follows the rows, e.g. ``ON CONFLICT (account) DO UPDATE SET held = t.held +
        excluded.held``; ``t`` is the table itself, ``excluded`` the row that did not go in.
        """
        if not rows:
            return
        statement = _insert_statement(table, self.prefix, on_conflict, self.is_sqlite)
        if self.is_sqlite:
            self.connection.exec_driver_sql(statement, [tuple(row) for row in rows])
        else:
            self.connection.exec_driver_sql(statement, tuple([list(column) for column in zip(*rows, strict=True)]))

    def select_in(self, query: str, keys: Sequence[str]) -> list[Any]:
        """The rows of ``query`` for a list of text keys; ``{keys}`` in it stands for the condition's right side.

        E.g. ``SELECT account, held FROM {prefix}accounts WHERE account {keys}``.
        """
        if not keys:
            return []
        rows: list[Any] = []
        if self.is_sqlite:
            # SQLite has a limit on parameters a statement; a JSON array is one parameter however many keys there are.
            import json

            text = query.format(keys="IN (SELECT value FROM json_each(?))", prefix=self.prefix)
            rows.extend(self.connection.exec_driver_sql(text, (json.dumps(keys),)).all())
        else:
            text = query.format(keys="= ANY(%b::text[])", prefix=self.prefix)
            rows.extend(self.connection.exec_driver_sql(text, (list(keys),)).all())
        return rows


@cache
def _insert_statement(table: Table, prefix: str, on_conflict: str, is_sqlite: bool) -> str:  # noqa: FBT001
    # Every part of the statement comes from the schema and from constants of this code, none from a caller.
    columns = ", ".join(column.name for column in table.columns)
    head = f"INSERT INTO {prefix}{table.name} AS t ({columns})"
    if is_sqlite:
        marks = ", ".join("?" for _ in table.columns)
        return f"{head} VALUES ({marks}) {on_conflict}"
    arrays = ", ".join(f"%b::{ARRAY_TYPES[str(column.type)]}" for column in table.columns)
    return f"{head} SELECT * FROM unnest({arrays}) {on_conflict}"  # noqa: S608
