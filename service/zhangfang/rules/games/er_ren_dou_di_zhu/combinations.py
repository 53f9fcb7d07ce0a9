"""What may be played: the combinations of 二人鬥地主 (牌型), from a single card to the rocket.

A play is looked at through the counts of its ranks: one hexadecimal digit a rank, the 5s rightmost, so that
``5s 5h 5c 6d 6c`` is ``0x23``. Every combination is a *body*, one rank or several in a row, that is bare or carries
*wings* (翅膀).

Rule: DZ-10 … DZ-26. Source: seed, "牌型" and "特殊牌型"; what it leaves open about wings is decided by the house.
"""

from collections.abc import Iterator
from enum import IntEnum
from functools import lru_cache

from zhangfang.rules.cards import JOKER_RANK, RANKS, TEXTS, rank_of
from zhangfang.rules.shedding import reading_of, weigh

RANK_ORDER = "56789TJQKA2wW"
ACE = RANK_ORDER.index("A")
TWO = RANK_ORDER.index("2")

PACK: tuple[int, ...] = tuple([card for card, text in enumerate(TEXTS) if text[0] in RANK_ORDER])
"""The 46 cards: no 3s and no 4s. Rule: DZ-1."""


def strength_of(card: int) -> int:
    """A card's place in the order of ranks, 0 for a 5 and 12 for the big joker. Rule: DZ-1."""
    return RANK_ORDER.index(TEXTS[card] if rank_of(card) == JOKER_RANK else RANKS[rank_of(card)])


WEIGHTS = weigh(PACK, strength_of)

ONE_OF_EACH = sum([1 << 4 * rank for rank in range(len(RANK_ORDER))])
BOTH_JOKERS = 0x11 << 4 * RANK_ORDER.index("w")

SHAPES_REMEMBERED = 1 << 13
"""How many shapes are read once only: hands play a few hundred, and odder ones just cost the reading."""


class Kind(IntEnum):
    """The kinds of combination, DZ-10 … DZ-23; from 16 on they beat every other kind (炸彈, 王炸)."""

    SINGLE = 1
    PAIR = 2
    TRIPLE = 3
    TRIPLE_WITH_SINGLE = 4
    TRIPLE_WITH_PAIR = 5
    STRAIGHT = 6
    PAIR_STRAIGHT = 7
    AIRPLANE = 8
    AIRPLANE_WITH_SINGLES = 9
    AIRPLANE_WITH_PAIRS = 10
    FOUR_WITH_SINGLES = 11
    FOUR_WITH_PAIRS = 12
    BOMB = 16
    ROCKET = 17


BOMB_READINGS_FROM = reading_of(Kind.BOMB, 0, 0)
"""The readings from here on are bombs and the rocket, the ones that DZ-29 counts. A four with wings is none."""

STRAIGHTS_TO_THE_ACE = frozenset([reading_of(Kind.STRAIGHT, length, ACE) for length in range(5, ACE + 2)])
"""The readings shown as 通天順. Rule: DZ-26."""


def kind_of(reading: int) -> Kind:
    """The kind of a reading that is not 0."""
    return Kind(reading >> 16)


def reading_name(reading: int) -> str:
    """A reading in words, for the sentence of a fault: ``straight of 5 up to A``, ``bomb of 9``."""
    kind, length, rank = kind_of(reading), reading >> 8 & 255, RANK_ORDER[reading & 255]
    name = kind.name.lower()
    if kind is Kind.ROCKET:
        return name
    return f"{name} of {length} up to {rank}" if length > 1 else f"{name} of {rank}"


def are_single_wings(counts: int, *, distinct: bool) -> bool:
    """Whether these cards may be single wings.

    They may share a rank, any number of them, unless the house wants them ``distinct``. The two jokers never serve
    together. Rule: DZ-24. Source: house; of the jokers the seed says only that they are no pair.
    """
    if counts & BOTH_JOKERS == BOTH_JOKERS:
        return False
    return not distinct or counts & ONE_OF_EACH == counts


def are_pair_wings(counts: int) -> bool:
    """Whether these cards may be pair wings: pairs of different ranks, 2s welcome, while jokers make no pair.

    Rule: DZ-24. Source: seed, "可帶上一對2，不能帶一對王"; house: four of a rank are not two pairs.
    """
    return (counts >> 1 & ONE_OF_EACH) << 1 == counts


def _run(lowest: int, length: int) -> int:
    """One card of each of ``length`` ranks in a row."""
    return (ONE_OF_EACH & (1 << 4 * length) - 1) << 4 * lowest


def _list_bare_combinations() -> Iterator[tuple[int, int]]:
    """Counts and reading of everything without wings. Rule: DZ-10, DZ-11, DZ-12, DZ-15, DZ-16, DZ-17, DZ-22, DZ-23."""
    for rank in range(len(RANK_ORDER)):
        yield 1 << 4 * rank, reading_of(Kind.SINGLE, 1, rank)
    for rank in range(TWO + 1):
        for count, kind in ((2, Kind.PAIR), (3, Kind.TRIPLE), (4, Kind.BOMB)):
            yield count << 4 * rank, reading_of(kind, 1, rank)
    for count, kind, length_min in ((1, Kind.STRAIGHT, 5), (2, Kind.PAIR_STRAIGHT, 3), (3, Kind.AIRPLANE, 2)):
        for lowest in range(ACE + 1):
            for highest in range(lowest + length_min - 1, ACE + 1):
                length = highest - lowest + 1
                yield count * _run(lowest, length), reading_of(kind, length, highest)
    yield BOTH_JOKERS, reading_of(Kind.ROCKET, 1, RANK_ORDER.index("W"))


BARE = dict(_list_bare_combinations())


WINGED_KINDS = (
    (1, Kind.TRIPLE_WITH_SINGLE, Kind.AIRPLANE_WITH_SINGLES, Kind.FOUR_WITH_SINGLES),
    (2, Kind.TRIPLE_WITH_PAIR, Kind.AIRPLANE_WITH_PAIRS, Kind.FOUR_WITH_PAIRS),
)
"""By the cards of one wing: what carries it, a triple one wing, an airplane one for each triple, a four two of them."""

RUNS: tuple[tuple[tuple[int, int], ...], ...] = (
    (),
    tuple([(_run(rank, 1), rank) for rank in range(TWO, -1, -1)]),
    *[tuple([(_run(top - length + 1, length), top) for top in range(ACE, length - 2, -1)]) for length in range(2, 6)],
)
"""By length, where triples may stand in a row, from the highest down: a single triple may be of 2s, a row ends at A."""


def _list_winged(counts: int, *, distinct: bool) -> Iterator[int]:
    """Every reading as a body with wings, the higher first. Rule: DZ-13, DZ-14, DZ-18 … DZ-21, DZ-24.

    The wings are what the body leaves. The body holds all cards of its ranks, so that no wing is ever of one of them;
    and all wings are of one sort, so that the number of cards tells how many triples there must be.
    """
    pairs_or_triples = counts >> 1 & ONE_OF_EACH
    triples = counts & pairs_or_triples
    fours = counts >> 2 & ONE_OF_EACH
    card_count = (counts & ONE_OF_EACH).bit_count() + 2 * pairs_or_triples.bit_count() + 4 * fours.bit_count()
    for wing, one_triple, airplane, four in WINGED_KINDS:
        length, odd = divmod(card_count, 3 + wing)
        if triples and not odd:
            for run, rank in RUNS[length]:
                if triples & run == run and _are_wings(counts - 3 * run, wing, distinct=distinct):
                    yield reading_of(airplane if length > 1 else one_triple, length, rank)
        if fours and card_count == 4 + 2 * wing:
            body = 1 << fours.bit_length() - 1
            if _are_wings(counts - 4 * body, wing, distinct=distinct):
                yield reading_of(four, 1, body.bit_length() // 4)


def _are_wings(counts: int, wing: int, *, distinct: bool) -> bool:
    """Whether these cards may be wings of one card or of two."""
    return are_single_wings(counts, distinct=distinct) if wing == 1 else are_pair_wings(counts)


@lru_cache(maxsize=SHAPES_REMEMBERED)
def read_with_any_wings(counts: int) -> tuple[int, ...]:
    """Every reading of a play's rank counts, first the one a lead stands for; none if it is no combination.

    A lead has the most triples, an airplane bare before winged, the higher of two equal ones. Rule: DZ-25.

    >>> [reading_name(reading) for reading in read_with_any_wings(0x3333)]  # 555 666 777 888
    ['airplane of 4 up to 8', 'airplane_with_singles of 3 up to 8', 'airplane_with_singles of 3 up to 7']
    """
    return _read(counts, distinct=False)


@lru_cache(maxsize=SHAPES_REMEMBERED)
def read_with_distinct_wings(counts: int) -> tuple[int, ...]:
    """The same where the house wants single wings of different ranks. Rule: DZ-24, DZ-25.

    >>> [reading_name(reading) for reading in read_with_distinct_wings(0x3333)]
    ['airplane of 4 up to 8']
    """
    return _read(counts, distinct=True)


def _read(counts: int, *, distinct: bool) -> tuple[int, ...]:
    """The bare reading, if there is one, and those with wings: all of them have fewer triples."""
    bare = BARE.get(counts)
    winged = _list_winged(counts, distinct=distinct)
    return tuple(winged) if bare is None else (bare, *winged)
