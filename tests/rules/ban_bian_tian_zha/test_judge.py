"""The whole judge: its order, what ends it, and the laws that every hand obeys."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.rules.ban_bian_tian_zha.hands import PACK, hand_of_seed, legal_hands
from zhangfang.rules.games.ban_bian_tian_zha import GAME
from zhangfang.rules.games.ban_bian_tian_zha.record import (
    BanBianTianZhaDeal,
    BanBianTianZhaRules,
    BankWord,
    Dou,
)
from zhangfang.rules.verdict import Ended, Verdict

HANDS = [hand_of_seed(seed) for seed in range(20)]
SURRENDERED = next(hand for hand in HANDS if hand.record.bank[-1].word == BankWord.SURRENDER)
PLAYED = next(hand for hand in HANDS if len(hand.record.plays) > 20)


def cited(faults):
    return [(fault.rule, fault.section, fault.action, fault.player, fault.card, fault.field) for fault in faults]


@pytest.mark.parametrize("stake", [0, -1])
def test_cm_9__a_stake_is_at_least_1(stake):
    hand = PLAYED

    faults = GAME.judge(hand.record, hand.rules, stake, {})

    assert cited(faults) == [("CM-9", "stake", None, None, None, "stake")]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("first_lead", "DEALER"),
        ("first_lead", 9),
        ("lead_after_out", 9),
        ("kai_da_factor", 0),
        ("kai_da_factor", 3),
    ],
)
def test_cm_4__a_house_rule_out_of_range_is_named(field, value):
    rules = replace(BanBianTianZhaRules(), **{field: value})

    faults = GAME.check_house_rules(rules)

    assert cited(faults) == [("CM-4", "rules", None, None, None, field)]
    assert f"{field} is {value}" in faults[0].text


def test_cm_4__the_other_checks_go_on_under_a_faulty_house_rule():
    hand = replace(PLAYED, rules=replace(PLAYED.rules, first_lead=9, lead_after_out=9, kai_da_factor=9))

    faults = hand.judge()

    assert [fault.field for fault in faults] == ["first_lead", "lead_after_out", "kai_da_factor"]


@pytest.mark.parametrize("players", [("A", "B"), ("A", "B", "C", "D"), ("A", "B", "A"), ()])
def test_bb_1__three_different_players_sit_down(players):
    hand = PLAYED

    faults = hand.judge(players=players)

    assert cited(faults) == [("BB-1", "players", None, None, None, None)]


def with_cards(*changes):
    """The deal of ``PLAYED`` with cards of some seats replaced."""
    hands = list(PLAYED.record.deal.hands)
    for seat, old, new in changes:
        cards = hands[seat].split(" ")
        hands[seat] = " ".join([*cards[:old], *([new] if new else []), *cards[old + 1 :]])
    return BanBianTianZhaDeal(tuple(hands))


def card(seat, place):
    return PLAYED.record.deal.hands[seat].split(" ")[place]


@pytest.mark.parametrize(
    ("deal", "expected"),
    [
        pytest.param(None, [(0, "A", None), (1, "B", None), (2, "C", None)], id="nothing dealt"),
        pytest.param(BanBianTianZhaDeal(()), [(0, "A", None), (1, "B", None), (2, "C", None)], id="no hands"),
        pytest.param(BanBianTianZhaDeal((*PLAYED.record.deal.hands[:2],)), [(2, "C", None)], id="a hand is missing"),
        pytest.param(BanBianTianZhaDeal((*PLAYED.record.deal.hands, "2d")), [(3, None, None)], id="a fourth hand"),
        pytest.param(with_cards((1, 4, "2d")), [(1, "B", "2d")], id="a card outside the pack"),
        pytest.param(with_cards((1, 4, "w")), [(1, "B", "w")], id="the small joker"),
        pytest.param(with_cards((2, 0, "10s")), [(2, "C", "10s")], id="a text that is no card"),
        pytest.param(with_cards((2, 0, card(0, 3))), [(2, "C", card(0, 3))], id="a card of another hand"),
        pytest.param(with_cards((0, 0, card(0, 3))), [(0, "A", card(0, 3))], id="a card twice in a hand"),
        pytest.param(with_cards((0, 0, None)), [(0, "A", None)], id="sixteen cards"),
        pytest.param(
            with_cards((0, 0, None), (1, 1, card(0, 3)), (2, 0, "Zz")),
            [(2, "C", "Zz"), (1, "B", card(0, 3)), (0, "A", None)],
            id="foreign before duplicate before number",
        ),
    ],
)
def test_bb_1__faulty_cards_are_all_named_and_end_the_judging(deal, expected):
    hand = PLAYED

    faults = hand.judge(deal=deal, bank=(), plays=())

    assert cited(faults) == [("BB-1", "deal", action, player, card, None) for action, player, card in expected]


def test_cm_5__settings_choices_and_plays_are_all_named_in_this_order():
    hand = replace(PLAYED, stake=0, rules=replace(PLAYED.rules, kai_da_factor=9))

    faults = hand.judge(dou=(), plays=hand.record.plays[:-1])

    assert [fault.rule for fault in faults] == ["CM-9", "CM-4", "BB-5", "BB-9"]


def test_cm_5__no_play_is_judged_when_nobody_knows_who_banks():
    hand = PLAYED

    faults = hand.judge(bank=(), plays=())

    assert [(fault.rule, fault.section) for fault in faults] == [("BB-3", "bank")]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        pytest.param({"plays": ((1, "3s"),)}, [("plays", 0, "B")], id="a play"),
        pytest.param({"plays": ((9, ""),)}, [("plays", 0, None)], id="a stranger's pass"),
        pytest.param({"dou": (Dou(0, True),)}, [("dou", 0, "A")], id="a dou"),
        pytest.param({"lei": False}, [("lei", None, None)], id="a lei"),
        pytest.param({"lei": True, "plays": ((0, ""),)}, [("lei", None, None), ("plays", 0, "A")], id="both"),
    ],
)
def test_bb_4__a_surrender_ends_the_hand(changes, expected):
    hand = SURRENDERED

    faults = hand.judge(**changes)

    assert [(fault.rule, fault.section, fault.action, fault.player) for fault in faults] == [
        ("BB-4", *place) for place in expected
    ]


@pytest.mark.parametrize("counts_chui", [False, True])
@pytest.mark.parametrize("chui", [(a, b, c) for a in (False, True) for b in (False, True) for c in (False, True)])
def test_bb_4__who_surrenders_pays_each_one_stake_or_by_house_rule_times_both_chui(chui, counts_chui):
    hand = replace(SURRENDERED, rules=BanBianTianZhaRules(surrender_counts_chui=counts_chui), stake=7)
    payer = hand.record.bank[-1].seat

    verdict = hand.judge(chui=chui)

    for idler, step in zip(verdict.outcome.idlers, verdict.steps, strict=True):
        doubled = 2 ** (chui[payer] + chui[idler.seat]) if counts_chui else 1
        assert (step.rule, step.payer, step.payee) == ("BB-4", "ABC"[payer], "ABC"[idler.seat])
        assert step.amount == 7 * doubled
    assert (verdict.outcome.surrendered, verdict.outcome.banker, verdict.outcome.winner) == (payer, None, None)


@settings(max_examples=60, deadline=None)
@given(legal_hands())
def test_every_legal_hand_has_a_verdict_that_balances(hand):
    judged = hand.judge()

    assert isinstance(judged, Verdict), judged
    assert judged.ended is Ended.NORMAL
    assert judged.seats == hand.record.players
    assert all(step.amount >= 1 and step.payer != step.payee for step in judged.steps)
    assert all(step.text.endswith(f" = {step.amount}") for step in judged.steps)
    assert [idler.multiplier * hand.stake for idler in judged.outcome.idlers] == [s.amount for s in judged.steps]


@settings(max_examples=20, deadline=None)
@given(legal_hands(), st.integers(2, 1000))
def test_scaling_the_stake_scales_every_amount(hand, scale):
    once = hand.judge()

    scaled = replace(hand, stake=hand.stake * scale).judge()

    assert [step.amount for step in scaled.steps] == [step.amount * scale for step in once.steps]
    assert scaled.outcome == once.outcome


@settings(max_examples=20, deadline=None)
@given(legal_hands())
def test_renaming_players_renames_the_payments_and_nothing_else(hand):
    names = dict(zip("ABC", ("丙", "a b", "Ω"), strict=True))

    renamed = hand.judge(players=tuple(names.values()))

    steps = [(names[step.payer], names[step.payee], step.amount, step.text) for step in hand.judge().steps]
    assert [(step.payer, step.payee, step.amount, step.text) for step in renamed.steps] == steps


def spoilers(record):
    """One way each to break a played hand, with the rule that must be cited first."""
    plays = record.plays
    last = max(index for index, (_, cards) in enumerate(plays) if cards)
    banker = record.bank[-1].seat
    yield "BB-9", {"plays": plays[:-1]}
    yield "BB-9", {"plays": (*plays, plays[0])}
    yield "BB-7", {"plays": ((plays[0][0], ""), *plays[1:])}
    yield "BB-7", {"plays": (plays[0], plays[0], *plays[1:])}
    yield "BB-7", {"plays": (*plays[:last], (plays[last][0], plays[last][1] + " " + plays[0][1]), *plays[last + 1 :])}
    yield "BB-5", {"dou": record.dou[:1]}
    yield "BB-5", {"dou": (*record.dou, Dou(banker, dou=False))}
    yield "BB-5", {"dou": (*record.dou, record.dou[0])}
    yield "BB-6", {"lei": None if any(said.dou for said in record.dou) else True}
    yield "BB-3", {"bank": (*record.bank, record.bank[0]._replace(word=BankWord.PASS))}
    yield "BB-4", {"bank": (*record.bank, record.bank[-1]._replace(word=BankWord.KAI_DA))}
    yield "BB-2", {"chui": record.chui[:2]}
    yield "BB-1", {"deal": BanBianTianZhaDeal((record.deal.hands[0], *record.deal.hands[:2]))}


@settings(max_examples=30, deadline=None)
@given(legal_hands(surrenders=False))
def test_cm_5__any_single_spoiler_is_a_fault_of_its_rule(hand):
    for rule, changes in spoilers(hand.record):
        faults = hand.judge(**changes)

        assert not isinstance(faults, Verdict), rule
        assert faults[0].rule == rule
        assert all(fault.text for fault in faults)


@settings(max_examples=30, deadline=None)
@given(legal_hands(surrenders=False), st.randoms(use_true_random=False))
def test_bb_7__a_card_from_elsewhere_is_never_playable(hand, random):
    plays = hand.record.plays
    index = random.choice([index for index, (_, cards) in enumerate(plays) if cards])
    seat, cards = plays[index]
    foreign = random.choice([card for card in PACK if card not in hand.record.deal.hands[seat].split(" ")])

    faults = hand.judge(plays=(*plays[:index], (seat, f"{cards} {foreign}"), *plays[index + 1 :]))

    assert [(fault.rule, fault.action) for fault in faults] == [("BB-7", index)]
