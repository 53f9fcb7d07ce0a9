"""Whether a 比機 hand was played by the rules, and what it pays.

The faults stand in this order: players, stake, house rules, the shape of each layout by seat, cards, the order of the
groups. A player whose layout has a faulty shape or faulty cards is not judged for the order of his groups.

Rule: BJ-1, BJ-2, CM-4, CM-5, CM-9.
"""

from collections.abc import Mapping, Sequence

from zhangfang.rules.cards import CARDS, cards_text, split_cards
from zhangfang.rules.games.bi_ji.groups import group_key, group_text
from zhangfang.rules.games.bi_ji.laying import lay_cards
from zhangfang.rules.games.bi_ji.record import BiJiHand, BiJiRules, LateLayout, Layout, check_house_rules
from zhangfang.rules.games.bi_ji.settlement import LaidHand, settle_hand
from zhangfang.rules.verdict import Fault, Faults, Verdict

SEATS_MIN = 2
SEATS_MAX = 5
HAND_CARDS = 9
THREE_BY_THREE = [3, 3, 3]
NO_LAYOUT = Layout()
_BITS = [1 << card for card in range(54)]

Texts = list[list[str]]
"""The card texts of a layout, one list a group; the cards of who has not laid are one list of nine."""


def judge(record: BiJiHand, rules: BiJiRules, stake: int, silver: Mapping[str, int]) -> Verdict | Faults:  # noqa: ARG001
    """The whole page: a finished hand in, what it pays or all its faults out.

    Args:
        record: the hand; cards in the rulebook's notation.
        rules: the table's house rules.
        stake: silver, ≥ 1.
        silver: not looked at; what a loser cannot pay is CM-6's business.

    >>> hand = BiJiHand(("A", "B"), (
    ...     Layout(("8s 4h Th", "3s Qd 3c", "Qh Kh Ah")), Layout(("3d Ac 3h", "Jd Jh Kc", "w 7s Qs"))))
    >>> [(step.payer, step.payee, step.amount) for step in judge(hand, BiJiRules(), 320, {}).steps]
    [('A', 'B', 320), ('A', 'B', 320), ('B', 'A', 320)]
    """
    players = record.players
    layouts = (record.layouts + (NO_LAYOUT,) * len(players))[: len(players)]
    shape_faults: list[Fault] = []
    card_faults: list[Fault] = []
    order_faults: list[Fault] = []
    laid: list[LaidHand] = []
    seen = 0
    for player, layout in zip(players, layouts, strict=True):
        texts = split_layout(layout)
        shape_fault = check_shape(player, layout, texts, rules)
        cards, held, faults = read_cards(player, texts, seen, is_laid=not layout.unlaid)
        seen |= held
        if shape_fault:
            shape_faults.append(shape_fault)
        card_faults.extend(faults)
        if shape_fault or faults:
            continue
        hand = read_layout(layout, cards, held, rules)
        laid.append(hand)
        first, second, third = hand.keys
        if not first <= second <= third:
            order_faults.append(check_order(player, hand.keys))
    all_faults = (
        *check_players(record),
        *check_stake(stake),
        *check_house_rules(rules),
        *shape_faults,
        *card_faults,
        *order_faults,
    )
    return all_faults or settle_hand(players, laid, stake)


def check_players(record: BiJiHand) -> Faults:
    """Two to five different players, and no layout without a player. Rule: BJ-1."""
    players = record.players
    faults = []
    if not SEATS_MIN <= len(players) <= SEATS_MAX:
        text = f"a hand has {SEATS_MIN} to {SEATS_MAX} players, not {len(players)}"
        faults.append(Fault(rule="BJ-1", section="players", text=text))
    if len(record.layouts) > len(players):
        text = f"there are {len(record.layouts)} layouts for {len(players)} players; each player lays one"
        faults.append(Fault(rule="BJ-1", section="layouts", text=text))
    # One look a seat: a request may name a million players, and looking back from each would take hours.
    first_seats: dict[str, int] = {}
    for seat, player in enumerate(players):
        first_seat = first_seats.setdefault(player, seat)
        if first_seat != seat:
            text = f"{player} sits on seats {first_seat} and {seat}; a player has one seat"
            faults.append(Fault(rule="BJ-1", section="players", action=seat, player=player, text=text))
    return tuple(faults)


def check_stake(stake: int) -> Faults:
    """A stake is at least 1 silver. Rule: CM-9."""
    if stake >= 1:
        return ()
    return (Fault(rule="CM-9", section="stake", field="stake", text=f"the stake is {stake}; it is at least 1 silver"),)


def split_layout(layout: Layout) -> Texts:
    """The card texts of each group, or of the nine cards that were not laid."""
    texts = [split_cards(group) for group in layout.groups]
    if layout.unlaid:
        texts.append(split_cards(layout.unlaid))
    return texts


def check_shape(player: str, layout: Layout, texts: Texts, rules: BiJiRules) -> Fault | None:
    """Nine cards (BJ-1), and three groups of three or, with ``late_layout = AUTO``, none at all (BJ-2)."""
    counts = [len(group) for group in texts]
    if counts == THREE_BY_THREE and not layout.unlaid:
        return None
    if sum(counts) != HAND_CARDS:
        text = f"{player} has {sum(counts)} cards; a layout has nine, three in each pot"
        return Fault(rule="BJ-1", section="layouts", player=player, text=text)
    if layout.groups:
        shape = " + ".join(str(count) for count in counts)
        text = f"{player} laid his cards {shape}; they are laid 3 + 3 + 3"
        return Fault(rule="BJ-2", section="layouts", player=player, text=text)
    if rules.late_layout is LateLayout.AUTO:
        return None
    text = f"{player} did not lay in time; at this table he lays his nine cards himself, 3 + 3 + 3"
    return Fault(rule="BJ-2", section="layouts", player=player, text=text)


def read_cards(player: str, texts: Texts, seen: int, *, is_laid: bool) -> tuple[list[int], int, list[Fault]]:
    """The cards of a player, a bit for each of them, and the faulty ones: unknown, or seen before. Rule: BJ-1.

    Args:
        player: whose cards they are.
        texts: his cards, group by group.
        seen: a bit for each card of the seats before him.
        is_laid: whether the groups are pots.
    """
    try:
        cards = [CARDS[text] for group in texts for text in group]
    except KeyError:
        return [], *_find_card_faults(player, texts, seen, is_laid=is_laid)
    # A card held twice carries into the next bit of the sum, which leaves fewer bits than cards.
    held = sum([_BITS[card] for card in cards])
    if held.bit_count() == len(cards) and not held & seen:
        return cards, held, []
    return cards, *_find_card_faults(player, texts, seen, is_laid=is_laid)


def _find_card_faults(player: str, texts: Texts, seen: int, *, is_laid: bool) -> tuple[int, list[Fault]]:
    """The bits of the good cards, and one fault for each other one, at its later occurrence. Rule: BJ-1."""
    held = 0
    faults: list[Fault] = []
    for pot, group in enumerate(texts, 1):
        place = f"in {player}'s pot {pot}" if is_laid else f"among {player}'s cards"
        for text in group:
            card = CARDS.get(text)
            if card is None:
                why = f"{text!r} {place} is no card of the 54"
            elif (seen | held) & _BITS[card]:
                why = f"{text} {place} is there a second time; a pack holds every card once"
            else:
                held |= _BITS[card]
                continue
            pot_place = pot if is_laid else None
            faults.append(Fault(rule="BJ-1", section="layouts", player=player, pot=pot_place, card=text, text=why))
    return held, faults


def check_order(player: str, keys: Sequence[int]) -> Fault:
    """The fault of a layout whose groups do not ascend, at its first step down. Rule: BJ-2."""
    pot = 1 if keys[0] > keys[1] else 2
    lower, higher = group_text(keys[pot]), group_text(keys[pot - 1])
    text = f"{player} laid {higher} in pot {pot} before the lower {lower} in pot {pot + 1}; the groups ascend"
    return Fault(rule="BJ-2", section="layouts", player=player, text=text)


def read_layout(layout: Layout, cards: list[int], held: int, rules: BiJiRules) -> LaidHand:
    """A layout as numbers; nine cards that were not laid are laid first. Rule: BJ-2."""
    if layout.unlaid:
        groups = lay_cards(cards, rules)
        layout = Layout(tuple([cards_text(group) for group in groups]))
        cards = [card for group in groups for card in group]
    one, two, three, four, five, six, seven, eight, nine = cards
    keys = (group_key(one, two, three, rules), group_key(four, five, six, rules), group_key(seven, eight, nine, rules))
    return LaidHand(held, keys, layout)
