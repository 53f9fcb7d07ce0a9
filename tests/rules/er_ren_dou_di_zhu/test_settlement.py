"""What a hand pays: every multiplier there is, springs, rang_pai, bombs, escapes, and the words that explain them."""

import hashlib
from dataclasses import replace
from itertools import product

import pytest

from tests.rules.er_ren_dou_di_zhu.table import DEAL, HAND, PLAYS, RULES, change, find_faults, place, say, settle
from zhangfang.rules.games.er_ren_dou_di_zhu.record import ErRenDouDiZhuHand, Side
from zhangfang.rules.games.er_ren_dou_di_zhu.settlement import (
    count_rang_pai,
    list_factors,
    multiply,
    pay_penalty,
    pay_winner,
)
from zhangfang.rules.verdict import PENALTIES, Ended, Step

SPRINGS = ((False, False), (True, False), (False, True))
BOMBS_MAX = 12  # eleven bombs and the rocket are all there are


def every_multiplier() -> list[tuple[int, bool, tuple[bool, bool], int, int]]:
    """Robs, rang_xian, spring and anti_spring, bombs, bomb_factor."""
    return list(product(range(5), (False, True), SPRINGS, range(BOMBS_MAX + 1), (1, 2)))


def test_dz_27__every_multiplier_is_the_product_of_its_factors() -> None:
    auction_totals = (1, 2, 4, 5, 6)
    differing = []

    for robs, rang_xian, (spring, anti_spring), bombs, bomb_factor in every_multiplier():
        expected = auction_totals[robs]
        expected *= 3 if rang_xian else 1
        expected *= 2 if spring or anti_spring else 1
        expected *= bomb_factor**bombs
        rules = replace(RULES, bomb_factor=bomb_factor)
        factors = list_factors(rules, robs, rang_xian=rang_xian, spring=spring, anti_spring=anti_spring, bombs=bombs)
        step = pay_winner(7, "Ann", "Bo", factors)
        if not isinstance(step, Step) or (multiply(factors), step.amount) != (expected, 7 * expected):
            differing.append((robs, rang_xian, spring, anti_spring, bombs, bomb_factor))

    assert differing == []


def test_cm_3__every_explanation_multiplies_up_to_its_amount_and_leaves_out_factors_of_1() -> None:
    lines = []
    for robs, rang_xian, (spring, anti_spring), bombs, bomb_factor in every_multiplier():
        rules = replace(RULES, bomb_factor=bomb_factor)
        factors = list_factors(rules, robs, rang_xian=rang_xian, spring=spring, anti_spring=anti_spring, bombs=bombs)
        for step in (pay_winner(3, "Ann", "Bo", factors), pay_penalty(3, "Ann", factors)):
            assert isinstance(step, Step)
            assert 1 not in [factor.factor for factor in step.factors]
            assert step.amount == 3 * multiply(step.factors)
            lines.append(f"{step.text} | {step.text_zh}")

    assert lines[0] == "stake 3 = 3 | 3(底分)=3"
    assert hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16] == "882664ee69f8c580"


def test_cm_3__the_factors_stand_in_the_order_of_the_rulebook() -> None:
    factors = list_factors(replace(RULES, bomb_factor=2), 2, rang_xian=True, spring=False, anti_spring=True, bombs=3)

    step = pay_penalty(100, "Ann", factors)

    assert isinstance(step, Step)
    assert step.text == "stake 100 × auction 4 × rang_xian 3 × anti_spring 2 × bombs 8 × escape 2 = 38400"
    assert step.text_zh == "100(底分)×4(抢地主)×3(让先)×2(反春天)×8(炸弹)×2(逃跑)=38400"
    assert [factor.rule for factor in step.factors] == ["DZ-5", "DZ-6", "DZ-28", "DZ-29", "DZ-30"]


def test_dz_27__the_loser_pays_the_winner() -> None:
    verdict = settle(HAND, stake=5)

    assert (verdict.ended, verdict.seats, verdict.outcome.winner_side) == (Ended.NORMAL, ("Ann", "Bo"), Side.LANDLORD)
    assert verdict.steps == (Step("DZ-27", "Bo", "Ann", 5, (), "stake 5 = 5", "5(底分)=5"),)


def test_dz_29__bombs_double_only_where_the_house_says_so() -> None:
    verdicts = [settle(HAND, replace(RULES, bomb_factor=factor)) for factor in (1, 2)]

    assert [verdict.outcome.bombs for verdict in verdicts] == [1, 1]
    assert [verdict.steps[0].amount for verdict in verdicts] == [1, 2]


def test_dz_29__the_rocket_counts_as_a_bomb_and_a_four_with_wings_does_not() -> None:
    hands = (DEAL.hands[0].replace("Ts", "W"), DEAL.hands[1].replace("W", "Ts"))
    plays = ((0, "2s 2h 2c 2d 7s 8s"), (1, ""), (0, "w W"))

    outcome = settle(change(hands=hands, plays=plays, escape=1), replace(RULES, bomb_factor=2)).outcome

    assert (outcome.bombs, outcome.multiplier) == (1, 2)


@pytest.mark.parametrize(("robs", "rang_xian", "call_rang_pai"), list(product(range(5), (False, True), (0, 1, 5))))
def test_dz_7__rang_pai_is_one_a_rob_three_for_rang_xian_and_what_the_house_adds(
    robs: int, rang_xian: bool, call_rang_pai: int
) -> None:
    rules = replace(RULES, call_rang_pai=call_rang_pai)

    rang_pai = count_rang_pai(rules, robs, rang_xian=rang_xian)

    assert rang_pai == robs + (3 if rang_xian else 0) + call_rang_pai


GIVING = (
    (0, "7s"),
    (1, "8h"),
    (0, ""),
    (1, "9h 9d Th Td Jh Jd Qh Qd Kh Kd"),
    (0, ""),
    (1, "7h 7d"),
    (0, ""),
    (1, "W"),
    (0, ""),
    (1, "8d"),
    (0, "9s"),
)
"""Bo, the farmer, has 16, 6, 4, 3 and 2 cards after his plays."""


@pytest.mark.parametrize(
    ("rang_pai", "play_count"),
    [
        pytest.param(2, 10, id="keeps_two"),
        pytest.param(3, 8, id="keeps_three"),
        pytest.param(4, 6, id="keeps_four"),
        pytest.param(5, 6, id="may_keep_one_more_than_he_does"),
        pytest.param(6, 4, id="keeps_six"),
        pytest.param(16, 2, id="keeps_sixteen"),
        pytest.param(99, 2, id="keeps_all_but_must_have_played"),
    ],
)
def test_dz_9__the_farmer_wins_as_soon_as_a_play_leaves_him_at_most_rang_pai_cards(
    rang_pai: int, play_count: int
) -> None:
    rules = replace(RULES, call_rang_pai=rang_pai)

    outcome = settle(change(plays=GIVING[:play_count]), rules).outcome
    (stopped,) = find_faults(change(plays=GIVING[: play_count - 1]), rules)
    (went_on,) = find_faults(change(plays=GIVING[: play_count + 1]), rules)

    assert (outcome.winner, outcome.winner_side, outcome.rang_pai) == (1, Side.FARMER, rang_pai)
    assert place(stopped) == ("DZ-9", "plays", play_count - 1, None)
    assert place(went_on) == ("DZ-9", "plays", play_count, "Ann")


def test_dz_9__a_pass_leaves_the_farmer_his_cards_and_wins_nothing() -> None:
    rules = replace(RULES, call_rang_pai=17)

    (fault,) = find_faults(change(plays=((0, "7s"), (1, ""))), rules)

    assert place(fault) == ("DZ-9", "plays", 2, None)


def test_dz_9__the_landlord_must_play_every_card_whatever_the_farmer_may_keep() -> None:
    rules = replace(RULES, call_rang_pai=99)

    (fault,) = find_faults(change(plays=((0, "7s 8s 9s Ts Js Qs Ks As"), (1, ""))), rules)

    assert place(fault) == ("DZ-9", "plays", 2, None)


SHORT_OF_BO = ((0, "7s 8s 9s Ts Js Qs Ks As"), (1, ""), (0, "5s 5h 5c 6s 6h 6c"), (1, ""), (0, "2s 2h 2c 2d"), (1, ""))
ALONE = (*SHORT_OF_BO, (0, "w"), (1, ""), (0, "Ad"))


@pytest.mark.parametrize(
    ("plays", "spring"),
    [
        pytest.param(ALONE, True, id="the_farmer_never_played"),
        pytest.param(PLAYS, False, id="the_farmer_played_three_times"),
        pytest.param((*ALONE[:7], (1, "W"), (0, ""), (1, "5d"), (0, "Ad")), False, id="the_farmer_played_a_card"),
    ],
)
def test_dz_28__spring(plays: tuple[tuple[int, str], ...], spring: bool) -> None:
    outcome = settle(change(plays=plays)).outcome

    assert (outcome.winner, outcome.spring, outcome.anti_spring) == (0, spring, False)
    assert outcome.multiplier == (2 if spring else 1)


@pytest.mark.parametrize(
    ("rang_xian", "rang_pai", "plays", "anti_spring"),
    [
        pytest.param(
            True, 1, ((1, "7h 7d 8h 8d 9h 9d Th Td Jh Jd Qh Qd Kh Kd"),), True, id="the_landlord_never_played"
        ),
        pytest.param(
            True, 0, ((1, "W"), (0, ""), (1, "7h 7d 8h 8d 9h 9d Th Td Jh Jd Qh Qd Kh Kd")), True, id="only_passed"
        ),
        pytest.param(False, 6, GIVING[:4], True, id="the_landlord_led_and_played_no_more"),
        pytest.param(False, 2, (*GIVING[:8], (0, ""), (1, "8d")), True, id="the_landlord_passed_four_times"),
        pytest.param(
            False,
            8,
            ((0, "7s"), (1, ""), (0, "8s"), (1, "9h"), (0, ""), (1, "Th Td Jh Jd Qh Qd Kh Kd")),
            False,
            id="the_landlord_played_twice",
        ),
    ],
)
def test_dz_28__anti_spring(
    rang_xian: bool, rang_pai: int, plays: tuple[tuple[int, str], ...], anti_spring: bool
) -> None:
    rules = replace(RULES, call_rang_pai=rang_pai)

    outcome = settle(change(rang_xian=rang_xian, plays=plays), rules).outcome

    assert (outcome.winner, outcome.spring, outcome.anti_spring) == (1, False, anti_spring)
    assert outcome.multiplier == (3 if rang_xian else 1) * (2 if anti_spring else 1)


def test_dz_3__a_redeal_owes_nothing() -> None:
    verdict = settle(change(auction=say("pass pass"), rang_xian=None, plays=()))

    outcome = verdict.outcome
    assert (verdict.ended, verdict.steps, verdict.obligations) == (Ended.REDEAL, (), ())
    assert (outcome.redeal, outcome.landlord, outcome.multiplier, outcome.rang_pai) == (True, None, None, None)
    assert outcome.cards_left == (17, 17)


@pytest.mark.parametrize("runaway", [0, 1])
@pytest.mark.parametrize(
    ("hand", "multiplier", "landlord", "rang_pai", "cards_left"),
    [
        pytest.param(change(auction=(), rang_xian=None, plays=()), 7, None, None, (17, 17), id="before_a_word"),
        pytest.param(change(auction=say("pass"), rang_xian=None, plays=()), 7, None, None, (17, 17), id="after_a_pass"),
        pytest.param(
            change(auction=say("call"), rang_xian=None, plays=()), 7, None, None, (17, 17), id="after_the_call"
        ),
        pytest.param(
            change(auction=say("call rob rob rob"), rang_xian=None, plays=()),
            5,
            None,
            None,
            (17, 17),
            id="among_the_robs",
        ),
        pytest.param(
            change(auction=say("call rob decline"), rang_xian=None, plays=()),
            2,
            1,
            None,
            (17, 20),
            id="before_rang_xian",
        ),
        pytest.param(
            change(auction=say("call rob decline"), rang_xian=True, plays=()), 6, 1, 4, (17, 20), id="after_rang_xian"
        ),
        pytest.param(change(plays=PLAYS[:3]), 7, 0, 0, (6, 17), id="in_play"),
        pytest.param(change(plays=PLAYS[:5]), 14, 0, 0, (2, 17), id="after_a_bomb"),
        pytest.param(change(plays=PLAYS[:12]), 14, 0, 0, (1, 1), id="before_the_last_card"),
    ],
)
def test_dz_30__who_runs_away_pays_twice_the_multiplier_so_far_to_the_penalties(
    hand: ErRenDouDiZhuHand,
    multiplier: int,
    landlord: int | None,
    rang_pai: int | None,
    cards_left: tuple[int, int],
    runaway: int,
) -> None:
    rules = replace(RULES, rob_multipliers=(7, 2, 4, 5, 6), bomb_factor=2)

    verdict = settle(replace(hand, escape=runaway), rules, stake=10)

    (step,), outcome = verdict.steps, verdict.outcome
    assert (verdict.ended, step.rule, step.payer, step.payee) == (
        Ended.ESCAPE,
        "DZ-30",
        hand.players[runaway],
        PENALTIES,
    )
    assert (step.amount, outcome.multiplier) == (10 * multiplier * 2, multiplier)
    assert (outcome.landlord, outcome.winner, outcome.winner_side) == (landlord, None, None)
    assert (outcome.spring, outcome.anti_spring, outcome.escape) == (False, False, runaway)
    assert (outcome.rang_pai, outcome.cards_left) == (rang_pai, cards_left)


def test_dz_26__a_tong_tian_shun_is_reported_and_pays_nothing() -> None:
    outcome = settle(HAND).outcome

    assert (outcome.tong_tian_shun, outcome.multiplier) == ((0,), 1)


def test_dz_26__a_pair_straight_to_the_ace_is_no_tong_tian_shun() -> None:
    hands = ("Qs Qh Ks Kh As Ah 5s 6s 7s 8s 9s Ts Js 2s 2h 2c w", DEAL.hands[1].replace("Qh", "5h").replace("Kh", "6h"))
    plays = ((0, "Qs Qh Ks Kh As Ah"), (1, ""), (0, "5s 6s 7s 8s 9s Ts"))

    outcome = settle(change(hands=hands, bottom="7c 2d Ad", plays=plays, escape=1)).outcome

    assert outcome.tong_tian_shun == ()


def test_dz_25__an_airplane_over_three_triples_with_singles_is_read_as_three_with_singles() -> None:
    """555 666 777 with 999, then 888 999 TTT JJJ: bare it would be four triples, and could not follow."""
    hands = (
        "5s 5h 5c 6s 6h 6c 7s 7h 7c Qs Qh Ks As Ah 2s 2h 2c",
        "8s 8h 8c 9s 9h 9c Ts Th Tc Js Jh Jc 5d 6d 7d 8d Kd",
    )
    deal = {"hands": hands, "bottom": "Qc Kh W", "call_card": "5s"}
    follow = ((0, "5s 5h 5c 6s 6h 6c 7s 7h 7c Ks Kh As"), (1, "8s 8h 8c 9s 9h 9c Ts Th Tc Js Jh Jc"))

    outcome = settle(change(**deal, plays=(*follow, (0, ""), (1, "5d")), escape=0)).outcome
    (fault,) = find_faults(change(**deal, plays=(*follow, (0, "Qs Qh Qc Ah"))))

    assert outcome.cards_left == (8, 4)
    assert place(fault) == ("DZ-25", "plays", 2, "Ann")
    assert fault.text.endswith("does not beat the airplane_with_singles of 3 up to J")
