"""The royalties (喜): cards and layouts for which every other player pays, whoever won.

A player's nine cards are one number with a bit for each card, so that four neighbouring bits are the four suits of a
rank. Rule: BJ-14 … BJ-21. Source: seed, 吃喜.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from zhangfang.rules.games.bi_ji.groups import is_straight_flush


@dataclass(frozen=True, slots=True)
class Royalty:
    """One kind of royalty: its rule, its names, and the units each other player pays for it."""

    rule: str
    name: str
    title: str
    units: int


ALL_BLACK: Final = Royalty("BJ-16", "all_black", "全黑", 1)
ALL_RED: Final = Royalty("BJ-16", "all_red", "全红", 1)
NINE_STRAIGHT: Final = Royalty("BJ-17", "nine_straight", "全顺", 1)
FOUR_OF_A_KIND: Final = Royalty("BJ-18", "four_of_a_kind", "四张", 1)
TWO_FOURS: Final = Royalty("BJ-18", "four_of_a_kind", "四张", 2)
SCOOP: Final = Royalty("BJ-19", "scoop", "通锅", 1)
FRONT_STRAIGHT_FLUSH: Final = Royalty("BJ-20", "front_straight_flush", "顺清打头", 2)
THREE_TRIPLES: Final = Royalty("BJ-21", "three_triples", "全三", 3)

_EVERY_RANK: Final = sum(1 << rank * 4 for rank in range(13))
_BLACK: Final = _EVERY_RANK * 0b0101 | 1 << 52
_RED: Final = _EVERY_RANK * 0b1010 | 1 << 53
_JOKERS: Final = 1 << 52 | 1 << 53


def _nine_ranks_from(low: int) -> int:
    """One bit a rank for nine ranks in a row; the ace (0) also follows the king."""
    return sum(1 << (rank % 13) * 4 for rank in range(low, low + 9))


_NINE_STRAIGHTS: Final = frozenset(_nine_ranks_from(low) for low in range(6))


def find_royalties(held: int, keys: Sequence[int], *, wins_all_pots: bool) -> tuple[Royalty, ...]:
    """The royalties a player holds, in the order BJ-16 … BJ-21.

    Args:
        held: his nine cards, bit ``card`` set for each.
        keys: the keys of his groups, pot 1 first.
        wins_all_pots: whether he won every pot.

    >>> from zhangfang.rules.cards import parse_cards
    >>> held = sum(1 << card for card in parse_cards("6s 7s 8s 9s Ts Js Qs Ks As"))
    >>> [royalty.name for royalty in find_royalties(held, (0, 0, 0), wins_all_pots=False)]
    ['all_black', 'nine_straight']
    """
    found = []
    if not held & _RED:
        found.append(ALL_BLACK)
    elif not held & _BLACK:
        found.append(ALL_RED)
    # Bit 0 of every rank says whether it is held at all, and whether it is held in all four suits.
    ranks = (held | held >> 1 | held >> 2 | held >> 3) & _EVERY_RANK
    fours = held & held >> 1 & held >> 2 & held >> 3 & _EVERY_RANK
    if ranks in _NINE_STRAIGHTS:
        found.append(NINE_STRAIGHT)
    if fours:
        found.append(FOUR_OF_A_KIND if fours & (fours - 1) == 0 else TWO_FOURS)
    if wins_all_pots:
        found.append(SCOOP)
    if is_straight_flush(keys[0]):
        found.append(FRONT_STRAIGHT_FLUSH)
    # Nine cards without a joker in three ranks, none of them held four times, are three of each.
    if not fours and not held & _JOKERS and ranks.bit_count() == 3:
        found.append(THREE_TRIPLES)
    return tuple(found)
