"""Rows straight from the driver are plain tuples, a page at a time, and errors are what SQLAlchemy makes of them."""

from contextlib import closing

import pytest
from sqlalchemy.exc import DBAPIError, OperationalError, ProgrammingError

from zhangfang.store.fetching import fetch_all, fetch_pages

NUMBERS = (
    "WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 7) SELECT n FROM numbers"
)


def test_all_rows_are_plain_tuples(database):
    with database.read() as connection:
        rows = fetch_all(connection, NUMBERS)

    assert rows == [(number,) for number in range(1, 8)]
    assert {type(row) for row in rows} == {tuple}


def test_pages_are_as_long_as_asked_for_but_the_last(database):
    with database.read() as connection:
        pages = list(fetch_pages(connection, NUMBERS, 3))

    assert [len(page) for page in pages] == [3, 3, 1]


def test_two_queries_are_read_side_by_side_and_may_be_left_early(database):
    with (
        database.read() as connection,
        closing(fetch_pages(connection, NUMBERS, 2)) as one,
        closing(fetch_pages(connection, NUMBERS, 3)) as other,
    ):
        assert next(one) + next(other) + next(one) == [(1,), (2,), (1,), (2,), (3,), (3,), (4,)]


def test_an_error_of_the_driver_is_one_of_sqlalchemy_and_hides_nothing_of_its_text(database):
    with database.read() as connection, pytest.raises((ProgrammingError, OperationalError), match="nowhere") as raised:
        fetch_all(connection, "SELECT 1 FROM nowhere")

    assert isinstance(raised.value, DBAPIError)
    assert not raised.value.connection_invalidated
