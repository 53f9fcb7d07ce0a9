"""Projections made anew are what they were; what had been edited is told and mended."""

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import inspect

from tests.audit.evening import Evening, play
from tests.audit.findings import COLUMNS, ODD, first_settled, found
from tests.audit.tampering import (
    broken_page,
    chain_again,
    delete_events,
    delete_row,
    edit_body,
    insert_row,
    raise_an_amount,
    set_event,
    set_head,
    spoil_column,
    tamper,
    write_raw,
)
from zhangfang.audit.findings import Progress, UnsoundLogError
from zhangfang.audit.rebuild import PREFIX, Rebuild, Rebuilt, rebuild
from zhangfang.audit.receipts import head
from zhangfang.errors import Reason, Refusal
from zhangfang.projections import PROJECTIONS
from zhangfang.store.database import Database, StoreError
from zhangfang.store.schema import PROJECTION_TABLES, level_points, metadata
from zhangfang.wire.v1.events_pb2 import HandSettled


def rebuilt(database: Database) -> Rebuilt:
    """What a rebuild tells."""
    *_, end = rebuild(database)
    assert isinstance(end, Rebuilt)
    return end


def contents(database: Database) -> dict[str, list[tuple[object, ...]]]:
    with database.read() as connection:
        return {
            table.name: [tuple(row) for row in connection.execute(table.select().order_by(*table.primary_key))]
            for table in PROJECTION_TABLES
        }


def names(database: Database) -> set[str]:
    """The names of all tables, indexes and keys."""
    with database.read() as connection:
        inspector = inspect(connection)
        tables = inspector.get_table_names()
        indexes = [index["name"] for table in tables for index in inspector.get_indexes(table)]
        keys = [inspector.get_pk_constraint(table)["name"] for table in tables]
    return {str(name) for name in (*tables, *indexes, *keys)}


def test_rebuilt_projections_are_the_same_and_so_are_all_names(played):
    before, named = contents(played), names(played)

    assert rebuilt(played) == Rebuilt(head(played).position)

    assert contents(played) == before
    assert names(played) == named
    with played.read() as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []


def test_it_can_be_done_again_and_the_house_goes_on(played):
    evening = Evening(played, first_number=5_000)

    for number in range(3):
        assert rebuilt(played).discrepancies == ()
        evening.fund(10, f"guest {number}")

    assert found(played).is_sound


def test_an_empty_log_makes_empty_projections(database):
    assert rebuilt(database) == rebuilt(database) == Rebuilt(0)
    play(database)
    assert found(database).is_sound


@pytest.mark.parametrize("batch_events", [1, 2, 3])
def test_a_request_is_never_split_however_small_the_batches_are(played_sqlite, batch_events, monkeypatch):
    monkeypatch.setattr("zhangfang.audit.rebuild.BATCH_EVENTS", batch_events)

    assert rebuilt(played_sqlite).discrepancies == ()


@pytest.mark.parametrize(("table", "column"), [pytest.param(*each, id=f"{each[0].name}.{each[1]}") for each in COLUMNS])
def test_what_was_edited_is_told_and_mended(played_sqlite, table, column):
    before = contents(played_sqlite)
    tamper(played_sqlite, spoil_column(table, column))

    told = rebuilt(played_sqlite).discrepancies

    projection = next(each.name for each in PROJECTIONS if table in each.tables)
    assert {each.place for each in told} == {projection}
    assert contents(played_sqlite) == before


@pytest.mark.parametrize("edit", [delete_row, insert_row])
def test_rows_too_few_or_too_many_are_told_and_mended(played, edit):
    before = contents(played)
    for table in PROJECTION_TABLES:
        tamper(played, edit(table))

    told = rebuilt(played).discrepancies

    assert len(told) == len(PROJECTION_TABLES)
    assert contents(played) == before


@pytest.mark.parametrize(
    "edit",
    [
        pytest.param(lambda last: delete_events(last, last), id="the last event is gone"),
        pytest.param(lambda _: set_head(hash=b"\0" * 32), id="another hash"),
    ],
)
def test_nothing_is_made_from_a_log_that_does_not_end_where_its_head_says(played, edit):
    before = contents(played)
    tamper(played, edit(head(played).position))

    with pytest.raises(UnsoundLogError, match="the log's head has"):
        list(rebuild(played))

    assert contents(played) == before


@pytest.mark.parametrize(
    "edits",
    [
        pytest.param(lambda position: [set_event(position, recorded_at_us=1)], id="chain"),
        pytest.param(lambda position: [edit_body(position, raise_an_amount, HandSettled), chain_again], id="postings"),
    ],
)
def test_nothing_is_made_from_a_log_that_was_tampered_with(played, edits):
    before, position = contents(played), first_settled(played)
    tamper(played, *edits(position))

    with pytest.raises(UnsoundLogError) as raised:
        list(rebuild(played))

    assert raised.value.discrepancy.position == position
    assert contents(played) == before
    assert not any(name.startswith(PREFIX) for name in names(played))


@pytest.mark.parametrize("expression", ["CAST(x'ff41' AS TEXT)", "'text'", "5"])
@pytest.mark.parametrize("column", ["stream", "body", "hash"])
def test_a_row_that_holds_anything_is_named_as_a_verification_names_it(played_sqlite, column, expression):
    tamper(played_sqlite, write_raw("events", column, expression, f"position = {ODD}"))

    with pytest.raises(UnsoundLogError) as raised:
        list(rebuild(played_sqlite))

    assert raised.value.discrepancy == found(played_sqlite).discrepancies[0]


def test_a_page_that_is_broken_on_disk_is_named_too(played_sqlite):
    with (
        broken_page(played_sqlite, "events") as reopened,
        pytest.raises(UnsoundLogError, match="the database cannot be read"),
    ):
        list(rebuild(reopened))


def test_only_one_rebuild_runs_at_a_time(played):
    steps = rebuild(played)
    next(steps)

    with pytest.raises(StoreError, match="another rebuild of this database is running"):
        list(rebuild(played))

    steps.close()
    assert rebuilt(played).discrepancies == ()


def test_what_the_house_writes_during_a_rebuild_is_in_it(played):
    evening = Evening(played, first_number=5_000)
    for number, step in enumerate(rebuild(played)):
        if isinstance(step, Progress):
            evening.fund(7, f"came in between {number}")

    assert step.discrepancies == ()
    assert step.position == head(played).position
    assert found(played).is_sound


def test_leftovers_of_a_rebuild_that_was_killed_are_in_nobodys_way(played):
    tamper(played, lambda connection: connection.exec_driver_sql(f"CREATE TABLE {PREFIX}accounts (x TEXT)"))

    assert rebuilt(played).discrepancies == ()


def test_a_reader_that_holds_on_to_the_old_tables_is_waited_for_and_not_for_ever(played_postgresql, monkeypatch):
    monkeypatch.setattr("zhangfang.audit.rebuild.SWAP_LOCK_MILLISECONDS", 50)
    before = contents(played_postgresql)

    with played_postgresql.read() as connection:
        connection.exec_driver_sql("SELECT 1 FROM accounts LIMIT 0")
        with pytest.raises(Refusal) as raised:
            list(rebuild(played_postgresql))

    assert raised.value.reason is Reason.STORE_UNAVAILABLE
    assert contents(played_postgresql) == before
    assert rebuilt(played_postgresql).discrepancies == ()


@pytest.mark.parametrize("batch_events", [1, 2, 2000])
def test_rows_that_differ_only_because_the_house_went_on_are_not_told(played, batch_events, monkeypatch):
    monkeypatch.setattr("zhangfang.audit.rebuild.BATCH_EVENTS", batch_events)
    tamper(played, spoil_column(level_points, "points"))
    rebuilding = Rebuild(played)
    rebuilding._make_tables()
    list(rebuilding._follow())
    Evening(played, first_number=5_000).fund(9, "came during the comparison", "and another")
    rebuilding._compare()
    assert len(rebuilding._candidates) > 1

    told = rebuilding._swap_in()

    assert [each.text.split()[0] for each in told] == ["level_points"]
    assert found(played).is_sound


def test_only_so_much_is_told_but_all_is_mended(played_sqlite, monkeypatch):
    monkeypatch.setattr("zhangfang.audit.rebuild.REPORTED_MAX", 3)
    before = contents(played_sqlite)
    tamper(played_sqlite, lambda connection: connection.exec_driver_sql("UPDATE accounts SET balance = 1"))

    assert len(rebuilt(played_sqlite).discrepancies) == 3
    assert contents(played_sqlite) == before
