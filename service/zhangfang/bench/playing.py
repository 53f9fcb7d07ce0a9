"""Players of the climbing games for the benchmark: they follow when they can, lay long rows when they lead.

They are no good players, but their hands are as long as real ones and legal: where a hand stands and what a
combination is they ask the rules themselves.
"""

from collections.abc import Iterator
from random import Random

from zhangfang.rules.cards import TEXTS
from zhangfang.rules.shedding import CARD_BITS, COUNTS, ClimbingGame, Course, Seating, play_out, standing, weight_of

Plays = tuple[tuple[int, str], ...]

PASSING_OF_TEN = 3
"""How many times out of ten a player who could beat the trick lets it go."""


def play_hand(game: ClimbingGame, seating: Seating, random: Random) -> Plays:
    """All plays of a hand, passes included."""
    plays: list[tuple[int, str]] = []
    while not (course := play_out(game, seating, plays)).is_over:
        seat = course.turn[0]
        plays.append((seat, _choose(game, course, seat, random)))
    return tuple(plays)


def _choose(game: ClimbingGame, course: Course, seat: int, random: Random) -> str:
    """The longest lead, or the lowest cards that beat the trick; empty for a pass."""
    options = []
    for cards in _combinations(game, course.hands[seat]):
        weight = weight_of(game.weights, cards)
        reading = standing(game.readings(weight & CARD_BITS, weight >> COUNTS), course.trick)
        if reading:
            options.append((reading, cards))
    if not course.trick:
        return max(options, key=lambda option: (option[1].count(" "), -option[0]))[1]
    if not options or random.randrange(10) < PASSING_OF_TEN:
        return ""
    return min(options)[1]


def _combinations(game: ClimbingGame, hand: int) -> Iterator[str]:
    """Singles, pairs, triples, fours and straights of a hand, from the lowest up; not all there are, but plenty."""
    by_strength = _by_strength(game, hand)
    for cards in by_strength:
        for copies in range(1, len(cards) + 1):
            yield " ".join(cards[:copies])
    for first in range(len(by_strength)):
        row = [by_strength[first][0]]
        for cards in by_strength[first + 1 :]:
            row.append(cards[0])
            if len(row) >= 5:
                yield " ".join(row)


def _by_strength(game: ClimbingGame, hand: int) -> list[list[str]]:
    """The cards of a hand, those of one rank together, in the game's own order."""
    groups: dict[int, list[str]] = {}
    for card in range(hand.bit_length()):
        if hand >> card & 1:
            text = TEXTS[card]
            groups.setdefault(game.weights[text] >> COUNTS, []).append(text)
    return [groups[strength] for strength in sorted(groups)]
