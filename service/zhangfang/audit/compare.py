"""Two tables that should hold the same rows, merged along their primary key; what differs is named."""

from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import chain
from typing import Any

from sqlalchemy import Connection, Table, Text

from zhangfang.audit.findings import Discrepancy
from zhangfang.store.fetching import Row, fetch_pages

PAGE_ROWS = 1000
POSITION_COLUMNS = ("position", "first_position", "last_position", "opened_position", "registered_position")


@dataclass(frozen=True, slots=True)
class Difference:
    """A row that is not what the log makes of it: ``live`` is on disk, ``folded`` from the log; None is no row."""

    table: Table
    key: tuple[Any, ...]
    live: Row | None
    folded: Row | None

    @property
    def position(self) -> int:
        """The position the row names, 0 if it names none."""
        row = self.folded or self.live or ()
        values = dict(zip(self.table.columns.keys(), row, strict=True))
        position = next((values[column] for column in POSITION_COLUMNS if column in values), 0)
        return position if isinstance(position, int) else 0

    @property
    def text(self) -> str:
        """What differs, in one sentence."""
        named = f"{self.table.name} {', '.join([str(part) for part in self.key])}"
        if self.live is None:
            return f"{named}: the row is missing; the log makes it {self._shown(self.folded)}"
        if self.folded is None:
            return f"{named}: nothing in the log makes this row: {self._shown(self.live)}"
        changes = [
            f"{column} is {_show(live)}, the log makes it {_show(folded)}"
            for column, live, folded in zip(self.table.columns.keys(), self.live, self.folded, strict=True)
            if live != folded
        ]
        return f"{named}: {'; '.join(changes)}"

    def found_in(self, projection: str) -> Discrepancy:
        """The difference as an audit tells it."""
        return Discrepancy(self.position, projection, self.text)

    def _shown(self, row: Row | None) -> str:
        return ", ".join(
            [f"{name} {_show(value)}" for name, value in zip(self.table.columns.keys(), row or (), strict=True)]
        )


def is_equal(connection: Connection, table: Table, folded_prefix: str) -> bool:
    """Whether the live table and the folded one hold the same rows, found out inside the database that has both.

    Every folded row is joined with the live rows equal to it. There are as many pairs as rows on either side, and none
    is without its like: as the folded table has a key and no NULL, whatever the live one has, the rows are the same.
    """
    columns = table.columns.keys()
    same = " AND ".join([f"live.{column} = folded.{column}" for column in columns])
    live, folded = table.name, folded_prefix + table.name
    query = (
        f"SELECT (SELECT count(*) FROM {live}), (SELECT count(*) FROM {folded}), count(*), count(live.{columns[0]}) "  # noqa: S608 - names of schema.py
        f"FROM {folded} AS folded LEFT JOIN {live} AS live ON {same}"
    )
    return len(set(connection.exec_driver_sql(query).one())) == 1


def compare_table(live: Connection, folded: Connection, table: Table, folded_prefix: str = "") -> Generator[Difference]:
    """Every row that differs, in the order of the key. Memory stays flat however many rows there are."""
    if live is folded and is_equal(live, table, folded_prefix):
        return
    with (
        closing(_pages(live, table, "")) as live_pages,
        closing(_pages(folded, table, folded_prefix)) as folded_pages,
    ):
        live_page, folded_page = next(live_pages, []), next(folded_pages, [])
        # Nearly all rows are equal: that is found out first, a page at a time.
        while live_page and live_page == folded_page:
            live_page, folded_page = next(live_pages, []), next(folded_pages, [])
        yield from _merge(table, _from(live_page, live_pages), _from(folded_page, folded_pages))


def _merge(table: Table, live_rows: Iterator[Row], folded_rows: Iterator[Row]) -> Iterator[Difference]:
    key_indexes = [index for index, column in enumerate(table.columns) if column.primary_key]
    live, folded = next(live_rows, None), next(folded_rows, None)
    while live is not None or folded is not None:
        if live == folded:
            live, folded = next(live_rows, None), next(folded_rows, None)
            continue
        live_key, folded_key = _key(live, key_indexes), _key(folded, key_indexes)
        if live_key == folded_key:
            yield Difference(table, live_key, live, folded)
            live, folded = next(live_rows, None), next(folded_rows, None)
        elif folded is None or (live is not None and _order(live_key) < _order(folded_key)):
            yield Difference(table, live_key, live, None)
            live = next(live_rows, None)
        else:
            yield Difference(table, folded_key, None, folded)
            folded = next(folded_rows, None)


def read_keyed(connection: Connection, table: Table, prefix: str, key: tuple[Any, ...]) -> Row | None:
    """One row by its key."""
    mark = "?" if connection.dialect.name == "sqlite" else "%s"
    names = [column.name for column in table.columns if column.primary_key]
    condition = " AND ".join([f"{name} = {mark}" for name in names])
    columns = ", ".join(table.columns.keys())
    statement = f"SELECT {columns} FROM {prefix}{table.name} WHERE {condition}"  # noqa: S608 - names of schema.py
    row = connection.exec_driver_sql(statement, key).one_or_none()
    return tuple(row) if row else None


def _pages(connection: Connection, table: Table, prefix: str) -> Generator[list[Row]]:
    """All rows by key, as the driver gives them: a column type would hide what should not be there."""
    collation = "" if connection.dialect.name == "sqlite" else ' COLLATE "C"'
    keys = [
        column.name + (collation if isinstance(column.type, Text) else "")
        for column in table.columns
        if column.primary_key
    ]
    columns = ", ".join(table.columns.keys())
    statement = f"SELECT {columns} FROM {prefix}{table.name} ORDER BY {', '.join(keys)}"  # noqa: S608 - names of schema.py
    return fetch_pages(connection, statement, PAGE_ROWS)


def _from(page: list[Row], pages: Iterator[list[Row]]) -> Iterator[Row]:
    return chain(page, chain.from_iterable(pages))


def _key(row: Row | None, indexes: Sequence[int]) -> tuple[Any, ...]:
    return tuple([row[index] for index in indexes]) if row is not None else ()


def _order(key: tuple[Any, ...]) -> tuple[tuple[int, Any], ...]:
    """Keys as the databases sort them, also values that do not belong there: numbers, then text, then bytes."""
    return tuple([(1 if isinstance(part, str) else 2 if isinstance(part, bytes) else 0, part) for part in key])


def _show(value: Any) -> str:
    return value.hex() if isinstance(value, bytes) else repr(value) if isinstance(value, str) else str(value)
