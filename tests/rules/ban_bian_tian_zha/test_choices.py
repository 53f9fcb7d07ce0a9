"""The choices before play: who may say what, and when it is too late."""

from dataclasses import replace

import pytest

from tests.rules.ban_bian_tian_zha.hands import PACK, PLAYERS
from zhangfang.rules.games.ban_bian_tian_zha.choices import bank_phase_fault, doubling_fault
from zhangfang.rules.games.ban_bian_tian_zha.record import (
    BanBianTianZhaDeal,
    BanBianTianZhaHand,
    BankAction,
    BankWord,
    Dou,
)

B_HAS_THE_BIG_JOKER = BanBianTianZhaDeal(tuple(" ".join(PACK[start : start + 17]) for start in (0, 34, 17)))
CHUI = (True, False, False)


def cited(fault):
    return fault and (fault.rule, fault.section, fault.action, fault.player)


def bank(*said):
    """Words for the bank from texts like ``A pass``; a word that does not exist stays a text."""
    actions = [text.split(" ") for text in said]
    seats = {player: seat for seat, player in enumerate(PLAYERS)}
    words = {str(word): word for word in BankWord}
    return tuple(BankAction(seats.get(player, -1), words.get(word, word)) for player, word in actions)


def hand_with(said, dou="", lei=None, silent=""):
    """A hand in which B holds the big joker; every idler but the ``silent`` has spoken of dou."""
    actions = bank(*said)
    idlers = [seat for seat in range(3) if seat != actions[-1].seat and PLAYERS[seat] not in silent]
    spoken = tuple(Dou(seat, PLAYERS[seat] in dou) for seat in idlers)
    return BanBianTianZhaHand(PLAYERS, CHUI, B_HAS_THE_BIG_JOKER, actions, spoken, lei)


@pytest.mark.parametrize(
    ("chui", "action"),
    [
        pytest.param((), 0, id="nobody has spoken"),
        pytest.param((True, None, False), 1, id="B is silent"),
        pytest.param((True, False), 2, id="only two have spoken"),
        pytest.param((True, False, True, False), 3, id="a fourth speaks"),
    ],
)
def test_bb_2__each_of_three_says_chui_or_not(chui, action):
    record = BanBianTianZhaHand(PLAYERS, chui, B_HAS_THE_BIG_JOKER, bank("A fan_bao"))

    fault = bank_phase_fault(record)

    assert cited(fault) == ("BB-2", "chui", action, None)


@pytest.mark.parametrize(
    "said",
    [
        ["A fan_bao"],
        ["C fan_bao"],
        ["A pass", "C fan_bao"],
        ["C pass", "A fan_bao"],
        ["A pass", "C pass", "B kai_da"],
        ["C pass", "A pass", "B surrender"],
    ],
    ids=" ".join,
)
def test_bb_3__the_bank_is_decided_by_a_claim_or_by_the_big_joker(said):
    record = BanBianTianZhaHand(PLAYERS, CHUI, B_HAS_THE_BIG_JOKER, bank(*said))

    fault = bank_phase_fault(record)

    assert fault is None


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        pytest.param([], ("BB-3", 0, None), id="nobody speaks"),
        pytest.param(["A pass"], ("BB-3", 1, None), id="one claimant is silent"),
        pytest.param(["B fan_bao"], ("BB-3", 0, "B"), id="fan_bao by the holder"),
        pytest.param(["A pass", "B pass"], ("BB-3", 1, "B"), id="pass by the holder"),
        pytest.param(["A pass", "A pass"], ("BB-3", 1, "A"), id="pass twice"),
        pytest.param(["A pass", "A fan_bao"], ("BB-3", 1, "A"), id="fan_bao after a pass of his own"),
        pytest.param(["A pass", "C pass", "A fan_bao"], ("BB-3", 2, "A"), id="fan_bao after both passed"),
        pytest.param(["A fan_bao", "C fan_bao"], ("BB-3", 1, "C"), id="a later claim"),
        pytest.param(["A fan_bao", "C pass"], ("BB-3", 1, "C"), id="a pass after the claim"),
        pytest.param(["A pass", "C pass", "B kai_da", "A pass"], ("BB-3", 3, "A"), id="a pass after kai_da"),
        pytest.param(["X pass"], ("BB-3", 0, None), id="a stranger passes"),
        pytest.param(["A yes"], ("BB-3", 0, "A"), id="a word that does not exist"),
    ],
)
def test_bb_3__a_wrong_claim_or_pass_is_a_fault(said, expected):
    record = BanBianTianZhaHand(PLAYERS, CHUI, B_HAS_THE_BIG_JOKER, bank(*said))

    fault = bank_phase_fault(record)

    assert cited(fault) == (expected[0], "bank", *expected[1:])


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        pytest.param(["A pass", "C pass"], ("BB-4", 2, None), id="the holder is silent"),
        pytest.param(["B kai_da"], ("BB-4", 0, "B"), id="before anybody passed"),
        pytest.param(["A pass", "B surrender"], ("BB-4", 1, "B"), id="before both passed"),
        pytest.param(["A kai_da"], ("BB-4", 0, "A"), id="kai_da by a claimant"),
        pytest.param(["A pass", "C pass", "C surrender"], ("BB-4", 2, "C"), id="surrender by a claimant"),
        pytest.param(["A fan_bao", "B kai_da"], ("BB-4", 1, "B"), id="kai_da after a claim"),
        pytest.param(["A pass", "C pass", "B kai_da", "B surrender"], ("BB-4", 3, "B"), id="surrender after kai_da"),
        pytest.param(["A pass", "C pass", "B surrender", "A pass"], ("BB-4", 3, "A"), id="a word after the surrender"),
        pytest.param(["X kai_da"], ("BB-4", 0, None), id="a stranger"),
        pytest.param(["A pass", "C pass", "B maybe"], ("BB-4", 2, "B"), id="a word that does not exist"),
    ],
)
def test_bb_4__only_the_holder_of_the_big_joker_decides_after_two_passes(said, expected):
    record = BanBianTianZhaHand(PLAYERS, CHUI, B_HAS_THE_BIG_JOKER, bank(*said))

    fault = bank_phase_fault(record)

    assert cited(fault) == (expected[0], "bank", *expected[1:])


SURRENDER = ["A pass", "C pass", "B surrender"]


@pytest.mark.parametrize(
    ("dou", "expected"),
    [
        pytest.param((), ("BB-5", 1, None), id="nobody speaks"),
        pytest.param((Dou(1, False),), ("BB-5", 2, None), id="C is silent"),
        pytest.param((Dou(2, True), Dou(0, True)), ("BB-5", 0, "A"), id="the banker says dou"),
        pytest.param((Dou(0, False), Dou(1, True), Dou(2, True)), ("BB-5", 0, "A"), id="the banker says no"),
        pytest.param((Dou(1, True), Dou(1, True), Dou(2, True)), ("BB-5", 1, "B"), id="twice"),
        pytest.param((Dou(3, True),), ("BB-5", 3, None), id="a stranger"),
    ],
)
def test_bb_5__each_idler_and_nobody_else_speaks_of_dou_once(dou, expected):
    record = replace(hand_with(["A fan_bao"]), dou=dou)

    fault = doubling_fault(record)

    assert cited(fault) == (expected[0], "dou", *expected[1:])


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        pytest.param(hand_with(["A fan_bao"], dou="B", lei=True), None, id="lei"),
        pytest.param(hand_with(["A fan_bao"], dou="BC", lei=False), None, id="lei left"),
        pytest.param(hand_with(["A fan_bao"]), None, id="no dou, no lei"),
        pytest.param(hand_with(["A fan_bao"], lei=False), None, id="no dou, lei left all the same"),
        pytest.param(hand_with(["A fan_bao"], lei=True), ("BB-6", "lei", None, "A"), id="lei without dou"),
        pytest.param(hand_with(["A fan_bao"], dou="C"), ("BB-6", "lei", None, None), id="lei not said"),
        pytest.param(hand_with(["A fan_bao"], lei=True, silent="C"), ("BB-5", "dou", 2, None), id="dou before lei"),
    ],
)
def test_bb_6__lei_is_the_bankers_answer_to_a_dou(record, expected):
    given_record = record

    fault = doubling_fault(given_record)

    assert cited(fault) == expected


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        pytest.param(hand_with(SURRENDER, silent="AC"), None, id="nothing more"),
        pytest.param(hand_with(SURRENDER, dou="A"), ("BB-4", "dou", 0, "A"), id="dou"),
        pytest.param(hand_with(SURRENDER, silent="AC", lei=False), ("BB-4", "lei", None, None), id="lei"),
    ],
)
def test_bb_4__nothing_is_chosen_after_a_surrender(record, expected):
    given_record = record

    fault = doubling_fault(given_record)

    assert cited(fault) == expected
