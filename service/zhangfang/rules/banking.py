"""The bank of a table, where it passes from player to player by the rules of its game.

The house keeps a ``Bank`` with the table and asks the game's ``Banking`` what becomes of it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from zhangfang.rules.verdict import Fault, Faults


@dataclass(frozen=True, slots=True)
class Bank:
    """Who banks (莊家) at a table, and who waits for it.

    ``banker`` is empty while nobody banks. ``queue`` is the list of who wants to, head first, the banker included;
    ``seats`` are the seats the bank goes along, counter-clockwise; a game uses one of the two. ``is_hand_open`` while a
    hand of the banker is running, ``is_stepping_down`` once he has applied to leave after it.
    """

    banker: str = ""
    queue: tuple[str, ...] = ()
    seats: tuple[str, ...] = ()
    is_stepping_down: bool = False
    is_hand_open: bool = False


@dataclass(frozen=True, slots=True)
class Banking:
    """How a game passes the bank on; ``silver`` is what each player concerned has available.

    - ``begin(house_rules, seats, draws)``: the bank of a new table, None if its hands name their banker freely, or
      faults; ``draws`` are the cards that the seats drew for it, empty if the first seat begins.
    - ``change(bank, house_rules, player, action, silver)``: after ``apply``, ``leave`` or ``step_down``, or a fault.
    - ``open_hand(bank, house_rules, banker, silver)``: while a hand of ``banker`` runs, or why it cannot.
    - ``close_hand(bank, house_rules, outcome, silver)``: after that hand; ``outcome`` is None if it was voided.
    - ``banker_of(record)``: who banks a finished hand.
    """

    begin: Callable[[Any, tuple[str, ...], tuple[str, ...]], Bank | Faults | None]
    change: Callable[[Bank, Any, str, str, Mapping[str, int]], Bank | Fault]
    open_hand: Callable[[Bank, Any, str, Mapping[str, int]], Bank | Fault]
    close_hand: Callable[[Bank, Any, Any, Mapping[str, int]], Bank]
    banker_of: Callable[[Any], str]
