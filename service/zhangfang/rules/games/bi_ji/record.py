"""What is written down of a 比機 hand, and the house rules it is judged by.

Cards stay in the rulebook's notation here; the judge reads them, so that a card nobody knows becomes a fault at its
place.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from zhangfang.rules.game import unknown_value
from zhangfang.rules.verdict import Fault, Faults


class FlushCompare(StrEnum):
    """How two flushes (清) of different cards are compared. Rule: BJ-8."""

    TOP_THEN_SUIT = "TOP_THEN_SUIT"
    ALL_RANKS_THEN_SUIT = "ALL_RANKS_THEN_SUIT"


class LateLayout(StrEnum):
    """What becomes of who did not lay in time: refused, or laid by the service. Rule: BJ-2."""

    REFUSE = "REFUSE"
    AUTO = "AUTO"


@dataclass(frozen=True, slots=True)
class BiJiRules:
    """The house rules of a table; the defaults are the seed's.

    A number instead of a member is a value that came over the wire and that nobody knows: a fault. Rule: CM-4.
    """

    joker_pair: bool = True
    flush_compare: FlushCompare | int = FlushCompare.TOP_THEN_SUIT
    late_layout: LateLayout | int = LateLayout.REFUSE


@dataclass(frozen=True, slots=True)
class Deal:
    """Nine cards for each player, in seat order (發牌). Rule: BJ-1."""

    hands: tuple[str, ...]


class Layout(NamedTuple):
    """A player's nine cards as three ascending groups, pot 1 (第一鍋) first. Rule: BJ-2.

    Who has not laid yet, or did not in time, has no groups: his nine cards are ``unlaid``.
    """

    groups: tuple[str, ...] = ()
    unlaid: str = ""


@dataclass(frozen=True, slots=True)
class BiJiHand:
    """A whole hand: the players in seat order, counter-clockwise, and one layout for each.

    While the hand is open ``layouts`` is empty until the deal, and then holds the dealt cards as ``unlaid``.
    """

    players: tuple[str, ...]
    layouts: tuple[Layout, ...] = ()


@dataclass(frozen=True, slots=True)
class LayoutChoice:
    """The three groups a player lays (搭牌), pot 1 first. Rule: BJ-2."""

    groups: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Ending:
    """Nothing is missing when time is up: the layouts that did not come are laid or refused. Rule: BJ-2."""


def check_house_rules(rules: BiJiRules) -> Faults:
    """One fault for each house rule that has a value nobody knows. Rule: CM-4.

    >>> [fault.field for fault in check_house_rules(BiJiRules(flush_compare=7))]
    ['flush_compare']
    """
    faults = []
    if not isinstance(rules.flush_compare, FlushCompare):
        text = unknown_value("flush_compare", rules.flush_compare, FlushCompare)
        faults.append(Fault(rule="CM-4", section="rules", field="flush_compare", text=text))
    if not isinstance(rules.late_layout, LateLayout):
        text = unknown_value("late_layout", rules.late_layout, LateLayout)
        faults.append(Fault(rule="CM-4", section="rules", field="late_layout", text=text))
    return tuple(faults)
