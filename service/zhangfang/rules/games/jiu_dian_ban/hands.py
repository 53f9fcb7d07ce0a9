"""Hands of two cards and their order, as one comparable number each.

From high to low: joker_pair 對王, nine_and_half 九點半, pair 對子, points 點. A pair is a pair before it is points: ♥4
♠4 is a pair, whatever else the seed says of it. Points are counted in halves, 9½ is 19.

Rule: JD-3 … JD-8. Source: seed, 牌型規則 and 大小比較.
"""

from typing import Final

from zhangfang.rules.cards import JOKER_RANK
from zhangfang.rules.games.jiu_dian_ban.record import CardValues, JiuDianBanRules, PairRanking

HAND_CLASSES: Final = ("points", "pair", "nine_and_half", "joker_pair")
HAND_TITLES: Final = ("点", "对子", "九点半", "对王")
PAYOUTS: Final = (1, 1, 2, 3)
"""What a bet on a winning door is multiplied by, for each class. Rule: JD-9."""

NINE_AND_HALF_HALF_POINTS: Final = 19
TEN_POINTS: Final = 20

# A strength is the class and, below it, what hands of that class are compared by.
_CLASS_SHIFT: Final = 5
_PAIR, _NINE_AND_HALF, _JOKER_PAIR = [number << _CLASS_SHIFT for number in (1, 2, 3)]

# Half points by rank: A, 2 … 10, J, Q, K, joker.
_NUMBERS: Final = tuple(range(2, 21, 2))
_HALF_POINTS: Final[dict[CardValues | int, tuple[int, ...]]] = {
    CardValues.J1_Q1_KHALF: (*_NUMBERS, 2, 2, 1, 1),
    CardValues.J1_Q2_K3: (*_NUMBERS, 2, 4, 6, 1),
}
_NUMERALS: Final = ("", "一", "两", "三", "四", "五", "六", "七", "八", "九")


def hand_strength(first: int, second: int, rules: JiuDianBanRules) -> int:
    """How high a hand of two cards stands; equal hands are a tie, which the banker wins (JD-8).

    >>> from zhangfang.rules.cards import parse_cards
    >>> rules = JiuDianBanRules()
    >>> [hand_text(hand_strength(*parse_cards(text), rules)) for text in ("9h Kd", "5c 5d", "8s w", "9d Jh", "Td W")]
    ['nine_and_half', 'pair', '8½ points', 'no point', '½ point']
    """
    rank = first >> 2
    if rank == second >> 2:
        if rank == JOKER_RANK:
            return _JOKER_PAIR
        # The 2 is lowest and the ace highest, should pairs be compared at all.
        return _PAIR | (rank or JOKER_RANK) if rules.pair_ranking is PairRanking.BY_RANK else _PAIR
    half_points = _HALF_POINTS[rules.card_values]
    total = half_points[rank] + half_points[second >> 2]
    # Only a 9 and a card of half a point make 19; more than ten points lose ten, which never gives 19 again.
    return _NINE_AND_HALF if total == NINE_AND_HALF_HALF_POINTS else total % TEN_POINTS


def hand_class(strength: int) -> str:
    """The class of a hand, e.g. ``nine_and_half``. Rule: JD-5."""
    return HAND_CLASSES[strength >> _CLASS_SHIFT]


def half_points_of(strength: int) -> int | None:
    """0–18 half points, 19 for nine_and_half, None for the pairs. Rule: JD-6."""
    if strength < _PAIR:
        return strength
    return NINE_AND_HALF_HALF_POINTS if strength == _NINE_AND_HALF else None


def payout_of(strength: int) -> int:
    """What a bet on a door with this hand is multiplied by if the door wins. Rule: JD-9."""
    return PAYOUTS[strength >> _CLASS_SHIFT]


def hand_text(strength: int) -> str:
    """A hand in English: ``pair``, ``8½ points``, ``no point``."""
    if strength >= _PAIR:
        return hand_class(strength)
    whole, half = divmod(strength, 2)
    if not strength:
        return "no point"
    return f"{whole or ''}{'½' if half else ''} point{'s' if strength > 2 else ''}"


def hand_title(strength: int) -> str:
    """A hand as the table calls it, in simplified Chinese: ``对子``, ``八点半``, ``没点``."""
    if strength >= _PAIR:
        return HAND_TITLES[strength >> _CLASS_SHIFT]
    whole, half = divmod(strength, 2)
    if not whole:
        return "半点" if half else "没点"
    return f"{_NUMERALS[whole]}点{'半' if half else ''}"
