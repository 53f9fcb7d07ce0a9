"""Laws over legal hands played at random, and over the same hands broken in one place."""

from collections.abc import Callable
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.rules.er_ren_dou_di_zhu.hands import (
    PACK,
    Table,
    escaped_tables,
    finished_tables,
    redealt_tables,
    tables,
)
from tests.rules.er_ren_dou_di_zhu.table import change, find_faults, settle
from zhangfang.rules.games.er_ren_dou_di_zhu.record import AuctionAction, ErRenDouDiZhuHand, Side, Word
from zhangfang.rules.verdict import PENALTIES, Ended

Spoiler = Callable[[ErRenDouDiZhuHand, Random], ErRenDouDiZhuHand]


@given(table=finished_tables, stake=st.integers(1, 10**9))
def test_dz_27__one_pays_the_other_the_stake_times_the_multiplier(table: Table, stake: int) -> None:
    hand, rules = table

    verdict = settle(hand, rules, stake)

    (step,), outcome = verdict.steps, verdict.outcome
    assert verdict.ended == Ended.NORMAL
    assert (step.payer, step.payee) == (hand.players[1 - outcome.winner], hand.players[outcome.winner])
    assert step.amount == stake * outcome.multiplier


@given(table=finished_tables)
def test_dz_9__the_last_play_and_no_earlier_one_is_the_winners_last(table: Table) -> None:
    hand, rules = table

    outcome = settle(hand, rules).outcome

    limit = 0 if outcome.winner_side is Side.LANDLORD else outcome.rang_pai
    last_count = len(hand.plays[-1][1].split())
    assert hand.plays[-1][0] == outcome.winner
    assert outcome.cards_left[outcome.winner] <= limit < outcome.cards_left[outcome.winner] + last_count
    assert sum(outcome.cards_left) == 37 - sum(len(cards.split()) for _, cards in hand.plays)


@given(table=finished_tables)
def test_dz_28__who_is_sprung_played_at_most_once(table: Table) -> None:
    hand, rules = table

    outcome = settle(hand, rules).outcome

    played = [sum(seat == of and cards != "" for seat, cards in hand.plays) for of in (0, 1)]
    loser_played = played[1 - outcome.winner]
    assert outcome.spring == (outcome.winner_side is Side.LANDLORD and loser_played == 0)
    assert outcome.anti_spring == (outcome.winner_side is Side.FARMER and loser_played <= 1)


@given(table=escaped_tables, stake=st.integers(1, 10**9))
def test_dz_30__only_the_runaway_pays_and_only_the_penalties_receive(table: Table, stake: int) -> None:
    hand, rules = table

    verdict = settle(hand, rules, stake)

    (step,) = verdict.steps
    assert hand.escape is not None
    assert (verdict.ended, step.payer, step.payee) == (Ended.ESCAPE, hand.players[hand.escape], PENALTIES)
    assert step.amount == 2 * stake * verdict.outcome.multiplier


@given(table=redealt_tables)
def test_dz_3__nobody_pays_for_a_redeal(table: Table) -> None:
    hand, rules = table

    verdict = settle(hand, rules)

    assert (verdict.ended, verdict.steps) == (Ended.REDEAL, ())


@given(table=tables)
def test_cm_3__renaming_the_players_renames_who_pays(table: Table) -> None:
    hand, rules = table
    names = {"Ann": "甲", "Bo": "乙", PENALTIES: PENALTIES}

    before = settle(hand, rules, 3)
    after = settle(replace(hand, players=("甲", "乙")), rules, 3)

    assert after.outcome == before.outcome
    assert [(step.payer, step.payee, step.amount, step.factors) for step in after.steps] == [
        (names[step.payer], names[step.payee], step.amount, step.factors) for step in before.steps
    ]


@given(table=tables, scale=st.integers(2, 10**6))
def test_cm_3__scaling_the_stake_scales_every_amount(table: Table, scale: int) -> None:
    hand, rules = table

    small, large = settle(hand, rules, 1), settle(hand, rules, scale)

    assert [step.amount for step in large.steps] == [scale * step.amount for step in small.steps]


@given(table=finished_tables)
def test_dz_1__changing_places_changes_nothing_but_the_seats(table: Table) -> None:
    hand, rules = table
    assert hand.deal is not None
    mirrored = change(
        hand,
        players=hand.players[::-1],
        hands=hand.deal.hands[::-1],
        auction=tuple([AuctionAction(1 - seat, word) for seat, word in hand.auction]),
        plays=tuple([(1 - seat, cards) for seat, cards in hand.plays]),
    )

    assert settle(mirrored, rules).steps == settle(hand, rules).steps


def spoil_call_card(hand: ErRenDouDiZhuHand, random: Random) -> ErRenDouDiZhuHand:
    assert hand.deal is not None
    unheld = sorted(set(PACK) - {card for cards in hand.deal.hands for card in cards.split()})
    return change(hand, call_card=random.choice(unheld))


def spoil_deal(hand: ErRenDouDiZhuHand, random: Random) -> ErRenDouDiZhuHand:
    assert hand.deal is not None
    cards = hand.deal.hands[0].split()
    cards[random.randrange(17)] = random.choice(["3s", "4h", "x", "", *hand.deal.hands[1].split(), cards[0] + "s"])
    return change(hand, hands=(" ".join(cards), hand.deal.hands[1]))


def spoil_speaker(hand: ErRenDouDiZhuHand, random: Random) -> ErRenDouDiZhuHand:
    index = random.randrange(len(hand.auction))
    spoken = list(hand.auction)
    spoken[index] = AuctionAction(1 - spoken[index].seat, spoken[index].word)
    return change(hand, auction=tuple(spoken))


def spoil_last_word(hand: ErRenDouDiZhuHand, random: Random) -> ErRenDouDiZhuHand:
    return change(hand, auction=hand.auction[: random.randrange(len(hand.auction))])


def spoil_auction_end(hand: ErRenDouDiZhuHand, random: Random) -> ErRenDouDiZhuHand:
    seat = 1 - hand.auction[-1].seat
    return change(hand, auction=(*hand.auction, AuctionAction(seat, random.choice(list(Word)))))


def spoil_rang_xian(hand: ErRenDouDiZhuHand, random: Random) -> ErRenDouDiZhuHand:
    return change(hand, rang_xian=None if random.random() < 0.5 else not hand.rang_xian)


def spoil_seat(hand: ErRenDouDiZhuHand, random: Random) -> ErRenDouDiZhuHand:
    index = random.randrange(len(hand.plays))
    seat, cards = hand.plays[index]
    return change(hand, plays=(*hand.plays[:index], (1 - seat, cards), *hand.plays[index + 1 :]))


def spoil_cards(hand: ErRenDouDiZhuHand, random: Random) -> ErRenDouDiZhuHand:
    """The same cards once more later on: they are not held then."""
    index = random.choice([index for index, (_, cards) in enumerate(hand.plays) if cards])
    seat, cards = hand.plays[index]
    return change(hand, plays=(*hand.plays[: index + 1], *[(s, "") for s in (1 - seat,)], (seat, cards)))


def spoil_lead(hand: ErRenDouDiZhuHand, random: Random) -> ErRenDouDiZhuHand:
    return change(hand, plays=((hand.plays[0][0], ""), *hand.plays[1:]))


def spoil_end(hand: ErRenDouDiZhuHand, random: Random) -> ErRenDouDiZhuHand:
    if random.random() < 0.5:
        return change(hand, plays=hand.plays[: random.randrange(len(hand.plays))])
    return change(hand, plays=(*hand.plays, (random.randrange(2), random.choice(["", "5s"]))))


def spoil_escape(hand: ErRenDouDiZhuHand, random: Random) -> ErRenDouDiZhuHand:
    return change(hand, escape=random.randrange(2))


@pytest.mark.parametrize(
    ("spoil", "rules_broken"),
    [
        pytest.param(spoil_call_card, {"DZ-2"}, id="call_card"),
        pytest.param(spoil_deal, {"DZ-1"}, id="deal"),
        pytest.param(spoil_speaker, {"DZ-2", "DZ-3", "DZ-4"}, id="speaker"),
        pytest.param(spoil_last_word, {"DZ-3", "DZ-4"}, id="auction_cut"),
        pytest.param(spoil_auction_end, {"DZ-4"}, id="auction_goes_on"),
        pytest.param(spoil_rang_xian, {"DZ-6"}, id="rang_xian"),
        pytest.param(spoil_seat, {"DZ-6", "DZ-8"}, id="seat"),
        pytest.param(spoil_cards, {"DZ-8", "DZ-9"}, id="cards_again"),
        pytest.param(spoil_lead, {"DZ-8"}, id="leader_passes"),
        pytest.param(spoil_end, {"DZ-9"}, id="end"),
        pytest.param(spoil_escape, {"DZ-30"}, id="escape_after_the_end"),
    ],
)
@settings(max_examples=50)
@given(table=finished_tables, seed=st.integers(0, 2**32))
def test_cm_5__one_thing_wrong_is_a_fault_of_its_rule(
    spoil: Spoiler, rules_broken: set[str], table: Table, seed: int
) -> None:
    hand, rules = table
    random = Random(seed)  # noqa: S311 - only picks what is broken

    faults = find_faults(spoil(hand, random), rules)

    assert {fault.rule for fault in faults} <= rules_broken


@given(table=tables)
def test_cm_5__the_same_hand_has_the_same_verdict(table: Table) -> None:
    hand, rules = table

    first, second = settle(hand, rules), settle(hand, rules)

    assert first == second
