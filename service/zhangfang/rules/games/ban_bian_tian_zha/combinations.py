"""What cards make together in 半邊天炸: seven ordinary combinations, six specials, several readings of one play.

Ranks run 3 < 4 < … < K < A < 2; the big joker stands above them and is a combination only as 天炸, though it may go
along as an extra card. Rule: BB-10 … BB-23. Source: seed, 遊戲牌型 and 牌型大小.

>>> from zhangfang.rules.shedding import CARD_BITS, COUNTS, weight_of
>>> def read(text):
...     weight = weight_of(WEIGHTS, text)
...     return [reading_name(reading) for reading in readings(weight & CARD_BITS, weight >> COUNTS)]
>>> read("5s 5h 5c 5d"), read("5s 5h 5c 5d 6s")
(['bomb 5'], ['four_with_extras 5', 'triple 5'])
>>> read("3s 3h 3c 4s 4h 4c 5s 5h 5c"), read("5s Ts Ks"), read("5s Th Ks")
(['airplane 3-5', 'airplane 4-5'], ['suited_510k ♠'], ['mixed_510k'])
"""

from enum import IntEnum

from zhangfang.rules.cards import CARDS, FULL_PACK, JOKER_RANK, RANKS, SMALL_JOKER, SUIT_SIGNS, rank_of
from zhangfang.rules.shedding import reading_of, weigh

STRENGTHS = "3456789TJQKA2W"
"""The order of play; a row (順子, 連對, 飛機) ends at the ace."""
ACE = STRENGTHS.index("A")
BIGGEST = STRENGTHS.index("W")

PACK = FULL_PACK - {SMALL_JOKER, CARDS["2d"], CARDS["2c"]}
"""The 51 cards. Rule: BB-1."""


class Kind(IntEnum):
    """The combinations, ordinary ones below 16, the specials above in their order. Rule: BB-10 … BB-22."""

    SINGLE = 1
    PAIR = 2
    STRAIGHT = 3
    PAIR_STRAIGHT = 4
    TRIPLE = 5
    AIRPLANE = 6
    FOUR_WITH_EXTRAS = 7
    MIXED_510K = 16
    SUITED_510K = 17
    BOMB = 18
    STRAIGHT_FLUSH = 19
    DI_ZHA = 20
    TIAN_ZHA = 21


SUITED_KINDS = (Kind.SUITED_510K, Kind.STRAIGHT_FLUSH)
"""The kinds whose strength ends in two bits of suit, ♠ the highest."""


def strength_of(card: int) -> int:
    """A card's place in the order of play: 0 (a 3) … 11 (an ace), 12 (a 2), 13 (the big joker)."""
    rank = rank_of(card)
    return BIGGEST if rank == JOKER_RANK else STRENGTHS.index(RANKS[rank])


WEIGHTS = weigh(sorted(PACK), strength_of)


def _row(length: int, highest: int, copies: int) -> int:
    """Rank counts of so many ranks in a row, each so many times."""
    return sum([copies << 4 * strength for strength in range(highest - length + 1, highest + 1)])


def _rows(lengths: range) -> list[tuple[int, int]]:
    """Every length with every highest rank that a row from 3 to the ace can have."""
    return [(length, highest) for length in lengths for highest in range(length - 1, ACE + 1)]


FIVE_TEN_KING = sum([1 << 4 * STRENGTHS.index(rank) for rank in "5TK"])

WHOLE: dict[int, tuple[int, ...]] = {
    **{1 << 4 * rank: (reading_of(Kind.SINGLE, 1, rank),) for rank in range(BIGGEST)},
    1 << 4 * BIGGEST: (reading_of(Kind.TIAN_ZHA, 1, BIGGEST),),
    **{2 << 4 * rank: (reading_of(Kind.PAIR, 1, rank),) for rank in range(BIGGEST)},
    **{3 << 4 * rank: (reading_of(Kind.TRIPLE, 1, rank),) for rank in range(ACE + 1)},
    **{4 << 4 * rank: (reading_of(Kind.BOMB, 1, rank),) for rank in range(ACE + 1)},
    **{_row(*row, 1): (reading_of(Kind.STRAIGHT, *row),) for row in _rows(range(5, 13))},
    **{_row(*row, 2): (reading_of(Kind.PAIR_STRAIGHT, *row),) for row in _rows(range(2, 4))},
    **{_row(*row, 2): (reading_of(Kind.DI_ZHA, *row),) for row in _rows(range(4, 9))},
    FIVE_TEN_KING: (reading_of(Kind.MIXED_510K, 1, 0),),
}
"""Rank counts that can be read in one way only, whatever the suits.

A bomb is also a triple with its own fourth card, but a special outdoes every other reading wherever either beats.
"""

SUITED: dict[int, int] = {
    **{_row(*row, 1): reading_of(Kind.STRAIGHT_FLUSH, row[0], 4 * row[1]) for row in _rows(range(5, 13))},
    FIVE_TEN_KING: reading_of(Kind.SUITED_510K, 1, 0),
}
"""What rank counts become when all cards are of one suit, that of ♦; a higher suit adds 1 to 3."""

_SUIT = sum([1 << 4 * rank for rank in range(13)])
_SUIT_STRENGTHS = {1 << suit: 3 - suit for suit in range(4)}
_ONES = sum([1 << 4 * strength for strength in range(ACE + 1)])
_FIVES = 5 * _ONES


def readings(cards: int, counts: int) -> tuple[int, ...]:
    """Every way to read the cards, as a lead is read: specials before straights before extras. Rule: BB-23.

    Args:
        cards: the set of cards, a bit each.
        counts: their rank counts, four bits a rank in the order of play.
    """
    if counts in SUITED:
        for first, strength in _SUIT_STRENGTHS.items():
            if not cards & ~(_SUIT * first):
                return (SUITED[counts] + strength,)
    return WHOLE.get(counts) or _readings_with_extras(cards.bit_count(), counts)


def _readings_with_extras(card_count: int, counts: int) -> tuple[int, ...]:
    """Fours, triples in a row, most of them first, and triples, each with as many extras as it may take.

    Adding five to a count of three or four sets the top bit of its four: so all triples are found at once.
    Of several rows of one length the highest is enough, as extras do not count. Rule: BB-14, BB-15, BB-16.
    """
    found = []
    fours = counts >> 2 & _ONES
    if fours and 5 <= card_count <= 7:
        found.append(reading_of(Kind.FOUR_WITH_EXTRAS, 1, _highest(fours)))
    triples = counts + _FIVES >> 3 & _ONES
    for length in range(card_count // 3, 1, -1):
        if card_count > 5 * length:
            break
        starts = triples
        for step in range(1, length):
            starts &= triples >> 4 * step
        if starts:
            found.append(reading_of(Kind.AIRPLANE, length, _highest(starts) + length - 1))
    if triples and card_count <= 5:
        found.append(reading_of(Kind.TRIPLE, 1, _highest(triples)))
    return tuple(found)


def _highest(flags: int) -> int:
    """The highest strength whose flag is set."""
    return (flags.bit_length() - 1) // 4


def kind_of(reading: int) -> Kind:
    """The combination of a reading."""
    return Kind(reading >> 16)


def reading_name(reading: int) -> str:
    """A reading in words: the combination, its ranks, and the suit where it counts."""
    kind, length, strength = kind_of(reading), reading >> 8 & 255, reading & 255
    name, suit = kind.name.lower(), ""
    if kind in SUITED_KINDS:
        strength, suit = strength // 4, " " + SUIT_SIGNS[3 - strength % 4]
    if kind in (Kind.MIXED_510K, Kind.SUITED_510K, Kind.TIAN_ZHA):
        return name + suit
    lowest = STRENGTHS[strength - length + 1]
    return f"{name} {lowest}-{STRENGTHS[strength]}{suit}" if length > 1 else f"{name} {STRENGTHS[strength]}"
