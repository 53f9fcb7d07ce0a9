"""How the service lays for a player who did not lay in time (系統搭牌): as high as it can from the back.

Rule: BJ-2 with ``late_layout = AUTO``. Source: house.
"""

from collections.abc import Iterable, Sequence
from itertools import combinations

from zhangfang.rules.games.bi_ji.groups import STRENGTHS, group_key
from zhangfang.rules.games.bi_ji.record import BiJiRules

Group = tuple[int, ...]


def lay_cards(cards: Sequence[int], rules: BiJiRules) -> tuple[Group, Group, Group]:
    """The three groups of nine cards, pot 1 first: the best of the nine in pot 3, the best of the other six in pot 2.

    >>> from zhangfang.rules.cards import cards_text, parse_cards
    >>> groups = lay_cards(parse_cards("2h 4s 9d 3s 3d 3h Kc 2s As"), BiJiRules())
    >>> [cards_text(group) for group in groups]
    ['Kc 9d 2h', 'As 4s 2s', '3h 3s 3d']
    """
    back = _best_group(cards, rules)
    others = _without(cards, back)
    middle = _best_group(others, rules)
    return _descending(_without(others, middle)), middle, back


def _best_group(cards: Sequence[int], rules: BiJiRules) -> Group:
    """The highest group among the cards.

    Groups that share a card can be equal. Then the one that leaves the better next pot is taken, then the one with the
    higher ranks, compared from the highest, then with the higher suits.
    """
    groups = list(combinations(cards, 3))
    keys = [group_key(*group, rules) for group in groups]
    highest = max(keys)
    equals = [group for group, key in zip(groups, keys, strict=True) if key == highest]
    best = equals[0] if len(equals) == 1 else max(equals, key=lambda group: _preference(group, cards, rules))
    return _descending(best)


def _preference(group: Group, cards: Sequence[int], rules: BiJiRules) -> tuple[int, list[int], list[int]]:
    """What decides between equal groups: the best group left, the ranks, the suits."""
    next_best = max([group_key(*other, rules) for other in combinations(_without(cards, group), 3)])
    strengths = sorted((STRENGTHS[card] for card in group), reverse=True)
    return next_best, [strength >> 2 for strength in strengths], [strength & 3 for strength in strengths]


def _without(cards: Iterable[int], taken: Group) -> list[int]:
    return [card for card in cards if card not in taken]


def _descending(cards: Iterable[int]) -> Group:
    return tuple(sorted(cards, key=STRENGTHS.__getitem__, reverse=True))
