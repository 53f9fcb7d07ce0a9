"""Who banks first, where dealing starts, and how the bank passes on."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.rules.jiu_dian_ban.tables import SEATS
from zhangfang.rules.cards import CARDS
from zhangfang.rules.games.jiu_dian_ban import bankers
from zhangfang.rules.games.jiu_dian_ban.bankers import BankerQueue
from zhangfang.rules.verdict import Fault

RICH = {"A": 5, "B": 7, "C": 9}


@pytest.mark.parametrize(
    ("ranks", "start"),
    [("A59K", "banker"), ("26T", "shang"), ("37J", "tian"), ("48Q", "xia")],
    ids=["1 5 9 13", "2 6 10", "3 7 11", "4 8 12"],
)
def test_jd_11__the_turned_card_counts_from_the_banker(ranks, start):
    assert {bankers.deal_start(CARDS[rank + suit]) for rank in ranks for suit in "shcd"} == {start}


@pytest.mark.parametrize(
    ("draws", "banker"),
    [
        pytest.param("Kd Qs Jh Ts", "A", id="the king is high"),
        pytest.param("Ad As 2c Ac", "C", id="the ace is low"),
        pytest.param("w Ks W Qh", "C", id="the big joker is above all"),
        pytest.param("Ks w Kh Qh", "B", id="the small joker is above the kings"),
        pytest.param("8h 8s 8c 8d", "B", id="spades first"),
        pytest.param("8d 8c 8h 2s", "C", id="then hearts"),
        pytest.param("8d 8c 3h 2s", "B", id="then clubs"),
        pytest.param("8d", "A", id="one alone"),
    ],
)
def test_jd_12__the_highest_card_banks(draws, banker):
    assert bankers.first_banker(list(zip("ABCD", draws.split(" "), strict=False))) == banker


@pytest.mark.parametrize(
    ("draws", "expected"),
    [
        pytest.param([], [(None, None)], id="nobody draws"),
        pytest.param([("A", "w"), ("B", "w")], [("B", 1)], id="a card twice"),
        pytest.param([("A", "w"), ("A", "W")], [("A", 1)], id="a player twice"),
        pytest.param([("A", "1s"), ("B", "2s")], [("A", 0)], id="no card"),
        pytest.param([("A", "1s"), ("B", "2s"), ("C", "2s"), ("B", "3s")], [("A", 0), ("C", 2), ("B", 3)], id="all"),
    ],
)
def test_jd_12__faulty_draws(draws, expected):
    faults = bankers.first_banker(draws)

    assert [(fault.player, fault.event) for fault in faults] == expected
    assert {fault.rule for fault in faults} == {"JD-12"}


@pytest.mark.parametrize(
    ("banker", "steps_down", "successor"),
    [
        pytest.param("P1", True, "P2", id="the next seat"),
        pytest.param("P3", True, "Z", id="round the table"),
        pytest.param("P1", False, "P1", id="he stays"),
    ],
)
def test_jd_13__the_bank_goes_along_the_seats(banker, steps_down, successor):
    assert bankers.next_banker(banker, SEATS, steps_down=steps_down) == successor


def test_jd_14__the_head_of_the_list_banks_until_he_steps_down():
    queue = BankerQueue()
    for player in "ABC":
        queue = bankers.apply(queue, player, 1)

    running = bankers.open_hand(queue, RICH)
    leaving = bankers.step_down(running, "A")
    after = bankers.close_hand(leaving, RICH)

    assert (queue.banker, running.banker, leaving.banker, after.banker) == ("A", "A", "A", "B")
    assert after == BankerQueue(("B", "C"))
    assert bankers.close_hand(bankers.open_hand(after, RICH), RICH) == after


def test_jd_14__who_has_no_silver_when_his_turn_comes_is_dropped():
    running = BankerQueue(("A", "B", "C"), is_hand_open=True)

    after = bankers.close_hand(running, {"A": 0, "B": -3, "C": 1})

    assert after == BankerQueue(("C",))
    assert bankers.close_hand(running, {"A": 1, "B": 0, "C": 1}).players == ("A", "B", "C")
    assert bankers.open_hand(BankerQueue(("A", "C")), {"C": 1}) == BankerQueue(("C",), is_hand_open=True)


def test_jd_14__who_stepped_down_and_lost_everything_leaves_once():
    running = bankers.step_down(BankerQueue(("A", "B"), is_hand_open=True), "A")

    assert bankers.close_hand(running, {"A": 0, "B": 1}).players == ("B",)


def test_jd_14__the_banker_between_hands_may_step_down_or_leave_at_once():
    queue = BankerQueue(("A", "B"))

    assert bankers.step_down(queue, "A").players == ("B",)
    assert bankers.leave(queue, "A").players == ("B",)


def test_jd_14__who_waits_leaves_the_list():
    running = BankerQueue(("A", "B", "C"), is_hand_open=True)

    assert bankers.leave(running, "B") == BankerQueue(("A", "C"), is_hand_open=True)


def test_jd_14__stepping_down_twice_is_stepping_down():
    running = BankerQueue(("A", "B"), is_hand_open=True)

    once = bankers.step_down(running, "A")

    assert bankers.step_down(once, "A") == once


@pytest.mark.parametrize(
    ("result", "player"),
    [
        pytest.param(bankers.apply(BankerQueue(("A",)), "A", 9), "A", id="applying twice"),
        pytest.param(bankers.apply(BankerQueue(), "A", 0), "A", id="applying without silver"),
        pytest.param(bankers.apply(BankerQueue(), "A", -1), "A", id="applying below zero"),
        pytest.param(bankers.step_down(BankerQueue(("A", "B")), "B"), "B", id="stepping down while waiting"),
        pytest.param(bankers.step_down(BankerQueue(), "A"), "A", id="stepping down from nothing"),
        pytest.param(bankers.leave(BankerQueue(("A",)), "B"), "B", id="leaving a list he is not on"),
        pytest.param(bankers.leave(BankerQueue(("A",), is_hand_open=True), "A"), "A", id="leaving during his hand"),
        pytest.param(bankers.open_hand(BankerQueue(), RICH), None, id="a hand without a banker"),
        pytest.param(bankers.open_hand(BankerQueue(("A",)), {"A": 0}), None, id="a hand of a penniless banker"),
        pytest.param(bankers.open_hand(BankerQueue(("A",), is_hand_open=True), RICH), None, id="a hand within a hand"),
        pytest.param(bankers.close_hand(BankerQueue(("A",)), RICH), None, id="an end without a hand"),
    ],
)
def test_jd_14__what_is_refused(result, player):
    assert isinstance(result, Fault)
    assert (result.rule, result.player) == ("JD-14", player)


def change(queue, word, player, silver):
    match word:
        case "apply":
            return bankers.apply(queue, player, silver[player])
        case "leave":
            return bankers.leave(queue, player)
        case "step_down":
            return bankers.step_down(queue, player)
        case "open":
            return bankers.open_hand(queue, silver)
        case _:
            return bankers.close_hand(queue, silver)


@settings(max_examples=80, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["apply", "apply", "leave", "step_down", "open", "close"]),
            st.sampled_from("ABC"),
            st.fixed_dictionaries(dict.fromkeys("ABC", st.integers(-1, 2))),
        ),
        max_size=30,
    )
)
def test_jd_14__a_running_hand_always_keeps_its_banker(events):
    queue = BankerQueue()
    for word, player, silver in events:
        result = change(queue, word, player, silver)
        if isinstance(result, Fault):
            continue

        assert len(set(result.players)) == len(result.players)
        assert not result.is_hand_open or result.banker is not None
        assert not result.steps_down or result.is_hand_open
        if queue.is_hand_open and result.is_hand_open:
            assert result.banker == queue.banker
        queue = result
