"""One fault at a time: a legal hand broken in one place, and which rule, place and player the fault names."""

from dataclasses import replace
from typing import Any

import pytest

from tests.rules.er_ren_dou_di_zhu.table import DEAL, HAND, PLAYS, RULES, change, find_faults, place, say, settle
from zhangfang.rules.games.er_ren_dou_di_zhu.record import AuctionAction, ErRenDouDiZhuHand, Word
from zhangfang.rules.verdict import INT64_MAX

ANN, BO = DEAL.hands
REDEAL = change(auction=say("pass pass"), rang_xian=None, plays=())
FOUR_ROBS = "call rob rob rob rob"


def test_dz_1_to_dz_30__the_hand_that_is_broken_here_is_legal_and_so_is_its_redeal() -> None:
    verdicts = settle(HAND), settle(REDEAL)

    assert [verdict.ended for verdict in verdicts] == ["NORMAL", "REDEAL"]


@pytest.mark.parametrize(
    ("stake", "rule"),
    [
        pytest.param(0, "CM-9", id="nothing"),
        pytest.param(-1, "CM-9", id="below_nothing"),
        pytest.param(INT64_MAX + 1, "CM-1", id="beyond_int64"),
    ],
)
def test_cm_9__the_stake(stake: int, rule: str) -> None:
    (fault,) = find_faults(HAND, stake=stake)

    assert (*place(fault), fault.field) == (rule, "stake", 0, None, "stake")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        pytest.param("rob_multipliers", (), id="no_multipliers"),
        pytest.param("rob_multipliers", (1, 2, 4, 5), id="four_multipliers"),
        pytest.param("rob_multipliers", (1, 2, 4, 5, 6, 7), id="six_multipliers"),
        pytest.param("rob_multipliers", (0, 2, 4, 5, 6), id="a_multiplier_of_nothing"),
        pytest.param("rob_multipliers", (1, 2, 4, 5, -6), id="a_multiplier_below_nothing"),
        pytest.param("rob_multipliers", (1, 2, 4, 5, INT64_MAX + 1), id="a_multiplier_beyond_int64"),
        pytest.param("call_rang_pai", -1, id="rang_pai_below_nothing"),
        pytest.param("call_rang_pai", INT64_MAX - 6, id="rang_pai_that_cannot_be_recorded"),
        pytest.param("bomb_factor", 0, id="bombs_times_nothing"),
        pytest.param("bomb_factor", 3, id="bombs_times_three"),
    ],
)
def test_cm_4__a_house_rule_out_of_range(field: str, value: Any) -> None:
    rules = replace(RULES, **{field: value})

    (fault,) = find_faults(HAND, rules)

    assert (*place(fault), fault.field) == ("CM-4", "rules", 0, None, field)


@pytest.mark.parametrize(
    ("players", "text"),
    [
        pytest.param((), "the players are nobody; the game is for two different players", id="nobody"),
        pytest.param(("Ann",), "the players are Ann; the game is for two different players", id="one"),
        pytest.param(("Ann", "Ann"), "the players are Ann, Ann; the game is for two different players", id="the_same"),
        pytest.param(("A", "B", "C"), "the players are A, B, C; the game is for two different players", id="three"),
    ],
)
def test_dz_1__two_different_players(players: tuple[str, ...], text: str) -> None:
    (fault,) = find_faults(change(players=players))

    assert (*place(fault), fault.text) == ("DZ-1", "players", 0, None, text)


@pytest.mark.parametrize(
    ("hand", "section", "action", "player", "card"),
    [
        pytest.param(change(deal=None), "deal", 0, None, None, id="no_deal"),
        pytest.param(change(hands=(ANN,)), "deal", 1, None, None, id="one_hand"),
        pytest.param(change(hands=(ANN, BO, "")), "deal", 2, None, None, id="three_hands"),
        pytest.param(change(hands=(ANN, BO.replace("W", "3s"))), "deal", 1, "Bo", "3s", id="a_three"),
        pytest.param(change(hands=(ANN.replace("w", "4d"), BO)), "deal", 0, "Ann", "4d", id="a_four"),
        pytest.param(change(hands=(ANN.replace("Ts", "10s"), BO)), "deal", 0, "Ann", "10s", id="no_notation"),
        pytest.param(change(bottom="2c 2d Joker"), "bottom", 0, None, "Joker", id="foreign_bottom"),
        pytest.param(change(hands=(ANN.replace("5h", "5s"), BO)), "deal", 0, "Ann", "5s", id="twice_in_a_hand"),
        pytest.param(change(hands=(ANN, BO.replace("W", "w"))), "deal", 1, "Bo", "w", id="in_both_hands"),
        pytest.param(change(bottom="2c 2d W"), "bottom", 0, None, "W", id="in_a_hand_and_the_bottom"),
        pytest.param(change(bottom="2c 2c Ad"), "bottom", 0, None, "2c", id="twice_in_the_bottom"),
        pytest.param(change(hands=(ANN[3:], BO)), "deal", 0, "Ann", None, id="sixteen_cards"),
        pytest.param(change(hands=(ANN, BO + " Ac")), "deal", 1, "Bo", None, id="eighteen_cards"),
        pytest.param(change(hands=("", BO)), "deal", 0, "Ann", None, id="an_empty_hand"),
        pytest.param(change(bottom="2c 2d"), "bottom", 0, None, None, id="two_bottom_cards"),
        pytest.param(change(bottom=""), "bottom", 0, None, None, id="no_bottom_cards"),
        pytest.param(change(bottom="2c 2d Ad Ac"), "bottom", 0, None, None, id="four_bottom_cards"),
    ],
)
def test_dz_1__the_deal(
    hand: ErRenDouDiZhuHand, section: str, action: int, player: str | None, card: str | None
) -> None:
    (fault,) = find_faults(hand)

    assert (*place(fault), fault.card) == ("DZ-1", section, action, player, card)


@pytest.mark.parametrize("card", ["2c", "Ac", "3s", "joker", ""], ids=["bottom", "dead", "foreign", "no_card", "none"])
def test_dz_2__the_call_card_lies_with_one_of_the_players(card: str) -> None:
    (fault,) = find_faults(change(call_card=card))

    assert (*place(fault), fault.card) == ("DZ-2", "call_card", 0, None, card or None)


@pytest.mark.parametrize(
    ("auction", "rule", "action", "player"),
    [
        pytest.param(say("call decline", first=1), "DZ-2", 0, "Bo", id="the_other_speaks_first"),
        pytest.param([AuctionAction(2, Word.CALL)], "DZ-2", 0, None, id="nobody_speaks_first"),
        pytest.param((), "DZ-3", 0, None, id="nothing_said"),
        pytest.param(say("rob"), "DZ-3", 0, "Ann", id="a_rob_before_the_call"),
        pytest.param(say("decline"), "DZ-3", 0, "Ann", id="a_decline_before_the_call"),
        pytest.param([AuctionAction(0, 9)], "DZ-3", 0, "Ann", id="a_word_nobody_knows"),
        pytest.param(say("pass"), "DZ-3", 1, None, id="the_other_has_not_spoken"),
        pytest.param((*say("pass"), AuctionAction(0, Word.CALL)), "DZ-3", 1, "Ann", id="a_word_out_of_turn"),
        pytest.param(say("pass pass call decline"), "DZ-3", 2, "Ann", id="a_call_after_the_redeal"),
        pytest.param(say("call"), "DZ-4", 1, None, id="the_call_unanswered"),
        pytest.param(say("call rob"), "DZ-4", 2, None, id="the_rob_unanswered"),
        pytest.param(say("call pass"), "DZ-4", 1, "Bo", id="a_pass_after_the_call"),
        pytest.param(say("call call"), "DZ-4", 1, "Bo", id="a_second_call"),
        pytest.param((*say("call"), AuctionAction(0, Word.ROB)), "DZ-4", 1, "Ann", id="robbing_oneself"),
        pytest.param((*say("call"), AuctionAction(-1, Word.ROB)), "DZ-4", 1, None, id="a_seat_that_is_none"),
        pytest.param((*say("call"), AuctionAction(1, 0)), "DZ-4", 1, "Bo", id="an_unknown_word_after_the_call"),
        pytest.param(say("call decline rob"), "DZ-4", 2, "Ann", id="a_rob_after_the_decline"),
        pytest.param(say(f"{FOUR_ROBS} rob"), "DZ-4", 5, "Bo", id="a_fifth_rob"),
        pytest.param(say(f"{FOUR_ROBS} decline"), "DZ-4", 5, "Bo", id="a_decline_after_four_robs"),
    ],
)
def test_dz_3_and_dz_4__the_auction(auction: Any, rule: str, action: int, player: str | None) -> None:
    (fault,) = find_faults(change(auction=tuple(auction)))

    assert place(fault) == (rule, "auction", action, player)


@pytest.mark.parametrize(
    "hand",
    [
        pytest.param(change(rang_xian=None), id="missing"),
        pytest.param(change(rang_xian=None, plays=PLAYS[:2], escape=1), id="missing_before_plays_and_an_escape"),
        pytest.param(change(REDEAL, rang_xian=False), id="after_a_redeal"),
        pytest.param(change(auction=say("call"), plays=(), escape=0), id="before_there_is_a_landlord"),
    ],
)
def test_dz_6__rang_xian_is_the_landlords_choice(hand: ErRenDouDiZhuHand) -> None:
    (fault,) = find_faults(hand)

    assert place(fault) == ("DZ-6", "rang_xian", 0, None)


def test_dz_3__plays_after_a_redeal() -> None:
    faults = [find_faults(change(REDEAL, plays=((seat, "5s"),)))[0] for seat in (0, 1, 2)]

    assert [place(fault) for fault in faults] == [("DZ-3", "plays", 0, player) for player in ("Ann", "Bo", None)]


@pytest.mark.parametrize("escape", [0, 1])
def test_dz_4__an_escape_does_not_excuse_cards_played_before_the_auction_was_over(escape: int) -> None:
    (fault,) = find_faults(change(auction=say("call"), plays=PLAYS[:1], escape=escape))

    assert place(fault) == ("DZ-4", "auction", 1, None)


@pytest.mark.parametrize(
    ("at", "plays", "rule", "player"),
    [
        pytest.param(0, [(1, "5d")], "DZ-6", "Bo", id="the_farmer_leads_without_rang_xian"),
        pytest.param(0, [(2, "5d")], "DZ-6", None, id="a_seat_that_is_none_leads"),
        pytest.param(0, [(0, "")], "DZ-8", "Ann", id="the_leader_passes"),
        pytest.param(1, [(0, "")], "DZ-8", "Ann", id="a_pass_out_of_turn"),
        pytest.param(1, [(0, "w")], "DZ-8", "Ann", id="a_play_out_of_turn"),
        pytest.param(2, [(1, "5d")], "DZ-8", "Bo", id="another_than_the_winner_leads"),
        pytest.param(2, [(0, "")], "DZ-8", "Ann", id="the_winner_passes"),
        pytest.param(2, [(0, "5d")], "DZ-8", "Ann", id="the_others_card"),
        pytest.param(2, [(0, "7s")], "DZ-8", "Ann", id="a_card_played_before"),
        pytest.param(2, [(0, "5s 5s")], "DZ-8", "Ann", id="a_card_twice_in_a_play"),
        pytest.param(2, [(0, "3s")], "DZ-8", "Ann", id="a_foreign_card"),
        pytest.param(2, [(0, "w" + " w" * 99)], "DZ-8", "Ann", id="a_hundred_jokers"),
        pytest.param(2, [(0, "Ac")], "DZ-8", "Ann", id="a_dead_card"),
        pytest.param(2, [(0, "5s  5h")], "DZ-8", "Ann", id="two_spaces"),
        pytest.param(0, [(0, "5s 6s")], "DZ-25", "Ann", id="no_combination"),
        pytest.param(7, [(1, "5d")], "DZ-25", "Bo", id="lower_than_the_trick"),
        pytest.param(5, [(1, "W")], "DZ-25", "Bo", id="a_single_on_a_bomb"),
        pytest.param(12, [], "DZ-9", None, id="stops_one_play_early"),
        pytest.param(0, [], "DZ-9", None, id="stops_before_the_first_play"),
        pytest.param(13, [(1, "6d")], "DZ-9", "Bo", id="a_play_after_the_end"),
        pytest.param(13, [(1, "")], "DZ-9", "Bo", id="a_pass_after_the_end"),
        pytest.param(13, [(5, "")], "DZ-9", None, id="nobody_after_the_end"),
    ],
)
def test_dz_8_dz_9_and_dz_25__the_play(at: int, plays: list[tuple[int, str]], rule: str, player: str | None) -> None:
    (fault,) = find_faults(change(plays=(*PLAYS[:at], *plays)))

    assert place(fault) == (rule, "plays", at, player)


def test_dz_6__the_landlord_leads_after_rang_xian() -> None:
    (fault,) = find_faults(change(rang_xian=True))

    assert place(fault) == ("DZ-6", "plays", 0, "Ann")


@pytest.mark.parametrize(
    ("hand", "player"),
    [
        pytest.param(change(escape=1), "Bo", id="after_the_end"),
        pytest.param(change(REDEAL, escape=0), "Ann", id="after_a_redeal"),
        pytest.param(change(plays=PLAYS[:3], escape=2), None, id="by_nobody"),
        pytest.param(change(auction=(), rang_xian=None, plays=(), escape=-1), None, id="by_nobody_before_a_word"),
    ],
)
def test_dz_30__an_escape_that_cannot_be(hand: ErRenDouDiZhuHand, player: str | None) -> None:
    (fault,) = find_faults(hand)

    assert place(fault) == ("DZ-30", "escape", 0, player)


@pytest.mark.parametrize(
    ("multipliers", "stake"),
    [
        pytest.param((INT64_MAX, 2, 4, 5, 6), 2, id="a_large_multiplier"),
        pytest.param((2, 2, 4, 5, 6), 2**62, id="a_large_stake"),
        pytest.param((INT64_MAX,) * 5, INT64_MAX, id="both"),
    ],
)
@pytest.mark.parametrize("escape", [pytest.param(None, id="to_the_winner"), pytest.param(1, id="to_the_penalties")])
def test_cm_1__an_amount_that_cannot_be_recorded(multipliers: tuple[int, ...], stake: int, escape: int | None) -> None:
    hand = HAND if escape is None else change(plays=PLAYS[:3], escape=escape)

    (fault,) = find_faults(hand, replace(RULES, rob_multipliers=multipliers), stake)

    assert place(fault) == ("CM-1", "stake", 0, None)


def test_cm_1__the_largest_amount_is_paid() -> None:
    verdict = settle(HAND, replace(RULES, rob_multipliers=(INT64_MAX, 2, 4, 5, 6)))

    assert verdict.steps[0].amount == INT64_MAX


@pytest.mark.parametrize(
    ("hand", "rules", "stake", "expected"),
    [
        pytest.param(
            change(players=("Ann",), call_card="3s"),
            replace(RULES, bomb_factor=3, call_rang_pai=-1),
            0,
            ["CM-9", "CM-4", "CM-4", "DZ-1"],
            id="stake_rules_players_and_no_further",
        ),
        pytest.param(
            change(hands=("3s 5h 5h 6s", BO), bottom="W", call_card="3s"),
            RULES,
            0,
            ["CM-9", "DZ-1", "DZ-1", "DZ-1", "DZ-1", "DZ-1"],
            id="foreign_then_duplicates_then_numbers_and_no_further",
        ),
        pytest.param(change(call_card="", auction=say("rob")), RULES, 1, ["DZ-2"], id="call_card_before_auction"),
        pytest.param(change(auction=say("call"), rang_xian=None), RULES, 1, ["DZ-4"], id="auction_before_rang_xian"),
        pytest.param(change(rang_xian=None, plays=()), RULES, 1, ["DZ-6"], id="rang_xian_before_plays"),
        pytest.param(change(REDEAL, plays=PLAYS, escape=0), RULES, 1, ["DZ-3"], id="plays_before_escape"),
        pytest.param(
            change(plays=((1, ""),), escape=7),
            replace(RULES, bomb_factor=3),
            0,
            ["CM-9", "CM-4"],
            id="plays_are_not_judged_by_faulty_house_rules",
        ),
        pytest.param(
            change(auction=say("rob")),
            replace(RULES, bomb_factor=3),
            1,
            ["CM-4", "DZ-3"],
            id="choices_are_judged_under_any_house_rules",
        ),
        pytest.param(change(plays=((1, ""), (0, ""))), RULES, 1, ["DZ-6"], id="turn_before_passing"),
        pytest.param(change(plays=((0, "5d 6s"),)), RULES, 1, ["DZ-8"], id="cards_held_before_combination"),
    ],
)
def test_cm_5__faults_stand_in_the_order_of_judging(
    hand: ErRenDouDiZhuHand, rules: Any, stake: int, expected: list[str]
) -> None:
    faults = find_faults(hand, rules, stake)

    assert [fault.rule for fault in faults] == expected
    assert all(fault.text for fault in faults)
