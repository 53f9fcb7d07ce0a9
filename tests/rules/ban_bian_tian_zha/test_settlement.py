"""Points, the 20, negative score, and every factor, each seen in a hand of a few plays."""

import pytest

from tests.rules.ban_bian_tian_zha.tables import score
from zhangfang.rules.games.ban_bian_tian_zha.record import BankWord, Side
from zhangfang.rules.games.ban_bian_tian_zha.settlement import Points
from zhangfang.rules.verdict import Verdict


def nets(verdict):
    net = dict.fromkeys(verdict.seats, 0)
    for step in verdict.steps:
        net[step.payer] -= step.amount
        net[step.payee] += step.amount
    return net


def test_bb_24__5_counts_5_and_10_and_k_count_10_for_the_tricks_winner():
    hands = ("5s Ts Ks 2s", "3h 4h", "6c 7c")

    verdict = score(hands, "A 5s Ts Ks", "B", "C", "A 2s", "B", "C")

    assert verdict.outcome.captured == Points(banker=25, idlers=0)


def test_bb_24__points_played_under_a_higher_card_go_to_the_higher_card():
    hands = ("5s 2s", "Th 4h", "Kc 7c")

    verdict = score(hands, "A 5s", "B Th", "C Kc", "A 2s", "B", "C")

    assert verdict.outcome.captured == Points(banker=25, idlers=0)


def test_bb_24__points_left_in_hands_are_void():
    hands = ("5s", "Th Kh", "Tc Kc")

    verdict = score(hands, "A 5s", "B", "C")

    assert verdict.outcome.captured == Points(banker=5, idlers=0)


def test_bb_9__a_trick_finished_after_the_end_still_scores():
    hands = ("3s 3h", "4h 5h", "Kc Kd 7c")

    verdict = score(hands, "A 3s 3h", "B", "C Kc Kd", "B")

    assert verdict.outcome.captured == Points(banker=0, idlers=20)


@pytest.mark.parametrize(
    ("hands", "plays", "giver", "after"),
    [
        pytest.param(("3s", "4h 5h", "6c 7c"), "A 3s, B, C", Side.IDLERS, Points(20, -20), id="banker first"),
        pytest.param(("3s", "4h", "6c 7c"), "A 3s, B 4h, C 6c", Side.IDLERS, Points(20, -20), id="banker, idler"),
        pytest.param(("3s 9s", "4h", "6c"), "B 4h, C 6c, A", Side.BANKER, Points(-20, 20), id="both idlers first"),
        pytest.param(("9s", "4h", "6c"), "B 4h, C 6c, A 9s", Side.BANKER, Points(-20, 20), id="banker last of three"),
        pytest.param(("9s", "4h", "6c 7c"), "B 4h, C 6c, A 9s, C", None, Points(0, 0), id="banker between"),
        pytest.param(("9s", "4h", "6c 2h"), "B 4h, C 6c, A 9s, C 2h", None, Points(0, 0), id="banker between, 2"),
    ],
)
def test_bb_25__twenty_points_go_to_a_banker_first_out_or_to_idlers_both_before_him(hands, plays, giver, after):
    given_plays = plays.split(", ")

    outcome = score(hands, *given_plays).outcome

    assert (outcome.gave_20, outcome.after_transfer) == (giver, after)


@pytest.mark.parametrize(
    ("hands", "plays", "negative"),
    [
        pytest.param(("3s", "4h 6h", "7c 8c"), "A 3s, B, C", Side.IDLERS, id="idlers at -20"),
        pytest.param(("3s 3h", "4h", "Kc Kd 7c"), "A 3s 3h, B, C Kc Kd, B", Side.IDLERS, id="idlers at exactly 0"),
        pytest.param(("3s 3h 3c", "4h", "Kc Kd Kh"), "A 3s 3h 3c, B, C Kc Kd Kh, B", None, id="idlers at 10"),
        pytest.param(("9s 3s", "4h", "6c"), "B 4h, C 6c, A", Side.BANKER, id="banker at -20"),
        pytest.param(
            ("Ks Kh 3s 9d", "4h", "6c"), "A Ks Kh, B, C, A 3s, B 4h, C 6c, A", Side.BANKER, id="banker at exactly 0"
        ),
        pytest.param(
            ("Ks Kh 5d 3s 9d", "4h", "6c"), "A Ks Kh, B, C, A 5d, B, C, A 3s, B 4h, C 6c, A", None, id="banker at 5"
        ),
        pytest.param(("9s", "4h", "6c 7c"), "B 4h, C 6c, A 9s, C", None, id="nobody gave"),
    ],
)
def test_bb_26__a_side_that_gave_and_stands_at_0_or_below_is_negative(hands, plays, negative):
    given_plays = plays.split(", ")

    outcome = score(hands, *given_plays).outcome

    assert outcome.negative == negative
    for idler in outcome.idlers:
        assert ("negative_score" in [factor.name for factor in idler.factors]) == (negative is not None)


@pytest.mark.parametrize(("requires_transfer", "negative"), [(True, None), (False, Side.BANKER)])
def test_bb_26__by_house_rule_a_loser_at_0_is_negative_without_giving(requires_transfer, negative):
    hands = ("9s", "5h", "6c 7c 2h")
    rules = {"negative_requires_transfer": requires_transfer}

    outcome = score(hands, "B 5h", "C 2h", "A", "C 6c", "A 9s", "C", rules=rules).outcome

    assert (outcome.gave_20, outcome.after_transfer) == (None, Points(0, 5))
    assert outcome.negative == negative


@pytest.mark.parametrize(
    ("hands", "plays", "winner"),
    [
        pytest.param(("9s", "4h", "6c 7c"), "B 4h, C 6c, A 9s, C", Side.IDLERS, id="0 : 0, an idler first out"),
        pytest.param(
            ("9s", "Ks Kh Ts Th 6h 8h", "7c 8c"),
            "B Ks Kh, C, A, B Ts Th, C, A, B 6h, C, A 9s, B, C",
            Side.BANKER,
            id="20 : 20, the banker first out",
        ),
        pytest.param(
            ("9s", "Ks Kh Ts Th 5h 6h 8h", "7c 8c"),
            "B Ks Kh, C, A, B Ts Th, C, A, B 5h, C, A, B 6h, C, A 9s, B, C",
            Side.IDLERS,
            id="20 : 25, the banker first out",
        ),
        pytest.param(("3s", "4h 6h", "7c 8c"), "A 3s, B, C", Side.BANKER, id="20 : -20"),
    ],
)
def test_bb_27__the_higher_side_wins_and_of_equal_ones_that_of_the_first_out(hands, plays, winner):
    given_plays = plays.split(", ")

    outcome = score(hands, *given_plays).outcome

    assert outcome.winner == winner


SIDES = {
    Side.BANKER: (("9s", "Kh 4h 6h", "7c 8c"), "B Kh", "C", "A", "B 4h", "C 7c", "A 9s", "B", "C"),
    Side.IDLERS: (("9s", "Kh 4h", "6c 7c"), "B Kh", "C", "A", "B 4h", "C 6c", "A 9s", "C"),
}
"""A hand won by each side: 20 points against −10, and 0 against 10 without a gift."""
BANKER_WINS_20_TO_5 = (
    ("9s 2s", "Kh Ks 5h 4h 6h", "7c 8c"),
    *("B Kh Ks", "C", "A", "B 5h", "C", "A", "B 4h", "C 7c", "A 9s", "B", "C", "A 2s", "B", "C"),
)


@pytest.mark.parametrize(
    ("word", "kai_da_factor", "winner", "factor"),
    [
        (BankWord.FAN_BAO, 1, Side.BANKER, ("fan_bao_won", 4)),
        (BankWord.FAN_BAO, 2, Side.IDLERS, ("fan_bao_lost", 2)),
        (BankWord.KAI_DA, 1, Side.BANKER, None),
        (BankWord.KAI_DA, 1, Side.IDLERS, None),
        (BankWord.KAI_DA, 2, Side.BANKER, ("kai_da", 2)),
        (BankWord.KAI_DA, 2, Side.IDLERS, ("kai_da", 2)),
    ],
)
def test_bb_29__being_banker_multiplies(word, kai_da_factor, winner, factor):
    hands, *plays = SIDES[winner]

    verdict = score(hands, *plays, word=word, rules={"kai_da_factor": kai_da_factor})

    first = verdict.outcome.idlers[0].factors[:1]
    assert verdict.outcome.winner == winner
    assert [(each.name, each.factor) for each in first if each.rule == "BB-29"] == ([factor] if factor else [])


def test_bb_28__seed_example_of_chui_pays_4_and_2():
    hands, *plays = BANKER_WINS_20_TO_5

    verdict = score(hands, *plays, word=BankWord.KAI_DA, chui="AB")

    assert nets(verdict) == {"A": 6, "B": -4, "C": -2}


def test_bb_28__seed_example_of_every_factor_pays_128_and_16():
    hands = ("3s", "4h 6h", "7c 8c")

    verdict = score(hands, "A 3s", "B", "C", chui="AB", dou="B", lei=True)

    assert nets(verdict) == {"A": 144, "B": -128, "C": -16}
    assert verdict.steps[0].text == (
        "stake 1 × fan_bao won 4 × dou 2 × lei 2 × negative_score 2 × chui(banker) 2 × chui(idler) 2 = 128"
    )
    assert verdict.steps[0].text_zh == "1(底分)×4(反包赢)×2(抖)×2(垒)×2(负分)×2(庄锤)×2(闲锤)=128"
    assert verdict.steps[1].text == "stake 1 × fan_bao won 4 × negative_score 2 × chui(banker) 2 = 16"
    assert verdict.steps[1].text_zh == "1(底分)×4(反包赢)×2(负分)×2(庄锤)=16"


@pytest.mark.parametrize("lei", [False, True])
@pytest.mark.parametrize("dou", ["", "B", "C", "BC"])
@pytest.mark.parametrize("chui", ["", "A", "B", "AC", "BC", "ABC"])
@pytest.mark.parametrize("word", [BankWord.FAN_BAO, BankWord.KAI_DA])
@pytest.mark.parametrize("winner", list(Side))
def test_bb_28__every_combination_of_factors_is_their_product_pair_by_pair(winner, word, chui, dou, lei):
    hands, *plays = SIDES[winner]
    is_lei = lei and bool(dou)
    banker_factor = 1 if word == BankWord.KAI_DA else 4 if winner is Side.BANKER else 2

    verdict = score(hands, *plays, word=word, chui=chui, dou=dou, lei=is_lei)

    negative = 2 if verdict.outcome.negative else 1
    for idler, step in zip("BC", verdict.steps, strict=True):
        doubled = (2 if idler in dou else 1) * (2 if idler in dou and is_lei else 1)
        expected = banker_factor * doubled * negative * (2 if "A" in chui else 1) * (2 if idler in chui else 1)
        assert step.amount == expected
        assert (step.payer, step.payee) == ((idler, "A") if winner is Side.BANKER else ("A", idler))
        assert step.rule == "BB-28"


def test_cm_3__factors_stand_in_the_rulebooks_order():
    hands = ("3s", "4h 6h", "7c 8c")

    verdict = score(hands, "A 3s", "B", "C", chui="ABC", dou="C", lei=True)

    rules = [factor.rule for factor in verdict.steps[1].factors]
    assert rules == ["BB-29", "BB-5", "BB-6", "BB-26", "BB-2", "BB-2"]


@pytest.mark.parametrize(
    ("stake", "is_fitting"),
    [
        pytest.param((2**63 - 1) // 2, True, id="the banker's net just fits"),
        pytest.param(2**62, False, id="each amount fits, the banker's net does not"),
        pytest.param(2**63, False, id="no amount fits"),
    ],
)
def test_cm_1__an_amount_or_a_net_that_is_no_int64_is_refused(stake, is_fitting):
    hands, *plays = BANKER_WINS_20_TO_5

    judged = score(hands, *plays, word=BankWord.KAI_DA, stake=stake)

    assert isinstance(judged, Verdict) == is_fitting
    assert is_fitting or [fault.rule for fault in judged] == ["CM-1"]


def test_cm_1__a_banker_may_lose_as_much_as_the_lowest_int64():
    hands, *plays = SIDES[Side.IDLERS]

    verdict = score(hands, *plays, word=BankWord.KAI_DA, stake=2**62)

    assert nets(verdict)["A"] == -(2**63)
