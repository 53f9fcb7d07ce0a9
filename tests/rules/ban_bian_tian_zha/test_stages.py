"""A hand that arrives piece by piece: the same checks, one choice at a time."""

from dataclasses import replace

import pytest
from hypothesis import given, settings

from tests.rules.ban_bian_tian_zha.hands import PACK, PLAYERS, legal_hands
from zhangfang.rules.game import Opening
from zhangfang.rules.games.ban_bian_tian_zha import GAME
from zhangfang.rules.games.ban_bian_tian_zha.record import (
    BanBianTianZhaChoice,
    BanBianTianZhaDeal,
    BanBianTianZhaEnding,
    BanBianTianZhaRules,
    BankWord,
    ChoiceKind,
)

RULES = BanBianTianZhaRules()
B_HAS_THE_BIG_JOKER = BanBianTianZhaDeal(tuple(" ".join(PACK[start : start + 17]) for start in (0, 34, 17)))


def choose(record, player, kind, value):
    return GAME.choose(record, player, BanBianTianZhaChoice(kind and ChoiceKind(kind), value), RULES, 1, {})


def hand_after(*choices, is_dealt=True):
    """An open hand after choices like ``A bank pass`` or ``A dou`` (a yes) or ``A dou no``."""
    record = GAME.begin(PLAYERS)
    if is_dealt:
        for player in PLAYERS:
            record = choose(record, player, "chui", value=player == "A")
        record = GAME.deal(record, B_HAS_THE_BIG_JOKER, RULES)
    for text in choices:
        record = choose(record, *parts_of(text))
        assert not isinstance(record, tuple), record
    return record


def parts_of(text):
    player, kind, *word = text.split(" ")
    return player, kind, BankWord(word[0]) if kind == "bank" else word != ["no"]


def feed(record, rules):
    """Gives a finished record to an open hand piece by piece."""
    hand = GAME.begin(record.players)
    for seat in (2, 0, 1):  # chui is said in any order
        hand = choose(hand, record.players[seat], "chui", record.chui[seat])
    hand = GAME.deal(hand, record.deal, rules)
    for seat, word in record.bank:
        hand = choose(hand, record.players[seat], "bank", word)
    for seat, said in record.dou:
        hand = choose(hand, record.players[seat], "dou", said)
    if record.lei is not None:
        hand = choose(hand, record.players[record.bank[-1].seat], "lei", record.lei)
    return hand


@settings(max_examples=40, deadline=None)
@given(legal_hands())
def test_every_legal_hand_fed_piece_by_piece_is_judged_as_in_one_shot(hand):
    opened = feed(hand.record, hand.rules)

    finished = GAME.finish(opened, BanBianTianZhaEnding(hand.record.plays), hand.rules)

    assert finished == hand.record
    assert GAME.judge(finished, hand.rules, hand.stake, {}) == hand.judge()
    assert GAME.progress(opened, hand.rules).is_over == (hand.record.bank[-1].word == BankWord.SURRENDER)


@pytest.mark.parametrize(
    ("record", "phase", "openings"),
    [
        pytest.param(GAME.begin(PLAYERS), "chui", [("A", "chui"), ("B", "chui"), ("C", "chui")], id="all may say chui"),
        pytest.param(hand_after("B chui", is_dealt=False), "chui", [("A", "chui"), ("C", "chui")], id="B has"),
        pytest.param(replace(GAME.begin(PLAYERS), chui=(True,) * 3), "deal", [], id="all have"),
        pytest.param(hand_after(), "bank", [("A", "fan_bao", "pass"), ("C", "fan_bao", "pass")], id="claims"),
        pytest.param(hand_after("C bank pass"), "bank", [("A", "fan_bao", "pass")], id="one claimant left"),
        pytest.param(hand_after("C bank pass", "A bank pass"), "bank", [("B", "kai_da", "surrender")], id="the joker"),
        pytest.param(hand_after("C bank fan_bao"), "dou", [("A", "dou"), ("B", "dou")], id="dou"),
        pytest.param(hand_after("C bank fan_bao", "B dou"), "dou", [("A", "dou")], id="one idler left"),
        pytest.param(hand_after("C bank fan_bao", "B dou", "A dou no"), "lei", [("C", "lei")], id="lei"),
        pytest.param(hand_after("C bank fan_bao", "B dou", "A dou no", "C lei no"), "play", [], id="lei said"),
        pytest.param(hand_after("C bank fan_bao", "B dou no", "A dou no"), "play", [], id="no dou, no lei"),
        pytest.param(hand_after("C bank pass", "A bank pass", "B bank surrender"), "over", [], id="surrendered"),
    ],
)
def test_progress_names_the_phase_and_who_may_choose_what(record, phase, openings):
    given_record = record

    progress = GAME.progress(given_record, RULES)

    assert progress.phase == phase
    assert progress.openings == tuple(Opening(player, tuple(kinds)) for player, *kinds in openings)
    assert progress.is_over == (phase == "over")


SURRENDERED = ("A bank pass", "C bank pass", "B bank surrender")
BANKED = ("A bank fan_bao",)
DOUBLED = (*BANKED, "B dou", "C dou no")


@pytest.mark.parametrize(
    ("before", "text", "rule"),
    [
        pytest.param((), "A chui", "BB-2", id="chui twice"),
        pytest.param((), "D chui", "BB-2", id="chui by a stranger"),
        pytest.param((), "D bank pass", "BB-3", id="a word by a stranger"),
        pytest.param((), "B bank pass", "BB-3", id="a pass by the holder"),
        pytest.param((), "A bank kai_da", "BB-4", id="kai_da by a claimant"),
        pytest.param((), "B bank surrender", "BB-4", id="surrender before both passed"),
        pytest.param(BANKED, "C bank fan_bao", "BB-3", id="a late claim"),
        pytest.param(SURRENDERED, "A bank fan_bao", "BB-4", id="a claim after the surrender"),
        pytest.param((), "B dou", "BB-5", id="dou before the bank is decided"),
        pytest.param(("A bank pass",), "B dou", "BB-5", id="dou while claims are open"),
        pytest.param(BANKED, "A dou", "BB-5", id="dou by the banker"),
        pytest.param((*BANKED, "B dou"), "B dou no", "BB-5", id="dou twice"),
        pytest.param(SURRENDERED, "A dou", "BB-4", id="dou after the surrender"),
        pytest.param((), "A lei", "BB-6", id="lei before the bank is decided"),
        pytest.param((*BANKED, "B dou"), "A lei", "BB-6", id="lei while a dou is open"),
        pytest.param(DOUBLED, "B lei", "BB-6", id="lei by an idler"),
        pytest.param((*DOUBLED, "A lei no"), "A lei", "BB-6", id="lei twice"),
        pytest.param((*BANKED, "B dou no", "C dou no"), "A lei", "BB-6", id="lei without dou"),
        pytest.param(SURRENDERED, "B lei no", "BB-4", id="lei after the surrender"),
    ],
)
def test_bb_2_to_6__a_choice_that_cannot_be_made_cites_the_judges_rule(before, text, rule):
    record = hand_after(*before)

    faults = choose(record, *parts_of(text))

    assert [fault.rule for fault in faults] == [rule]
    assert faults[0].text


@pytest.mark.parametrize(("text", "rule"), [("A bank pass", "BB-3"), ("B bank kai_da", "BB-4")])
def test_bb_3__nobody_speaks_for_the_bank_before_the_deal(text, rule):
    record = hand_after(is_dealt=False)

    faults = choose(record, *parts_of(text))

    assert [fault.rule for fault in faults] == [rule]


def test_a_choice_of_nothing_is_refused():
    record = hand_after()

    faults = choose(record, "A", None, None)

    assert [(fault.rule, fault.player) for fault in faults] == [("BB-2", "A")]


def test_bb_2__nothing_is_dealt_before_everybody_has_said_chui_or_not():
    record = choose(GAME.begin(PLAYERS), "A", "chui", value=True)

    faults = GAME.deal(record, B_HAS_THE_BIG_JOKER, RULES)

    assert [(fault.rule, fault.action) for fault in faults] == [("BB-2", 1)]


def test_bb_1__a_hand_is_dealt_once():
    record = hand_after()

    faults = GAME.deal(record, B_HAS_THE_BIG_JOKER, RULES)

    assert [(fault.rule, fault.section) for fault in faults] == [("BB-1", "deal")]


def test_bb_1__faulty_cards_are_not_dealt():
    record = replace(GAME.begin(PLAYERS), chui=(False,) * 3)

    faults = GAME.deal(record, BanBianTianZhaDeal(("5s",) * 3), RULES)

    assert [fault.rule for fault in faults] == ["BB-1"] * 5
