"""Whatever is changed in the log behind the house's back is found, and the first place where it shows is named."""

import pytest

from tests.audit.findings import EVEN, ODD, first_settled, found, head, places, stored_rows
from tests.audit.tampering import (
    chain_again,
    delete_events,
    delete_row,
    edit_body,
    insert_event,
    raise_an_amount,
    set_event,
    set_head,
    spoil_column,
    swap_events,
    tamper,
)
from zhangfang.audit.verify import DISCREPANCIES_MAX
from zhangfang.audit.walk import Walk
from zhangfang.contract import sealed
from zhangfang.store.schema import log_head
from zhangfang.wire.v1 import events_pb2


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


def spoil_the_judgement(message):
    message.judgement = b"\xff"


def test_a_judgement_that_cannot_be_read_is_found_though_the_chain_fits(played):
    position = first_settled(played)
    tamper(played, edit_body(position, spoil_the_judgement, sealed.HandSettled), chain_again)

    finding = found(played)

    assert finding.discrepancies[0].position == position
    assert finding.discrepancies[0].text.startswith("no 'HandSettled' can be read from the stored bytes: DecodeError")


def hold_too_much(message):
    for _ in range(2):
        message.holds.add(player_id="张三", change=2**63 - 1)


def test_a_log_that_cannot_be_folded_is_found(played):
    position = first_settled(played)
    tamper(played, edit_body(position, hold_too_much, events_pb2.HandSettled), chain_again)

    finding = found(played)

    assert "cannot be folded" in finding.discrepancies[0].text
    assert finding.discrepancies[0].position <= position


@pytest.mark.parametrize("column", ["position", "hash", "recorded_at_us"])
def test_an_edited_head_is_found(played, column):
    tamper(played, spoil_column(log_head, column))

    assert places(found(played)) == [("log", len(stored_rows(played)))]


def test_a_head_that_was_deleted_is_found(played):
    tamper(played, delete_row(log_head))

    assert found(played).discrepancies[0].text.startswith("the row of the log's head is missing")
