"""Streams folded: a table and a hand are what their events say; an event that does not belong there is a mistake."""

from dataclasses import replace

import pytest

from tests.callers import bet, close_table, finish, open_hand, reverse, three_pots, void
from tests.domain.desk import Desk
from zhangfang.domain.events import DomainEvent, HandReplaced, TableClosed
from zhangfang.domain.hands import HandState, evolve_hand, project_hand
from zhangfang.domain.tables import evolve_table, project_table


def stream(desk: Desk, name: str) -> list[DomainEvent]:
    return [event for event in desk.log if event.originator_id == name]


def test_a_hand_is_the_fold_of_its_stream(desk: Desk) -> None:
    desk.do(open_hand("h", "Z"), bet("h", "A", 3), bet("h", "A", 4), finish("h"), reverse("h"))
    desk.do(open_hand("i", "Z", replaces="h"), void("i"), three_pots("j", "AB"))

    for hand_id in "hij":
        assert project_hand(None, stream(desk, f"hand/{hand_id}")) == desk.books.hand(hand_id)
    assert project_hand(None, []) is None


def test_a_hand_is_dated_by_what_settled_it(desk: Desk) -> None:
    desk.do(open_hand("h", "Z"), bet("h", "A", 3))
    settled = desk.do(finish("h"))[0]
    reversal = desk.do(reverse("h"))[0]

    hand = desk.books.hand("h")

    assert (hand.state, hand.version) == (HandState.REVERSED, reversal.originator_version)
    assert (hand.position, hand.recorded_at_us) == (settled.position, settled.recorded_at_us)
    assert hand.reversal_position == reversal.position


def test_a_table_is_the_fold_of_its_stream(desk: Desk) -> None:
    desk.do(close_table("T"))

    table = project_table(None, stream(desk, "table/T"))

    assert table == desk.books.table("T")
    assert table is not None
    assert not table.is_open
    assert table.closed_at_us > table.opened_at_us
    assert project_table(None, []) is None


def test_an_event_that_does_not_belong_to_a_stream_is_a_mistake(desk: Desk) -> None:
    closed = desk.do(close_table("T"))[0]
    settled = desk.do(open_hand("h", "Z"), bet("h", "A", 3))[0]
    replaced = HandReplaced(
        originator_id="hand/x",
        originator_version=1,
        metadata=closed.metadata,
        hand_id="x",
        table_id="T",
        game="bi_ji",
        by_hand_id="y",
    )

    for hand, event in ((None, closed), (None, settled), (None, replaced), (desk.books.hand("h"), closed)):
        with pytest.raises(AssertionError, match="does not belong"):
            evolve_hand(hand, event)
    for event in (settled, replace(closed)):
        with pytest.raises(AssertionError, match="does not belong"):
            evolve_table(None, event)
    assert isinstance(closed, TableClosed)
