"""Whatever is changed behind the house's back is found, and the first place where it shows is named."""

from contextlib import closing

import pytest
from sqlalchemy import select

from tests.audit.evening import Evening
from tests.audit.tampering import (
    chain_again,
    delete_events,
    delete_row,
    edit_body,
    insert_event,
    insert_row,
    set_event,
    set_head,
    spoil_column,
    spoiled,
    swap_events,
    tamper,
    write_raw,
)
from zhangfang.audit.fold import Requests
from zhangfang.audit.verify import DISCREPANCIES_MAX, Finding, Progress, verify
from zhangfang.audit.view import whole_view
from zhangfang.audit.walk import Walk
from zhangfang.contract.judging import WireScribe
from zhangfang.domain.books import Books
from zhangfang.domain.commands import RegisterPlayer
from zhangfang.domain.decide import decide
from zhangfang.domain.events import EVENT_TYPES, Metadata, PlayerRegistered
from zhangfang.errors import Reason, Refusal
from zhangfang.projections import PROJECTIONS
from zhangfang.store.chain import GENESIS
from zhangfang.store.database import Database
from zhangfang.store.log import StoredRow, read_head, read_rows
from zhangfang.store.schema import PROJECTION_TABLES, events, log_head
from zhangfang.wire.v1 import events_pb2

ODD, EVEN = 41, 42
"""Two events in the middle of the evening, next to each other."""

COLUMNS = [(table, column.name) for table in PROJECTION_TABLES for column in table.columns]


def found(database: Database) -> Finding:
    """What a verification finds."""
    *_, finding = verify(database)
    assert isinstance(finding, Finding)
    return finding


def places(finding: Finding) -> list[tuple[str, int]]:
    """Where it is wrong."""
    return [(each.place, each.position) for each in finding.discrepancies]


def stored_rows(database: Database) -> list[StoredRow]:
    with database.read() as connection:
        return read_rows(connection, 0, 10_000)


def head(database: Database):
    with database.read() as connection:
        return read_head(connection)


def test_an_evening_with_every_kind_of_event_is_sound(played):
    steps = list(verify(played))

    finding = steps[-1]
    assert finding == Finding(head(played).position, head(played).hash)
    assert finding.is_sound
    assert all(isinstance(step, Progress) for step in steps[:-1])
    assert {row.topic for row in stored_rows(played)} == {event.TOPIC for event in EVENT_TYPES}


def test_an_empty_log_is_sound(database):
    assert found(database) == Finding(0, GENESIS)


@pytest.mark.parametrize("batch_events", [1, 2, 3, 7])
def test_the_fold_is_the_same_in_batches_of_any_size(played_sqlite, batch_events, monkeypatch):
    monkeypatch.setattr("zhangfang.audit.verify.BATCH_EVENTS", batch_events)

    assert found(played_sqlite).is_sound


def test_every_single_bit_of_an_event_is_bound_by_the_chain(played_sqlite):
    rows = stored_rows(played_sqlite)
    walk = Walk()
    walk.take(rows[: ODD - 1])
    row = rows[ODD - 1]
    numbers = [row._replace(**{name: getattr(row, name) ^ 1 << bit}) for name in ("version",) for bit in range(63)]
    times = [row._replace(recorded_at_us=row.recorded_at_us ^ 1 << bit) for bit in range(63)]
    flipped = {
        name: [
            value[:index] + bytes([value[index] ^ 1 << bit]) + value[index + 1 :]
            for index in range(len(value))
            for bit in range(8)
        ]
        for name, value in (
            ("body", row.body),
            ("hash", row.hash),
            ("topic", row.topic.encode()),
            ("stream", row.stream.encode()),
        )
    }
    texts = [
        row._replace(**{name: value.decode("utf-8", "surrogateescape")})
        for name in ("topic", "stream")
        for value in flipped[name]
    ]
    binaries = [row._replace(**{name: value}) for name in ("body", "hash") for value in flipped[name]]

    for spoiled_row in (*numbers, *times, *texts, *binaries):
        again = Walk(walk.end)
        _, wrong = again.take([spoiled_row])
        assert wrong
        assert wrong[0].position == ODD


EVENT_EDITS = {
    "stream": [set_event(ODD, stream="player/nobody")],
    "version": [set_event(ODD, version=77)],
    "topic": [set_event(ODD, topic="TableClosed")],
    "time": [set_event(ODD, recorded_at_us=1)],
    "body": [set_event(ODD, body=b"\x0a\x00")],
    "hash": [set_event(ODD, hash=bytes(32))],
    "position": [set_event(ODD, position=10_000)],
    "removed": [delete_events(ODD, ODD)],
    "some removed": [delete_events(ODD, ODD + 5)],
    "reordered": [swap_events(ODD, EVEN)],
    "removed, chained again": [delete_events(ODD, ODD), chain_again],
    "unknown topic, chained again": [set_event(ODD, topic="Cheated"), chain_again],
    "unreadable, chained again": [set_event(ODD, body=b"\xff\xff"), chain_again],
    "other stream, chained again": [set_event(ODD, stream="hand/other"), chain_again],
    "version skipped, chained again": [set_event(ODD, version=77), chain_again],
    "clock stepped back, chained again": [set_event(ODD, recorded_at_us=1), chain_again],
    "topic of another event, chained again": [set_event(ODD, topic="TableClosed"), chain_again],
}


@pytest.mark.parametrize("name", EVENT_EDITS)
def test_an_edited_event_is_found_at_its_position(played, name):
    tamper(played, *EVENT_EDITS[name])

    finding = found(played)

    assert finding.discrepancies[0].place == "log"
    assert finding.discrepancies[0].position == ODD


def test_the_first_and_the_last_event_are_watched_too(played):
    last = head(played).position
    tamper(played, delete_events(last, last))
    assert places(found(played))[:2] == [("log", last - 1), ("log", last - 1)]

    tamper(played, delete_events(1, 1))
    assert places(found(played))[0] == ("log", 1)


def test_a_log_that_was_emptied_is_found(played):
    tamper(played, delete_events(1, 10_000))

    finding = found(played)

    assert finding.discrepancies[0].text.startswith("the log's head has position")
    assert len(finding.discrepancies) == DISCREPANCIES_MAX


@pytest.mark.parametrize("position", [0, -5])
def test_an_event_before_the_first_position_is_found(played, position):
    tamper(played, insert_event(like=1, position=position, version=99))

    assert places(found(played)) == [("log", position)]


def test_an_event_put_behind_the_last_is_found_by_the_head(played):
    last = head(played).position
    tamper(played, insert_event(like=last, position=last + 1, version=99))

    assert places(found(played))[0] == ("log", last + 1)


def test_an_event_put_behind_the_last_and_chained_is_found_by_the_books(played):
    first_deposit = next(row for row in stored_rows(played) if row.topic == "SilverDeposited")
    last = head(played)

    def deposit_again(message):
        message.metadata.request_id = "forged"

    tamper(
        played,
        insert_event(
            like=first_deposit.position,
            position=last.position + 1,
            stream="transfer/forged",
            recorded_at_us=last.recorded_at_us + 1,
        ),
        edit_body(last.position + 1, deposit_again, events_pb2.SilverDeposited),
        chain_again,
    )

    finding = found(played)

    assert finding.discrepancies[0].position == last.position + 1
    assert "after it is" in finding.discrepancies[0].text
    assert {each.place for each in finding.discrepancies} == {"log", "accounts", "entries", "requests"}


def test_a_truncation_whose_head_was_edited_is_found_by_the_books(played):
    rows = stored_rows(played)
    cut, end = rows[-6], rows[-1]
    tamper(
        played,
        delete_events(cut.position + 1, end.position),
        set_head(position=cut.position, hash=cut.hash, recorded_at_us=cut.recorded_at_us),
    )

    finding = found(played)

    assert not finding.is_sound
    assert all(each.place != "log" for each in finding.discrepancies)
    assert {"accounts", "entries", "requests"} <= {each.place for each in finding.discrepancies}


def first_settled(database: Database) -> int:
    return next(row.position for row in stored_rows(database) if row.topic == "HandSettled")


def raise_an_amount(message):
    message.postings[0].amount += 1


def raise_a_balance(message):
    message.postings[0].balance_after += 1


def rename_an_account(message):
    message.postings[0].account = "system/pocket"


def repeat_a_request(message):
    message.metadata.request_id = "req-00001"


@pytest.mark.parametrize(
    ("change", "text"),
    [
        pytest.param(raise_an_amount, "the postings sum to 1 silver instead of 0", id="amount"),
        pytest.param(raise_a_balance, "its postings make it", id="balance"),
        pytest.param(rename_an_account, "'system/pocket' is no account", id="account"),
        pytest.param(repeat_a_request, "request 'req-00001' was answered at position 1 already", id="request"),
    ],
)
def test_an_event_that_does_not_add_up_is_found_though_the_chain_fits(played, change, text):
    position = first_settled(played)
    tamper(played, edit_body(position, change, events_pb2.HandSettled), chain_again)

    finding = found(played)

    assert finding.discrepancies[0].position == position
    assert text in finding.discrepancies[0].text


@pytest.mark.parametrize("column", ["position", "hash", "recorded_at_us"])
def test_an_edited_head_is_found(played, column):
    tamper(played, spoil_column(log_head, column))

    assert places(found(played)) == [("log", len(stored_rows(played)))]


def test_a_head_that_was_deleted_is_found(played):
    tamper(played, delete_row(log_head))

    assert found(played).discrepancies[0].text.startswith("the row of the log's head is missing")


@pytest.mark.parametrize(("table", "column"), [pytest.param(*each, id=f"{each[0].name}.{each[1]}") for each in COLUMNS])
def test_every_column_of_every_projection_is_compared(played, table, column):
    tamper(played, spoil_column(table, column))

    finding = found(played)

    projection = next(each.name for each in PROJECTIONS if table in each.tables)
    is_key = column in table.primary_key.columns
    assert [each.place for each in finding.discrepancies] == [projection] * (2 if is_key else 1)
    assert all(each.text.startswith(f"{table.name} ") for each in finding.discrepancies)
    assert is_key or f"{column} is " in finding.discrepancies[0].text


@pytest.mark.parametrize("table", PROJECTION_TABLES, ids=lambda table: table.name)
@pytest.mark.parametrize(
    ("edit", "text"),
    [
        pytest.param(delete_row, "the row is missing", id="deleted"),
        pytest.param(insert_row, "nothing in the log makes this row", id="inserted"),
    ],
)
def test_a_row_too_few_or_too_many_is_found(played, table, edit, text):
    tamper(played, edit(table))

    finding = found(played)

    assert len(finding.discrepancies) == 1
    assert text in finding.discrepancies[0].text


@pytest.mark.parametrize(
    "edit", ["CAST(x'ff41' AS TEXT)", "5", "x'00'", "NULL"], ids=["text", "number", "bytes", "null"]
)
@pytest.mark.parametrize("column", ["stream", "topic", "body", "hash", "version", "recorded_at_us"])
def test_the_embedded_store_may_hold_anything_in_any_column(played_sqlite, column, edit):
    if edit == "NULL":
        rebuild_without_constraints(played_sqlite)
    tamper(played_sqlite, write_raw("events", column, edit, f"position = {ODD}"))

    assert places(found(played_sqlite))[0] == ("log", ODD)


def rebuild_without_constraints(database: Database) -> None:
    """The table of events without what the schema forbids."""
    for statement in (
        "CREATE TABLE loose AS SELECT * FROM events",
        "DROP TABLE events",
        "ALTER TABLE loose RENAME TO events",
    ):
        tamper(database, lambda connection, statement=statement: connection.exec_driver_sql(statement))


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
    path = played_sqlite.sqlite_path
    played_sqlite.close()
    content = bytearray(path.read_bytes())
    with Database(played_sqlite.url.render_as_string()).read() as connection:
        root = connection.exec_driver_sql("SELECT rootpage FROM sqlite_master WHERE name = 'events'").scalar_one()
    content[(root - 1) * 4096 : (root - 1) * 4096 + 8] = b"\xff" * 8
    path.write_bytes(content)

    reopened = Database(played_sqlite.url.render_as_string())
    finding = found(reopened)
    reopened.close()

    assert "the database cannot be read" in finding.discrepancies[0].text


def test_a_verification_sees_one_moment_while_the_house_goes_on(played):
    tamper_later = set_event(ODD, hash=bytes(32))
    with closing(verify(played)) as steps:
        next(steps)
        tamper(played, tamper_later, spoil_column(PROJECTION_TABLES[1], "balance"))
        *_, finding = steps

    assert finding.is_sound
    assert not found(played).is_sound


def test_a_verification_that_is_left_early_leaves_nothing_behind(played):
    for _ in range(20):
        with closing(verify(played)) as steps:
            next(steps)

    assert found(played).is_sound


def test_spoiled_values_are_other_values(played_sqlite):
    with played_sqlite.read() as connection:
        row = connection.execute(select(events).limit(1)).one()

    assert all(spoiled(value) != value for value in row)


def register_and_fail(evening: Evening) -> None:
    """An append that comes as far as the commit, and no further."""
    with evening.house.recorder.transaction() as transaction:
        books = Books(WireScribe(), "test")
        for event in decide(books, RegisterPlayer(request=evening.request(), player_id="gone")):
            event.take_place(transaction.position + 1, transaction.next_time_us())
            evening.house.save(event, transaction=transaction)
        raise ZeroDivisionError


def test_appends_that_were_rolled_back_leave_neither_gap_nor_trace(played):
    evening = Evening(played, first_number=5_000)
    before = head(played)
    for _ in range(3):
        with pytest.raises(ZeroDivisionError):
            register_and_fail(evening)
        assert head(played) == before
        evening.fund(3, f"stays {before.position}")
        before = head(played)

    assert found(played).is_sound
    assert [row.position for row in stored_rows(played)] == list(range(1, before.position + 1))


def test_a_verification_may_take_longer_than_a_request(played_postgresql):
    with whole_view(played_postgresql) as view:
        for setting, lifted in (("statement_timeout", "1h"), ("idle_in_transaction_session_timeout", "0")):
            assert view.exec_driver_sql(f"SHOW {setting}").scalar_one() == lifted

    with played_postgresql.read() as connection:
        assert connection.exec_driver_sql("SHOW statement_timeout").scalar_one() == "30s"


def hold_too_much(message):
    for _ in range(2):
        message.holds.add(player_id="张三", change=2**63 - 1)


def test_a_log_that_cannot_be_folded_is_found(played):
    position = first_settled(played)
    tamper(played, edit_body(position, hold_too_much, events_pb2.HandSettled), chain_again)

    finding = found(played)

    assert "cannot be folded" in finding.discrepancies[0].text
    assert finding.discrepancies[0].position <= position


def test_a_database_that_goes_away_is_no_finding(played_postgresql, postgresql, monkeypatch):
    monkeypatch.setattr("zhangfang.audit.verify.BATCH_EVENTS", 5)
    steps = verify(played_postgresql)
    next(steps)
    postgresql.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'zhangfang'")

    with pytest.raises(Refusal) as raised:
        list(steps)

    assert raised.value.reason is Reason.STORE_UNAVAILABLE


@pytest.mark.parametrize("column", ["position", "hash", "recorded_at_us"])
def test_the_head_of_the_embedded_store_may_hold_anything(played_sqlite, column):
    tamper(played_sqlite, write_raw("log_head", column, "'x'", "id = 1"))

    assert places(found(played_sqlite)) == [("log", len(stored_rows(played_sqlite)))]


def test_a_request_without_end_does_not_fill_the_memory(monkeypatch):
    monkeypatch.setattr("zhangfang.audit.fold.REQUEST_EVENTS_MAX", 10)
    metadata = Metadata("", "the same", b"", None, "")
    event = PlayerRegistered(
        originator_id="player/x", originator_version=1, metadata=metadata, player_id="x", display_name=""
    )
    requests = Requests()

    taken = [len(requests.whole([event] * 4)) for _ in range(6)]

    assert taken == [0, 0, 12, 0, 0, 12]
    assert requests.rest() == []
