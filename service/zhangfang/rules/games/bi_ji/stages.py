"""A 比機 hand that arrives piece by piece: players, deal, one layout each.

Between the deal and his layout a player's nine cards stand in the record as ``unlaid``, so that a hand that ends early
is judged like any other: who has not laid is laid or refused as the table says (BJ-2).
"""

from collections.abc import Mapping
from dataclasses import replace

from zhangfang.rules.cards import split_cards
from zhangfang.rules.game import Opening, Progress
from zhangfang.rules.games.bi_ji.judge import (
    HAND_CARDS,
    check_order,
    check_shape,
    read_cards,
    read_layout,
    split_layout,
)
from zhangfang.rules.games.bi_ji.record import BiJiHand, BiJiRules, Deal, Ending, Layout, LayoutChoice
from zhangfang.rules.verdict import Fault, Faults

LAYOUT = "layout"


def begin(players: tuple[str, ...]) -> BiJiHand:
    """A hand in which the players sit, in seat order, and nothing is dealt yet."""
    return BiJiHand(players)


def deal(record: BiJiHand, dealt: Deal, rules: BiJiRules) -> BiJiHand | Faults:  # noqa: ARG001
    """Everybody gets nine cards of one pack, once (發牌). Rule: BJ-1."""
    players, hands = record.players, dealt.hands
    if record.layouts:
        return (Fault(rule="BJ-1", section="deal", text="the cards are dealt already; a hand is dealt once"),)
    if len(hands) != len(players):
        text = f"{len(hands)} hands are dealt to {len(players)} players; each gets one"
        return (Fault(rule="BJ-1", section="deal", text=text),)
    counts: list[Fault] = []
    card_faults: list[Fault] = []
    seen = 0
    for player, hand in zip(players, hands, strict=True):
        texts = split_cards(hand)
        if len(texts) != HAND_CARDS:
            text = f"{player} is dealt {len(texts)} cards; everybody gets nine"
            counts.append(Fault(rule="BJ-1", section="deal", player=player, text=text))
        _, held, faults = read_cards(player, [texts], seen, is_laid=False)
        seen |= held
        card_faults.extend(faults)
    faults_found = (*counts, *card_faults)
    return faults_found or replace(record, layouts=tuple([Layout(unlaid=hand) for hand in hands]))


def choose(
    record: BiJiHand,
    player: str,
    choice: LayoutChoice,
    rules: BiJiRules,
    stake: int,  # noqa: ARG001
    silver: Mapping[str, int],  # noqa: ARG001
) -> BiJiHand | Faults:
    """A player lays his nine cards, once and ascending (搭牌). Rule: BJ-1, BJ-2.

    Returns:
        The record with his layout, or everything that is wrong with it.
    """
    if player not in record.players:
        text = f"{player} has no seat in this hand; only {', '.join(record.players)} lay"
        return (Fault(rule="BJ-1", section="layouts", player=player, text=text),)
    if not record.layouts:
        text = f"{player} lays before the deal; a layout holds nine dealt cards"
        return (Fault(rule="BJ-1", section="layouts", player=player, text=text),)
    seat = record.players.index(player)
    dealt = record.layouts[seat].unlaid
    if not dealt:
        text = f"{player} has laid already; a layout lies"
        return (Fault(rule="BJ-2", section="layouts", player=player, text=text),)
    layout = Layout(choice.groups)
    faults = _check_layout(player, layout, dealt, rules)
    if faults:
        return faults
    return replace(record, layouts=(*record.layouts[:seat], layout, *record.layouts[seat + 1 :]))


def finish(record: BiJiHand, ending: Ending, rules: BiJiRules) -> BiJiHand | Faults:  # noqa: ARG001
    """Time is up (搭牌時間到). Nothing is added: the judge lays or refuses what is missing. Rule: BJ-2."""
    return record


def progress(record: BiJiHand, rules: BiJiRules) -> Progress:  # noqa: ARG001
    """The deal is awaited, then the layouts of who has not laid, then the finish."""
    if not record.layouts:
        return Progress("deal", ())
    missing = [player for player, layout in zip(record.players, record.layouts, strict=True) if layout.unlaid]
    return Progress(LAYOUT if missing else "finish", tuple([Opening(player, (LAYOUT,)) for player in missing]))


def _check_layout(player: str, layout: Layout, dealt: str, rules: BiJiRules) -> Faults:
    """What the judge would find wrong with the layout, and cards that were not dealt to him."""
    texts = split_layout(layout)
    shape_fault = check_shape(player, layout, texts, rules)
    cards, held, card_faults = read_cards(player, texts, 0, is_laid=True)
    own = set(split_cards(dealt))
    faulty = {fault.card for fault in card_faults}
    for pot, group in enumerate(texts, 1):
        for card in group:
            if card not in own and card not in faulty:
                text = f"{card} in {player}'s pot {pot} was not dealt to him; he lays his own nine cards"
                fault = Fault(rule="BJ-1", section="layouts", player=player, pot=pot, card=card, text=text)
                card_faults.append(fault)
    if shape_fault or card_faults:
        return (shape_fault, *card_faults) if shape_fault else tuple(card_faults)
    keys = read_layout(layout, cards, held, rules).keys
    return () if keys[0] <= keys[1] <= keys[2] else (check_order(player, keys),)
