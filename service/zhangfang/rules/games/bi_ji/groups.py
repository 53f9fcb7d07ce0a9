"""The groups of three cards (牌形) and their order, as one comparable number each.

From low to high: high_card 單張, pair 對子, straight 順, flush 清, straight_flush 順清, three_of_a_kind 三條. Two
groups of one pack that share no card are never equal (BJ-12), so every pot has exactly one winner.

Rule: BJ-3 … BJ-12. Source: seed, 牌型的比較.
"""

from typing import Final

from zhangfang.rules.cards import SUIT_SIGNS
from zhangfang.rules.games.bi_ji.record import BiJiRules, FlushCompare

GROUP_TYPES: Final = ("high_card", "pair", "straight", "flush", "straight_flush", "three_of_a_kind")
GROUP_TITLES: Final = ("单张", "对子", "顺", "清", "顺清", "三条")
STRAIGHT_FLUSH: Final = 4

# A key is the type, up to three ranks from the one compared first, and a suit, in this many bits: 3 4 4 4 2.
_TYPE_SHIFT, _FIRST_SHIFT, _SECOND_SHIFT, _THIRD_SHIFT = 14, 10, 6, 2
_PAIR, _STRAIGHT, _FLUSH, _STRAIGHT_FLUSH, _THREE = [number << _TYPE_SHIFT for number in range(1, 6)]

# Ranks of play: small joker 0, big joker 1, 2 … 10 J Q K as 2 … 13, A 14; suits ♣ ♦ ♠ ♥ as 0 … 3 (BJ-5, BJ-11).
_BIG_JOKER_RANK, _ACE_RANK = 1, 14
_SUIT_ORDER: Final = (2, 3, 0, 1)
_SIGN_ORDER: Final = "".join(SUIT_SIGNS[_SUIT_ORDER.index(suit)] for suit in range(4))

STRENGTHS: Final[tuple[int, ...]] = (
    *((card // 4 + 1 if card >= 4 else _ACE_RANK) * 4 + _SUIT_ORDER[card % 4] for card in range(52)),
    0,
    _BIG_JOKER_RANK * 4,
)
"""What each card weighs in comparisons: its rank of play times four, plus its suit's place."""

_SUITS: Final[tuple[int, ...]] = (*(1 << card % 4 for card in range(52)), 0b0101, 0b1010)
"""The suits a card may stand for, a bit each: ♠ or ♣ for the small joker, ♥ or ♦ for the big one."""

_ACE_TWO_THREE: Final = 1 << _ACE_RANK | 0b1100
_ROWS: Final = frozenset(0b111 << low for low in range(2, 13)) | {_ACE_TWO_THREE}


def group_key(first: int, second: int, third: int, rules: BiJiRules) -> int:
    """How high a group of three cards stands; the order of the cards does not matter.

    Rule: BJ-3 (a joker stands for a suit only, so that it makes a flush but no straight), BJ-4, BJ-5 … BJ-11.

    >>> from zhangfang.rules.cards import parse_cards
    >>> rules = BiJiRules()
    >>> group_key(*parse_cards("9s w 2s"), rules) > group_key(*parse_cards("Qh Kd As"), rules)
    True
    >>> [group_name(group_key(*parse_cards(text), rules)) for text in ("Qs Ks w", "As 2h 3d", "w W Ad", "Ks Ah 2d")]
    ['flush', 'straight', 'pair', 'high_card']
    """
    low, middle, high = sorted((STRENGTHS[first], STRENGTHS[second], STRENGTHS[third]))
    high_rank, middle_rank, low_rank = high >> 2, middle >> 2, low >> 2

    if high_rank == middle_rank:
        if middle_rank == low_rank:
            return _THREE | high_rank << _FIRST_SHIFT
        return _PAIR | high_rank << _FIRST_SHIFT | low_rank << _SECOND_SHIFT | low & 3
    if middle_rank == low_rank or (middle_rank == _BIG_JOKER_RANK and low_rank == 0 and rules.joker_pair):
        return _PAIR | middle_rank << _FIRST_SHIFT | high_rank << _SECOND_SHIFT | high & 3

    is_one_suit = _SUITS[first] & _SUITS[second] & _SUITS[third]
    ranks = 1 << high_rank | 1 << middle_rank | 1 << low_rank
    if ranks in _ROWS:
        top = middle if ranks == _ACE_TWO_THREE else high
        return (_STRAIGHT_FLUSH if is_one_suit else _STRAIGHT) | top >> 2 << _FIRST_SHIFT | top & 3
    if is_one_suit and rules.flush_compare is not FlushCompare.ALL_RANKS_THEN_SUIT:
        return _FLUSH | high_rank << _FIRST_SHIFT | high & 3
    kind = _FLUSH if is_one_suit else 0
    return kind | high_rank << _FIRST_SHIFT | middle_rank << _SECOND_SHIFT | low_rank << _THIRD_SHIFT | high & 3


def group_name(key: int) -> str:
    """The type of a group, e.g. ``straight_flush``."""
    return GROUP_TYPES[key >> _TYPE_SHIFT]


def is_straight_flush(key: int) -> bool:
    """Whether a group is in a row and of one suit. Rule: BJ-9."""
    return key >> _TYPE_SHIFT == STRAIGHT_FLUSH


def group_title(key: int) -> str:
    """What the table calls a group, in simplified Chinese, with the suit's sign where it has one suit: ``♥顺清``."""
    number = key >> _TYPE_SHIFT
    title = GROUP_TITLES[number]
    return _SIGN_ORDER[key & 3] + title if number in (3, STRAIGHT_FLUSH) else title


def group_text(key: int) -> str:
    """The same in English: ``straight_flush ♥``."""
    number = key >> _TYPE_SHIFT
    name = GROUP_TYPES[number]
    return f"{name} {_SIGN_ORDER[key & 3]}" if number in (3, STRAIGHT_FLUSH) else name
