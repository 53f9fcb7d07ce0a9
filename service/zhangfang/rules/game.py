"""What every game tells the house about itself.

A game is a folder below ``rules/games`` whose ``__init__`` holds one ``GAME``. The rest of the house knows games only
through this description: it never asks which game it has before it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from zhangfang.rules.banking import Banking
from zhangfang.rules.verdict import Faults, Verdict


@dataclass(frozen=True, slots=True)
class Opening:
    """Choices that one player has open now: any one of ``kinds``."""

    player: str
    kinds: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Progress:
    """Where an open hand stands.

    ``phase`` is the game's word for what is awaited (``chui``, ``deal``, ``bank``, ``play`` …), ``openings`` who may
    choose what now, ``is_over`` whether the hand has ended by a choice (a surrender, a redeal, an escape), so that it
    is settled or voided without plays.
    """

    phase: str
    openings: tuple[Opening, ...]
    is_over: bool = False


@dataclass(frozen=True, slots=True)
class Game:
    """One game's identity, house rules and judging.

    ``judge(record, rules, stake, silver)`` is the whole of the rulebook page: a finished hand in, a Verdict or all
    faults out. ``stake`` is silver ≥ 1; ``silver`` is what each player had available when the hand began, used only by
    games with ``needs_silver``; who is not named in it is not checked.

    ``participants(record)`` names everybody whose silver a record may move, without judging it; ``seated(record)``
    those of them whose wealth may make the stake (CM-9); ``held_by(choice)`` is the silver a choice holds until the
    hand ends; ``opening_seats`` is how few and how many players a hand opens with, by default those of the game.
    ``accepted(record)`` is the record of a hand whose choices were accepted one by one when they were made.
    ``banking`` passes a table's bank from player to player, where the game does that.

    The stage functions serve a hand that arrives piece by piece. Each returns the longer record, or the faults of
    what was added:

    - ``begin(players)``: a record in which nothing has been chosen or dealt yet.
    - ``deal(record, deal, rules)``: the cards, where the game deals.
    - ``choose(record, player, choice, rules, stake, silver)``: one choice of one player.
    - ``finish(record, ending, rules)``: what is still missing; the result goes to ``judge``.
    - ``progress(record, rules)``: what is open now.
    """

    name: str
    title: str
    seats_min: int
    seats_max: int
    house_rules: type[Any]
    record: type[Any]
    check_house_rules: Callable[[Any], Faults]
    judge: Callable[[Any, Any, int, Mapping[str, int]], Verdict | Faults]
    begin: Callable[[tuple[str, ...]], Any]
    deal: Callable[[Any, Any, Any], Any | Faults]
    choose: Callable[[Any, str, Any, Any, int, Mapping[str, int]], Any | Faults]
    finish: Callable[[Any, Any, Any], Any | Faults]
    progress: Callable[[Any, Any], Progress]
    participants: Callable[[Any], tuple[str, ...]] = lambda record: record.players
    seated: Callable[[Any], tuple[str, ...]] = lambda record: record.players
    held_by: Callable[[Any], int] = lambda _choice: 0
    accepted: Callable[[Any], Any] = lambda record: record
    opening_seats: tuple[int, int] = (0, 0)
    banking: Banking | None = None
    needs_silver: bool = False
    has_levels: bool = False

    def __post_init__(self) -> None:
        if self.opening_seats == (0, 0):
            object.__setattr__(self, "opening_seats", (self.seats_min, self.seats_max))


def unknown_value(field: str, value: object, allowed: type[Enum] | str) -> str:
    """The sentence for a house rule with a value it cannot have. Rule: CM-4."""
    choices = allowed if isinstance(allowed, str) else ", ".join(member.name for member in allowed)
    return f"house rule {field} is {value}; allowed: {choices}"
