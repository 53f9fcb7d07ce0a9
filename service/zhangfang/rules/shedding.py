"""The play of a climbing game 跑牌: turns, passing, tricks, and the order in which a play is judged.

Who leads a trick must play; the others play higher or pass, and who passed may play again when his turn returns. A
trick ends when every other player still holding cards has passed in a row. A game says only what differs: its cards
and their order, how it reads them, its sides, when a player is out, and the rule ids its faults cite.

A set of cards is one int with a bit a card, the counts of its ranks another with four bits a rank, lowest rank first;
both are summed in one pass from a table of weights. A reading is an int as well, so that beating is comparing:

>>> pair_of_fives, pair_of_nines, bomb = reading_of(2, 1, 2), reading_of(2, 1, 6), reading_of(16, 1, 0)
>>> beats(pair_of_nines, pair_of_fives), beats(pair_of_fives, pair_of_nines), beats(bomb, pair_of_nines)
(True, False, True)
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import permutations
from typing import NamedTuple

from zhangfang.rules.cards import TEXTS
from zhangfang.rules.verdict import Fault

CARD_BITS = (1 << 54) - 1
COUNTS = 56  # where the rank counts begin in a weight: above all the card bits
SPECIAL = 16 << 16  # the lowest reading that beats every ordinary one: kinds from 16 on are special
SHOWN_CARDS = 54  # as many cards of a wrong play as a fault names: nobody holds more


class Play(NamedTuple):
    """One action of the play; empty ``cards`` are a pass. A plain pair does as well: a hand has some seventy."""

    seat: int
    cards: str


def weigh(cards: Sequence[int], strength_of: Callable[[int], int]) -> dict[str, int]:
    """A pack's table of weights by card text: the card's bit, and one in the count of its strength.

    ``strength_of`` places a card in the game's own order, 0 the lowest. A text outside the table is a foreign card.
    """
    return {TEXTS[card]: 1 << card | 1 << COUNTS + 4 * strength_of(card) for card in cards}


def weight_of(weights: Mapping[str, int], cards: str) -> int:
    """The summed weight of the cards in a text; 0 if one of them is foreign or named twice.

    There must be as many different bits as cards: a bit added twice would have moved on and left fewer.
    """
    if single := weights.get(cards):
        return single
    texts = cards.split(" ")
    try:
        weight = sum(map(weights.__getitem__, texts))
    except KeyError:
        return 0
    return weight if (weight & CARD_BITS).bit_count() == len(texts) else 0


def held_cards(weights: Mapping[str, int], cards: str) -> int:
    """The set of the cards in a text; 0 if one of them is foreign or named twice."""
    return weight_of(weights, cards) & CARD_BITS


def texts_of_one_rank(weights: Mapping[str, int]) -> Iterator[str]:
    """Every text of one or more cards of one rank, in every order: ``5s``, ``5s 5h``, ``5h 5s``, ``5s 5h 5c`` …"""
    ranks: dict[int, list[str]] = {}
    for card, weight in weights.items():
        ranks.setdefault(weight >> COUNTS, []).append(card)
    for cards in ranks.values():
        for card_count in range(1, len(cards) + 1):
            yield from map(" ".join, permutations(cards, card_count))


def reading_of(kind: int, length: int, strength: int) -> int:
    """A combination as an int: its kind, its length (how many in a row, not counting extras) and its strength."""
    return kind << 16 | length << 8 | strength


def beats(reading: int, trick: int) -> bool:
    """Whether one reading beats another: higher of the same kind and length, or a special one above it."""
    return reading > trick and (reading >= SPECIAL or reading ^ trick < 256)


def standing(readings: Sequence[int], trick: int) -> int:
    """How cards stand over a trick: the highest reading that beats it; for a lead the first; 0 if none does."""
    if not trick:
        return readings[0] if readings else 0
    highest = trick
    for reading in readings:
        if reading > highest and (reading >= SPECIAL or reading ^ trick < 256):  # as in beats
            highest = reading
    return highest if highest > trick else 0


@dataclass(frozen=True, slots=True)
class ClimbingGame:
    """What one climbing game differs in.

    ``readings(cards, counts)`` gives every reading of a set of cards in the order in which a lead is read; it may
    leave out one that another always outdoes. ``reading_name`` puts one in words. ``finishes_trick``: whether the
    running trick is played to its end when a side is out. The ``*_rule`` are the ids that faults cite: of the first
    lead, of turns and cards held, of later leads, of the end, of combinations. ``of_one_rank`` has what ``look_at``
    says of every text of cards of one rank: most plays are such.
    """

    weights: Mapping[str, int]
    readings: Callable[[int, int], Sequence[int]]
    reading_name: Callable[[int], str]
    finishes_trick: bool
    first_lead_rule: str
    turn_rule: str
    lead_rule: str
    end_rule: str
    combination_rule: str
    of_one_rank: Mapping[str, tuple[int, Sequence[int]]] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        looks = {text: self.look_at(text) for text in texts_of_one_rank(self.weights)}
        object.__setattr__(self, "of_one_rank", looks)

    def look_at(self, text: str) -> tuple[int, Sequence[int]]:
        """The cards of a text and every way to read them; no card at all if one is foreign or named twice."""
        weight = weight_of(self.weights, text)
        cards = weight & CARD_BITS
        return cards, self.readings(cards, weight >> COUNTS) if cards else ()


class Seating(NamedTuple):
    """Who plays one hand, and how it can end.

    ``leaders`` are the seats that may lead the first trick. A player is out once a play leaves him at most
    ``limits[seat]`` cards; the hand is decided when all of one of ``sides`` are out. ``successors(winner, holding)``
    names the seats that may lead after a winner who is out; ``holding`` are the seats still in, from his left on.
    """

    players: tuple[str, ...]
    hands: tuple[int, ...]
    leaders: tuple[int, ...]
    sides: tuple[tuple[int, ...], ...]
    limits: tuple[int, ...]
    successors: Callable[[int, tuple[int, ...]], tuple[int, ...]]


@dataclass(slots=True)
class Course:
    """How the play went, as far as it was right.

    ``readings`` has one reading for each action, 0 for a pass; ``tricks`` the winner and the cards of each finished
    trick; ``out`` the seats in the order in which they went out. ``turn`` are the seats that may act now: none when
    the hand is over. ``trick`` is the reading to beat, 0 before a lead.
    """

    hands: list[int]
    turn: tuple[int, ...]
    readings: list[int] = field(default_factory=list)
    tricks: list[tuple[int, int]] = field(default_factory=list)
    out: list[int] = field(default_factory=list)
    trick: int = 0
    fault: Fault | None = None

    @property
    def is_over(self) -> bool:
        """Whether the hand has ended."""
        return not self.turn

    @property
    def cards_left(self) -> tuple[int, ...]:
        """How many cards each seat holds."""
        return tuple([hand.bit_count() for hand in self.hands])


def play_out(game: ClimbingGame, seating: Seating, plays: Sequence[tuple[int, str]]) -> Course:
    """Plays a hand up to its end or to the first fault of a play; a record that stops early is the game's to judge.

    Of the running trick ``pile`` are the cards, ``last`` is who played last and ``awaited`` how many must still pass
    before he wins it; ``rivals`` is how many others hold cards.
    """
    course = Course(list(seating.hands), seating.leaders)
    hands, readings, limits, of_one_rank = course.hands, course.readings, seating.limits, game.of_one_rank
    turns, rivals, is_decided = turns_after(len(hands), ()), len(hands) - 1, False
    turn, trick, pile, last, awaited = seating.leaders, 0, 0, 0, 0
    for seat, text in plays:
        if seat not in turn:
            break
        if text:
            cards, found = of_one_rank.get(text) or game.look_at(text)
            reading = standing(found, trick)
            left = hands[seat] ^ cards
            if left & cards or not reading:  # a card that was not in the hand is now in what is left of it
                break
            readings.append(reading)
            hands[seat] = left
            pile |= cards
            trick, last, awaited = reading, seat, rivals
            if left.bit_count() <= limits[seat]:
                course.out.append(seat)
                turns, rivals = turns_after(len(hands), tuple(course.out)), rivals - 1
                is_decided = any(all(seat in course.out for seat in side) for side in seating.sides)
                if is_decided and not game.finishes_trick:
                    awaited = 0
        elif trick:
            readings.append(0)
            awaited -= 1
        else:
            break
        if awaited:
            turn = turns[seat]
        else:
            course.tricks.append((last, pile))
            turn = () if is_decided else _next_leaders(seating, course.out, last)
            trick = pile = 0
    course.turn, course.trick = turn, trick
    if len(readings) < len(plays):
        course.fault = _find_fault(game, seating, course, *plays[len(readings)])
    return course


def _next_leaders(seating: Seating, out: Sequence[int], winner: int) -> tuple[int, ...]:
    """Who may lead after a trick: its winner or, if he is out, his successors."""
    if winner not in out:
        return (winner,)
    return seating.successors(winner, followers_of(len(seating.hands), tuple(out))[winner])


@cache
def followers_of(seats: int, out: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """For each seat the others who are still in, in turn order from its left on."""
    rounds = [[(seat + step) % seats for step in range(1, seats)] for seat in range(seats)]
    return tuple([tuple([other for other in others if other not in out]) for others in rounds])


@cache
def turns_after(seats: int, out: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """For each seat the one that may act next while a trick lasts, as ``Course.turn`` has it."""
    return tuple([others[:1] for others in followers_of(seats, out)])


def stops_early(game: ClimbingGame, seating: Seating, course: Course) -> Fault:
    """The fault of a record that ends before the hand does: at the action that is missing."""
    action, due = len(course.readings), " or ".join([seating.players[seat] for seat in course.turn])
    text = f"the record stops before play {action}, but the hand goes on: {due} would be next"
    return Fault(rule=game.end_rule, section="plays", action=action, text=text)


def _fault(rule: str, seating: Seating, course: Course, seat: int, text: str) -> Fault:
    """A fault of the action at hand, its text begun with the place and the player."""
    player, action = seating.players[seat] if 0 <= seat < len(seating.players) else None, len(course.readings)
    text = f"play {action}: {player or f'seat {seat}'} {text}"
    return Fault(rule=rule, section="plays", action=action, player=player, text=text)


def _find_fault(game: ClimbingGame, seating: Seating, course: Course, seat: int, text: str) -> Fault:
    """The fault of a wrong play, judged in the order of CM-5.

    Is the hand over, whose turn is it, does a leader pass, are the cards held, are they a combination that beats the
    trick.
    """
    if seat not in course.turn:
        return _turn_fault(game, seating, course, seat)
    if not text:
        return _fault(game.turn_rule, seating, course, seat, "passes, but who leads must play")
    cards, _ = game.look_at(text)
    if not cards or cards & ~course.hands[seat]:
        return _held_fault(game, seating, course, seat, text)
    return _combination_fault(game, seating, course, seat, text)


def _turn_fault(game: ClimbingGame, seating: Seating, course: Course, seat: int) -> Fault:
    """An action after the end, a lead by another than may lead, or an action out of turn."""
    if course.is_over:
        return _fault(game.end_rule, seating, course, seat, "acts after the hand has ended")
    due = " or ".join([seating.players[seat] for seat in course.turn])
    if course.trick:
        return _fault(game.turn_rule, seating, course, seat, f"acts out of turn, it is the turn of {due}")
    rule = game.lead_rule if course.tricks else game.first_lead_rule
    return _fault(rule, seating, course, seat, f"leads, but the lead is with {due}")


def _held_fault(game: ClimbingGame, seating: Seating, course: Course, seat: int, text: str) -> Fault:
    """Cards that the player does not hold: foreign, of another, played before, or named twice."""
    texts, hand = text.split(" ")[:SHOWN_CARDS], course.hands[seat]
    held = [bool(game.weights.get(card, 0) & CARD_BITS & hand) for card in texts]
    missing = [card for place, card in enumerate(texts) if not held[place] or card in texts[:place]]
    cards = " ".join(missing) or "more cards"
    return _fault(game.turn_rule, seating, course, seat, f"plays {cards}, which is not, or not so often, in his hand")


def _combination_fault(game: ClimbingGame, seating: Seating, course: Course, seat: int, text: str) -> Fault:
    """Cards that are no combination, or none that beats the trick."""
    _, readings = game.look_at(text)
    names = " or ".join([game.reading_name(reading) for reading in readings])
    reason = f"a {names}, which does not beat the {game.reading_name(course.trick)}" if names else "no combination"
    return _fault(game.combination_rule, seating, course, seat, f"plays {text}, {reason}")
