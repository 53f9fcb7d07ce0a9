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

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

from zhangfang.rules.cards import TEXTS
from zhangfang.rules.verdict import Fault, Faults

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
    highest = 0
    for reading in readings:
        if reading > highest and beats(reading, trick):
            highest = reading
    return highest


@dataclass(frozen=True, slots=True)
class ClimbingGame:
    """What one climbing game differs in.

    ``readings(cards, counts)`` gives every reading of a set of cards in the order in which a lead is read; it may
    leave out one that another always outdoes. ``reading_name`` puts one in words. ``finishes_trick``: whether the
    running trick is played to its end when a side is out. The ``*_rule`` are the ids that faults cite: of the first
    lead, of turns and cards held, of later leads, of the end, of combinations.
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


@dataclass(frozen=True, slots=True)
class Seating:
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
    """How the play went: grows action by action.

    ``readings`` has one reading for each action, 0 for a pass; ``tricks`` the winner and the cards of each finished
    trick; ``out`` the seats in the order in which they went out. ``turn`` are the seats that may act now: none when
    the hand is over; ``followers`` the others still in after each seat. ``trick`` is the reading to beat, 0 before a
    lead, ``pile`` its cards, ``last`` who played last, ``awaited`` how many must still pass before he wins it.
    """

    hands: list[int]
    turn: tuple[int, ...]
    followers: tuple[tuple[int, ...], ...]
    readings: list[int] = field(default_factory=list)
    tricks: list[tuple[int, int]] = field(default_factory=list)
    out: list[int] = field(default_factory=list)
    fault: Fault | None = None
    is_decided: bool = False
    trick: int = 0
    pile: int = 0
    last: int = 0
    awaited: int = 0

    @property
    def is_over(self) -> bool:
        """Whether the hand has ended."""
        return not self.turn

    @property
    def cards_left(self) -> tuple[int, ...]:
        """How many cards each seat holds."""
        return tuple([hand.bit_count() for hand in self.hands])


def play_out(game: ClimbingGame, seating: Seating, plays: Sequence[tuple[int, str]]) -> Course:
    """Plays a hand up to its end or to the first fault of a play.

    A play is judged in this order: is the hand over, whose turn is it, does a leader pass, are the cards held, are
    they a combination that beats the trick. A record that stops early is the game's to judge. Rule: CM-5.
    """
    course = Course(list(seating.hands), seating.leaders, followers_of(len(seating.hands), ()))
    for seat, text in plays:
        if seat not in course.turn:
            course.fault = _turn_fault(game, seating, course, seat)
        elif text:
            weight = weight_of(game.weights, text)
            cards = weight & CARD_BITS
            if not cards or cards & ~course.hands[seat]:
                course.fault = _held_fault(game, seating, course, seat, text)
            elif reading := standing(game.readings(cards, weight >> COUNTS), course.trick):
                _lay(game, seating, course, seat, cards, reading)
            else:
                course.fault = _combination_fault(game, seating, course, seat, text)
        elif course.trick:
            course.readings.append(0)
            course.awaited -= 1
        else:
            course.fault = _fault(game.turn_rule, seating, course, seat, "passes, but who leads must play")
        if course.fault:
            break
        if course.awaited:
            course.turn = course.followers[seat][:1]
        else:
            _end_trick(seating, course)
    return course


def _lay(game: ClimbingGame, seating: Seating, course: Course, seat: int, cards: int, reading: int) -> None:
    """Moves cards from a hand to the trick, where they now stand as the highest."""
    course.readings.append(reading)
    course.trick = reading
    course.pile |= cards
    course.last = seat
    hand = course.hands[seat] = course.hands[seat] ^ cards
    course.awaited = len(course.hands) - len(course.out) - 1
    if hand.bit_count() <= seating.limits[seat]:
        course.out.append(seat)
        course.followers = followers_of(len(course.hands), tuple(course.out))
        course.is_decided = any(all(seat in course.out for seat in side) for side in seating.sides)
        if course.is_decided and not game.finishes_trick:
            course.awaited = 0


def _end_trick(seating: Seating, course: Course) -> None:
    """Gives the trick to who played last, and the next lead to him or, if he is out, to his successors."""
    winner = course.last
    course.tricks.append((winner, course.pile))
    course.trick = course.pile = 0
    if course.is_decided:
        course.turn = ()
    else:
        course.turn = seating.successors(winner, course.followers[winner]) if winner in course.out else (winner,)


@cache
def followers_of(seats: int, out: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """For each seat the others who are still in, in turn order from its left on."""
    rounds = [[(seat + step) % seats for step in range(1, seats)] for seat in range(seats)]
    return tuple([tuple([other for other in others if other not in out]) for others in rounds])


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
    weight = weight_of(game.weights, text)
    names = " or ".join([game.reading_name(reading) for reading in game.readings(weight & CARD_BITS, weight >> COUNTS)])
    reason = f"a {names}, which does not beat the {game.reading_name(course.trick)}" if names else "no combination"
    return _fault(game.combination_rule, seating, course, seat, f"plays {text}, {reason}")


@dataclass(frozen=True, slots=True)
class Dealt:
    """Cards dealt to one place: a seat's hand, or cards that belong to nobody (``player`` None)."""

    section: str
    action: int
    player: str | None
    cards: str
    card_count: int

    def fault(self, rule: str, text: str, card: str | None = None) -> Fault:
        """A fault of these cards, its text begun with whose they are."""
        text = f"{self.player or self.section} has {text}"
        return Fault(rule=rule, section=self.section, action=self.action, player=self.player, card=card, text=text)


def check_cards(rule: str, weights: Mapping[str, int], places: Sequence[Dealt]) -> Faults:
    """Every fault of the dealt cards: foreign ones, then duplicates at the later place, then wrong numbers.

    Of more cards than a whole pack only the number is wrong: so a record names a bounded number of faults.
    """
    foreign, duplicates, numbers = [], [], []
    seen: set[str] = set()
    for place in places:
        texts = place.cards.split(" ") if place.cards else []
        if len(texts) != place.card_count:
            numbers.append(place.fault(rule, f"{len(texts)} cards instead of {place.card_count}"))
        for card in texts if len(texts) <= len(weights) else ():
            if card not in weights:
                foreign.append(place.fault(rule, f"{card!r}, which is no card of this game's pack", card))
            elif card in seen:
                duplicates.append(place.fault(rule, f"{card}, which was dealt before; a pack holds it once", card))
            seen.add(card)
    return (*foreign, *duplicates, *numbers)
