"""SQLite lets any column hold anything, and its file may break: that is found too."""

import pytest
from sqlalchemy import select

from tests.audit.findings import ODD, found, places, stored_rows
from tests.audit.tampering import broken_page, loosen, spoiled, tamper, write_raw
from zhangfang.store.schema import events


@pytest.mark.parametrize(
    "edit", ["CAST(x'ff41' AS TEXT)", "5", "x'00'", "NULL"], ids=["text", "number", "bytes", "null"]
)
@pytest.mark.parametrize("column", ["stream", "topic", "body", "hash", "version", "recorded_at_us"])
def test_the_embedded_store_may_hold_anything_in_any_column(played_sqlite, column, edit):
    if edit == "NULL":
        tamper(played_sqlite, loosen("events"))
    tamper(played_sqlite, write_raw("events", column, edit, f"position = {ODD}"))

    assert places(found(played_sqlite))[0] == ("log", ODD)


def test_a_position_that_is_no_number_is_found(played_sqlite):
    tamper(played_sqlite, write_raw("events", "position", "'x'", f"position = {ODD}"))

    assert places(found(played_sqlite))[0] == ("log", ODD)


@pytest.mark.parametrize("expression", ["CAST(x'ff00fe' AS TEXT)", "x'ff00fe'"], ids=["text", "bytes"])
@pytest.mark.parametrize(
    ("table", "column", "condition"),
    [
        ("players", "display_name", "player_id = '张三'"),
        ("players", "player_id", "player_id = '张三'"),
        ("entries", "amount", "position = 2 AND line = 1"),
        ("entries", "position", "position = 2 AND line = 1"),
        ("tables", "is_open", "table_id = '轮庄'"),
        ("hands", "state", "hand_id = 'bb-1'"),
    ],
)
def test_a_projection_of_the_embedded_store_may_hold_anything(played_sqlite, table, column, condition, expression):
    tamper(played_sqlite, write_raw(table, column, expression, condition))

    finding = found(played_sqlite)

    assert not finding.is_sound
    assert all(each.text.startswith(f"{table} ") for each in finding.discrepancies)


def test_a_page_that_is_broken_on_disk_is_found(played_sqlite):
    with broken_page(played_sqlite, "events") as reopened:
        finding = found(reopened)

    assert "the database cannot be read" in finding.discrepancies[0].text


@pytest.mark.parametrize("column", ["position", "hash", "recorded_at_us"])
def test_the_head_of_the_embedded_store_may_hold_anything(played_sqlite, column):
    tamper(played_sqlite, write_raw("log_head", column, "'x'", "id = 1"))

    assert places(found(played_sqlite)) == [("log", len(stored_rows(played_sqlite)))]


@pytest.mark.parametrize(("gone", "twice"), [("东", "南"), ("南", "东")])
def test_a_table_without_its_key_that_holds_one_row_twice_instead_of_another_is_found(played_sqlite, gone, twice):
    tamper(
        played_sqlite,
        loosen("players"),
        lambda connection: connection.exec_driver_sql("DELETE FROM players WHERE player_id = ?", (gone,)),
        lambda connection: connection.exec_driver_sql(
            "INSERT INTO players SELECT * FROM players WHERE player_id = ?", (twice,)
        ),
    )

    texts = [each.text for each in found(played_sqlite).discrepancies]

    assert len(texts) == 2
    assert any(text.startswith(f"players {gone}: the row is missing") for text in texts)
    assert any(text.startswith(f"players {twice}: nothing in the log makes this row") for text in texts)


def test_spoiled_values_are_other_values(played_sqlite):
    with played_sqlite.read() as connection:
        row = connection.execute(select(events).limit(1)).one()

    assert all(spoiled(value) != value for value in row)
