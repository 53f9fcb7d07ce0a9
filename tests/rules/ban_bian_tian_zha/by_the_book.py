"""The rulebook page of 半邊天炸 once more, as plainly and slowly as it is written, to check the fast code against.

Cards are texts, a reading is ``(kind, length, strength)``. Nothing here is shared with the product.
"""

from collections import Counter

ORDER = "3456789TJQKA2W"
LEAD_ORDER = (
    *("mixed_510k", "suited_510k", "bomb", "straight_flush", "di_zha", "tian_zha"),
    *("straight", "pair_straight", "four_with_extras", "airplane", "triple", "pair", "single"),
)
SPECIALS = LEAD_ORDER[:6]
SUITS = "dchs"


def rank_of(card):
    return ORDER.index(card[0])


def readings(cards):
    """Every reading of a set of cards. Rule: BB-10 … BB-22."""
    ranks = Counter(map(rank_of, cards))
    return {*same_rank(cards, ranks), *rows(cards, ranks), *with_extras(len(cards), ranks), *five_ten_king(cards)}


def same_rank(cards, ranks):
    """Singles, pairs, bombs and the big joker."""
    high = max(ranks)
    if cards == ["W"]:
        yield "tian_zha", 1, (0,)
    elif len(ranks) == 1 and len(cards) in (1, 2, 4):
        yield {1: "single", 2: "pair", 4: "bomb"}[len(cards)], 1, (high,)


def rows(cards, ranks):
    """Straights and pairs in a row, 3 … A."""
    count, high = len(ranks), max(ranks)
    if sorted(ranks) != list(range(min(ranks), high + 1)) or high > ORDER.index("A"):
        return
    copies = set(ranks.values())
    suits = {card[1:] for card in cards}
    if copies == {1} and count >= 5:
        yield "straight", count, (high,)
        if len(suits) == 1:
            yield "straight_flush", 0, (count, high, SUITS.index(suits.pop()))
    if copies == {2} and count in (2, 3):
        yield "pair_straight", count, (high,)
    if copies == {2} and count >= 4:
        yield "di_zha", 0, (count, high)


def with_extras(count, ranks):
    """Triples, fours and airplanes, which take any cards along."""
    for rank, copies in ranks.items():
        if copies >= 3 and 3 <= count <= 5:
            yield "triple", 1, (rank,)
        if copies == 4 and 5 <= count <= 7:
            yield "four_with_extras", 1, (rank,)
    for length in range(2, 6):
        for lowest in range(ORDER.index("A") - length + 2):
            row = range(lowest, lowest + length)
            if all(ranks[rank] >= 3 for rank in row) and 3 * length <= count <= 5 * length:
                yield "airplane", length, (row[-1],)


def five_ten_king(cards):
    """A 5, a 10 and a king."""
    if sorted(card[0] for card in cards) == ["5", "K", "T"]:
        suits = {card[1] for card in cards}
        yield ("suited_510k", 1, (SUITS.index(suits.pop()),)) if len(suits) == 1 else ("mixed_510k", 1, (0,))


def beats(reading, trick):
    """Whether one reading beats another."""
    kind, length, strength = reading
    if kind in SPECIALS:
        if trick[0] not in SPECIALS:
            return True
        return (SPECIALS.index(kind), strength) > (SPECIALS.index(trick[0]), trick[2])
    return (kind, length) == trick[:2] and strength > trick[2]


def stands(cards, trick):
    """How cards stand over a trick (None: they lead); None if they do not. Rule: BB-23."""
    found = readings(cards)
    if trick is None:
        ranked = sorted(
            found, key=lambda reading: (LEAD_ORDER.index(reading[0]), -reading[1], [-s for s in reading[2]])
        )
        return ranked[0] if ranked else None
    beating = [reading for reading in found if beats(reading, trick)]
    return max(beating, key=lambda reading: (reading[0] in SPECIALS, reading[2]), default=None)
