"""The combinations as the rulebook page lists them, slowly: what the fast reading is held against.

Cards are ranks here, ``Counter({"5": 3, "6": 1})``; a reading is ``(kind, length, highest rank)``.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import combinations, combinations_with_replacement

ORDER = "56789TJQKA2wW"
IN_A_ROW = "56789TJQKA"
PAIRABLE = "56789TJQKA2"

Reading = tuple[str, int, str]

# kind, cards of each rank of the body, lengths, kind of wing, wings for each rank of the body
PAGE = (
    ("single", 1, (1,), None, 0),
    ("pair", 2, (1,), None, 0),
    ("triple", 3, (1,), None, 0),
    ("triple_with_single", 3, (1,), "single", 1),
    ("triple_with_pair", 3, (1,), "pair", 1),
    ("straight", 1, range(5, 11), None, 0),
    ("pair_straight", 2, range(3, 11), None, 0),
    ("airplane", 3, range(2, 7), None, 0),
    ("airplane_with_singles", 3, range(2, 6), "single", 1),
    ("airplane_with_pairs", 3, range(2, 5), "pair", 1),
    ("four_with_singles", 4, (1,), "single", 2),
    ("four_with_pairs", 4, (1,), "pair", 2),
    ("bomb", 4, (1,), None, 0),
)


def list_bodies(depth: int, length: int) -> list[str]:
    """The ranks of every body: one rank alone, or a row that ends at the ace at the latest."""
    if length > 1:
        return [IN_A_ROW[low : low + length] for low in range(len(IN_A_ROW) - length + 1)]
    return list(ORDER if depth == 1 else PAIRABLE)


def list_wings(body: str, kind: str | None, number: int, *, distinct: bool) -> Iterator[Counter[str]]:
    """Every set of wings that a body may carry (DZ-24)."""
    if kind is None:
        yield Counter()
    elif kind == "pair":
        for ranks in combinations([rank for rank in PAIRABLE if rank not in body], number):
            yield Counter(dict.fromkeys(ranks, 2))
    else:
        others = [rank for rank in ORDER if rank not in body]
        choose = combinations if distinct else combinations_with_replacement
        for chosen in choose(others, number):
            wings = Counter(chosen)
            if not (wings["w"] and wings["W"]) and wings["w"] < 2 and wings["W"] < 2 and max(wings.values()) <= 4:
                yield wings


def list_combinations(*, distinct: bool) -> Iterator[tuple[tuple[int, ...], Reading]]:
    """Every combination of at most twenty cards, as counts in the order of ranks, with its reading."""
    yield tuple([int(rank in "wW") for rank in ORDER]), ("rocket", 1, "W")
    for kind, depth, lengths, wing, wings_each in PAGE:
        for length in lengths:
            for body in list_bodies(depth, length):
                for wings in list_wings(body, wing, wings_each * length, distinct=distinct):
                    counts = wings + Counter(dict.fromkeys(body, depth))
                    yield tuple([counts[rank] for rank in ORDER]), (kind, length, body[-1])


def list_readings(*, distinct: bool) -> dict[tuple[int, ...], list[Reading]]:
    """Every shape that is a combination, with its readings as DZ-25 prefers them for a lead."""
    shapes: dict[tuple[int, ...], list[Reading]] = {}
    for counts, reading in list_combinations(distinct=distinct):
        shapes.setdefault(counts, []).append(reading)
    for readings in shapes.values():
        readings.sort(key=preference)
    return shapes


def preference(reading: Reading) -> tuple[int, bool, int]:
    """DZ-25: the most triples, bare before wings, the higher of two equal ones."""
    kind, length, rank = reading
    return -length, "with" in kind, -ORDER.index(rank)


def beats(reading: Reading, trick: Reading) -> bool:
    """DZ-10 … DZ-23: which reading goes over which."""
    if reading[0] == "rocket":
        return True
    if trick[0] == "rocket":
        return False
    if reading[0] == "bomb" and trick[0] != "bomb":
        return True
    return reading[:2] == trick[:2] and ORDER.index(reading[2]) > ORDER.index(trick[2])
