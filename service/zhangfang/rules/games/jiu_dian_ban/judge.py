"""Whether a 九點半 hand was played by the rules, and what it pays.

The faults stand in this order: stake, house rules, banker, the number of cards of each hand, seats; then cards; then
bets. The bets are judged only if everything but the cards is sound.

Rule: JD-1, JD-2, JD-11, CM-4, CM-5, CM-9.
"""

from collections.abc import Mapping

from zhangfang.rules.cards import CARDS, JOKER_RANK, split_cards
from zhangfang.rules.games.jiu_dian_ban.bets import find_limits, sum_bets
from zhangfang.rules.games.jiu_dian_ban.hands import hand_strength
from zhangfang.rules.games.jiu_dian_ban.record import Deal, JiuDianBanHand, JiuDianBanRules, check_house_rules
from zhangfang.rules.games.jiu_dian_ban.settlement import HAND_NAMES, settle_hand
from zhangfang.rules.verdict import Fault, Faults, Verdict

SEATS = 4
HAND_CARDS = 2
TURNED_CARD = "turned_card"

Texts = list[list[str]]
"""The card texts of the banker's hand, then of shang, tian and xia, then the turned card if there is one."""


def judge(record: JiuDianBanHand, rules: JiuDianBanRules, stake: int, silver: Mapping[str, int]) -> Verdict | Faults:
    """The whole page: a finished hand in, what it pays or all its faults out.

    Args:
        record: the hand; cards in the rulebook's notation.
        rules: the table's house rules.
        stake: silver, ≥ 1; the smallest bet.
        silver: what banker and bettors had available before the first bet of this hand: the bets of the record are
            not taken off it, nor are they holds in it. Who is not named is not checked.

    >>> from zhangfang.rules.games.jiu_dian_ban.record import Bet, Door
    >>> hand = JiuDianBanHand("Z", (Bet("P", Door.TIAN, 10),), Deal("8s Td", "2s 3s", "9h w", "As Ad"))
    >>> judge(hand, JiuDianBanRules(), 1, {"Z": 100, "P": 10}).steps[0].text
    "tian nine_and_half beats the banker's 8 points, Z pays P: bet 10 × nine_and_half 2 = 20"
    """
    texts = split_deal(record.deal)
    structure_faults = (
        *check_stake(stake),
        *check_house_rules(rules),
        *check_banker(record),
        *check_counts(texts),
        *check_seats(record),
    )
    cards, card_faults = read_cards(texts)
    if structure_faults:
        return (*structure_faults, *card_faults)
    sums, bet_faults = sum_bets(record.bets, find_limits(record, rules, stake, silver), record.weighed_bet_count)
    if card_faults or bet_faults:
        return (*card_faults, *bet_faults)
    strengths = [hand_strength(cards[place], cards[place + 1], rules) for place in (0, 2, 4, 6)]
    turned_card = cards[8] if len(cards) > SEATS * HAND_CARDS else None
    return settle_hand(record, strengths, turned_card, sums, rules, silver)


def check_stake(stake: int) -> Faults:
    """A stake is at least 1 silver. Rule: CM-9."""
    if stake >= 1:
        return ()
    return (Fault(rule="CM-9", section="stake", field="stake", text=f"the stake is {stake}; it is at least 1 silver"),)


def check_banker(record: JiuDianBanHand) -> Faults:
    """Somebody banks. Rule: JD-1."""
    if record.banker:
        return ()
    return (Fault(rule="JD-1", section="banker", field="banker", text="nobody banks; a hand has a banker"),)


def check_counts(texts: Texts) -> Faults:
    """The banker and every door have two cards. Rule: JD-1."""
    return tuple(
        [
            Fault(
                rule="JD-1",
                section="deal",
                hand=name,
                text=f"the hand of {name} has {len(hand)} cards; banker and doors have two each",
            )
            for name, hand in zip(HAND_NAMES, texts, strict=False)
            if len(hand) != HAND_CARDS
        ]
    )


def check_seats(record: JiuDianBanHand) -> Faults:
    """The seats, where they are given, are four different players, the banker among them. Rule: JD-1, JD-13."""
    seats = record.seats
    if not seats or (len(seats) == len(set(seats)) == SEATS and record.banker in seats):
        return ()
    text = f"the seats are {', '.join(seats)}; they are four different players, the banker {record.banker} among them"
    return (Fault(rule="JD-1", section="seats", field="seats", text=text),)


def split_deal(deal: Deal) -> Texts:
    """The card texts of each hand, and of the turned card if there is one."""
    texts = [split_cards(deal.banker), split_cards(deal.shang), split_cards(deal.tian), split_cards(deal.xia)]
    if deal.turned_card:
        texts.append([deal.turned_card])
    return texts


def read_cards(texts: Texts) -> tuple[list[int], list[Fault]]:
    """The cards in order, and the faulty ones: unknown or seen before (JD-1), a joker as turned card (JD-11)."""
    cards: list[int] = []
    faults: list[Fault] = []
    for place, hand in enumerate(texts):
        name = HAND_NAMES[place] if place < SEATS else TURNED_CARD
        for text in hand:
            card = CARDS.get(text)
            if card is None:
                faults.append(_card_fault("JD-1", name, text, f"{text!r} of {name} is no card of the 54"))
                continue
            if card in cards:
                why = f"{text} of {name} is there a second time; a pack holds every card once"
                faults.append(_card_fault("JD-1", name, text, why))
            if name == TURNED_CARD and card >> 2 == JOKER_RANK:
                why = f"{text} is turned to say where dealing starts; a joker cannot, another card is turned"
                faults.append(_card_fault("JD-11", name, text, why))
            cards.append(card)
    return cards, faults


def _card_fault(rule: str, hand: str, card: str, text: str) -> Fault:
    return Fault(rule=rule, section="deal", hand=hand, card=card, text=text)
