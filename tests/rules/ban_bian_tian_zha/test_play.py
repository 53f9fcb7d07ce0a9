"""The play: who leads, whose turn it is, when a trick ends, and when the hand does."""

import pytest

from tests.rules.ban_bian_tian_zha.tables import play
from zhangfang.rules.games.ban_bian_tian_zha.record import FirstLead, LeadAfterOut


def cited(course):
    fault = course.fault
    return fault and (fault.rule, fault.action, fault.player)


HANDS = ("4s 9s 9h", "3s 5h 8h", "6c 7c 2s")


@pytest.mark.parametrize(
    ("first_lead", "leader", "expected"),
    [
        (FirstLead.ANY, "C", None),
        (FirstLead.SPADE_THREE, "B", None),
        (FirstLead.SPADE_THREE, "C", ("BB-7", 0, "C")),
        (FirstLead.BANKER, "C", None),
        (FirstLead.BANKER, "B", ("BB-7", 0, "B")),
    ],
)
def test_bb_7__the_first_lead_is_with_whom_the_house_rule_names(first_lead, leader, expected):
    lead = {"B": "B 5h", "C": "C 6c"}[leader]

    course = play(HANDS, lead, banker="C", first_lead=first_lead)

    assert (course.fault and course.fault.rule == "BB-9") if expected is None else cited(course) == expected


@pytest.mark.parametrize(
    ("plays", "expected"),
    [
        pytest.param(["A"], ("BB-7", 0, "A"), id="the leader passes"),
        pytest.param(["A 4s", "C 6c"], ("BB-7", 1, "C"), id="out of turn"),
        pytest.param(["A 4s", "C"], ("BB-7", 1, "C"), id="a pass out of turn"),
        pytest.param(["A 4s", "A 9s"], ("BB-7", 1, "A"), id="twice in a row"),
        pytest.param(["X 4s"], ("BB-7", 0, None), id="a seat where nobody sits"),
        pytest.param(["A 3s"], ("BB-7", 0, "A"), id="another player's card"),
        pytest.param(["A 4s 4s"], ("BB-7", 0, "A"), id="a card twice in one play"),
        pytest.param(["A 4x"], ("BB-7", 0, "A"), id="no card at all"),
        pytest.param(["A  4s"], ("BB-7", 0, "A"), id="two spaces"),
        pytest.param(["A 4s", "B 5h", "C", "A 4s"], ("BB-7", 3, "A"), id="played before"),
        pytest.param(["A 9s", "B", "C", "B 3s"], ("BB-8", 3, "B"), id="another leads the next trick"),
        pytest.param(["A 9s", "B", "C", "A"], ("BB-7", 3, "A"), id="the next leader passes"),
        pytest.param(["A 9s", "B 8h"], ("BB-23", 1, "B"), id="lower"),
        pytest.param(["A 4s 9s"], ("BB-23", 0, "A"), id="no combination"),
    ],
)
def test_bb_7__a_wrong_play_is_named_by_its_first_fault(plays, expected):
    hands = HANDS

    course = play(hands, *plays)

    assert cited(course) == expected


@pytest.mark.parametrize(
    ("plays", "expected"),
    [
        pytest.param(["C 4s"], ("BB-7", 0, "C"), id="turn before cards held"),
        pytest.param(["A 9s", "B", "C", "C"], ("BB-8", 3, "C"), id="turn before a leader's pass"),
        pytest.param(["A 9s 7c"], ("BB-7", 0, "A"), id="cards held before combination"),
    ],
)
def test_cm_5__of_two_faults_of_one_play_the_earlier_check_speaks(plays, expected):
    hands = HANDS

    course = play(hands, *plays, first_lead=FirstLead.BANKER)

    assert cited(course) == expected


def test_bb_7__who_passed_may_play_again_when_his_turn_returns():
    plays = ["A 4s", "B", "C 6c", "A", "B 8h", "C", "A"]

    course = play(HANDS, *plays)

    assert [winner for winner, _ in course.tricks] == [1]


def test_bb_7__a_trick_ends_when_all_others_still_in_have_passed_in_a_row():
    plays = ["C 2s", "A", "B", "C 7c", "A 9s", "B", "C", "A 9h"]

    course = play(("9s 9h 4s", "3s", "2s 7c 8d"), *plays)

    assert [winner for winner, _ in course.tricks] == [2, 0]
    assert course.cards_left == (1, 1, 1)


def test_bb_7__a_player_who_is_out_is_passed_over():
    plays = ["B 5h", "C 6c", "A 9s", "C 2s", "A", "C 7c", "A 9h", "C", "A 4s", "C"]

    course = play(("4s 9s 9h", "5h", "6c 7c 2s 8d"), *plays)

    assert course.fault is None
    assert course.out == [1, 0]


@pytest.mark.parametrize(
    ("lead_after_out", "leader", "is_right"),
    [
        (LeadAfterOut.NEXT_SEAT, "C", True),
        (LeadAfterOut.NEXT_SEAT, "A", False),
        (LeadAfterOut.PARTNER, "A", True),
        (LeadAfterOut.PARTNER, "C", False),
        (LeadAfterOut.ANY, "A", True),
        (LeadAfterOut.ANY, "C", True),
        (LeadAfterOut.ANY, "B", False),
    ],
)
def test_bb_8__after_a_winner_who_is_out_the_house_rule_names_the_leader(lead_after_out, leader, is_right):
    lead = {"A": "A 4s", "B": "B 5h", "C": "C 6c"}[leader]

    course = play(("4s 9s", "2s", "6c 7c"), "B 2s", "C", "A", lead, banker="C", lead_after_out=lead_after_out)

    assert cited(course) == (("BB-9", 4, None) if is_right else ("BB-8", 3, leader))


def test_bb_8__the_next_seat_is_passed_over_if_it_holds_nothing():
    hands = ("4s", "5h 8h 9h", "6c")

    course = play(hands, "A 4s", "B 5h", "C", "B 9h", "C", "B 8h", "C", banker="B")

    assert course.fault is None
    assert course.out == [0, 1]


@pytest.mark.parametrize(
    ("hands", "plays", "banker", "out"),
    [
        pytest.param(("3s", "4h 5h", "6c 7c"), ["A 3s", "B", "C"], "A", [0], id="the banker is out, both pass"),
        pytest.param(("3s", "4h 5h", "6c 7c"), ["A 3s", "B 4h", "C 6c", "B"], "A", [0], id="idlers beat each other"),
        pytest.param(("3s", "4h", "6c 7c"), ["A 3s", "B 4h", "C 6c"], "A", [0, 1], id="an idler goes out with it"),
        pytest.param(("3s 9s", "4h", "6c"), ["A 3s", "B 4h", "C 6c", "A 9s"], "A", [1, 2, 0], id="all three go out"),
        pytest.param(("3s 9s", "4h", "6c"), ["A 3s", "B 4h", "C 6c", "A"], "A", [1, 2], id="the banker must answer"),
        pytest.param(("3s 9s", "4h", "6c"), ["B 4h", "C 6c", "A 9s"], "A", [1, 2], id="nobody is left to answer"),
    ],
)
def test_bb_9__the_running_trick_is_finished_when_a_side_is_out(hands, plays, banker, out):
    course = play(hands, *plays, banker=banker)

    assert course.fault is None
    assert course.is_over
    assert course.out == out


@pytest.mark.parametrize(
    ("plays", "expected"),
    [
        pytest.param([], ("BB-9", 0, None), id="no play at all"),
        pytest.param(["A 3s"], ("BB-9", 1, None), id="the trick is still running"),
        pytest.param(["A 3s", "B"], ("BB-9", 2, None), id="one has not answered"),
        pytest.param(["A 3s", "B", "C", "B 4h"], ("BB-9", 3, "B"), id="a play too many"),
        pytest.param(["A 3s", "B", "C", "A"], ("BB-9", 3, "A"), id="a pass too many"),
        pytest.param(["A 3s", "B", "C", "X 4h"], ("BB-9", 3, None), id="a stranger after the end"),
    ],
)
def test_bb_9__a_record_that_stops_earlier_or_goes_on_is_faulty(plays, expected):
    hands = ("3s", "4h 5h", "6c 7c")

    course = play(hands, *plays)

    assert cited(course) == expected


def test_bb_23__a_reading_binds_those_who_follow():
    hands = ("3s 3h 3c", "5s 5h 5c 5d 4d", "6s 6h 6c 7s")

    course = play(hands, "A 3s 3h 3c", "B 5s 5h 5c 5d", "C 6s 6h 6c", banker="B")

    assert cited(course) == ("BB-23", 2, "C")
    assert course.fault.text.endswith("plays 6s 6h 6c, a triple 6, which does not beat the bomb 5")
