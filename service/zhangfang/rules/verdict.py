"""What judging a hand yields: a verdict that explains itself, or every fault of the hand.

Rule: CM-3 (every amount explains itself), CM-5 (faults are collected).
"""

from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import Any, NamedTuple

INT64_MAX = 2**63 - 1
INT64_MIN = -(2**63)

PENALTIES = "system/penalties"


def is_int64(amount: int) -> bool:
    """Whether an amount can be recorded. Rule: CM-1."""
    return INT64_MIN <= amount <= INT64_MAX


class Ended(StrEnum):
    """How a hand ended; the table fee and the rake are taken of a NORMAL one only. Rule: CM-7, CM-8."""

    NORMAL = "NORMAL"
    ESCAPE = "ESCAPE"
    REDEAL = "REDEAL"
    VOIDED = "VOIDED"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One thing wrong with a hand, with the rule it breaks and the place where it does.

    ``section`` is the field of the record (``plays``, ``deal`` …); the other places are given where they apply:
    ``action`` the 0-based index within the section, ``pot`` 1–3, ``bet`` and ``obligation`` 0-based indices, ``hand``
    the name of one of 九點半's hands, ``card`` a card's text, ``event`` a 0-based index, ``field`` a setting's name.
    ``player`` is None when the fault belongs to nobody. Rule: CM-5.
    """

    rule: str
    text: str
    player: str | None = None
    section: str | None = None
    action: int | None = None
    pot: int | None = None
    bet: int | None = None
    hand: str | None = None
    card: str | None = None
    obligation: int | None = None
    event: int | None = None
    field: str | None = None


Faults = tuple[Fault, ...]


class Factor(NamedTuple):
    """One factor of a step, e.g. ``Factor("BB-5", "dou", 2)``."""

    rule: str
    name: str
    factor: int


class Step(NamedTuple):
    """Why ``payer`` owes ``payee`` ``amount`` silver (≥ 1).

    ``rule`` is the rule that makes the debt, ``factors`` what it was multiplied from, in the rulebook's order, factors
    of 1 left out. ``text`` and ``text_zh`` are the line a player reads. Rule: CM-3.

    A named tuple, as is Factor: a hand makes dozens of them, and a frozen dataclass takes four times as long to make.
    """

    rule: str
    payer: str
    payee: str
    amount: int
    factors: tuple[Factor, ...]
    text: str
    text_zh: str


class Obligation(NamedTuple):
    """A debt of ``amount`` silver from ``payer`` to ``payee`` (a player, or PENALTIES on an escape). Rule: CM-6."""

    payer: str
    payee: str
    amount: int


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a legal hand pays.

    ``seats`` is everybody who takes part, earlier seat first: the order in which CM-6 breaks ties and CM-7 takes fees.
    ``outcome`` is the game's own dataclass of facts (who won, which multipliers …).
    The obligations are those of the steps, in their order.
    """

    ended: Ended
    seats: tuple[str, ...]
    steps: tuple[Step, ...]
    outcome: Any

    @property
    def obligations(self) -> tuple[Obligation, ...]:
        """One obligation a step. Rule: CM-6."""
        return tuple([Obligation(step.payer, step.payee, step.amount) for step in self.steps])


factor_of = partial(tuple.__new__, Factor)
"""A Factor of a tuple of its fields; it takes half as long as ``Factor`` itself."""

step_of = partial(tuple.__new__, Step)
"""The same for a Step."""
