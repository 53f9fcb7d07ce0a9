"""The bank of a 九點半 table: who may bank now, and how the bank passes on. Rule: JD-13, JD-14."""

from collections.abc import Mapping
from typing import Any

from zhangfang.domain.books import Books
from zhangfang.domain.commands import ChangeBanker, Request
from zhangfang.domain.events import DomainEvent
from zhangfang.domain.tables import Table


def change_banker(books: Books, command: ChangeBanker) -> list[DomainEvent]:
    """A player applies, leaves or steps down."""
    raise NotImplementedError


def check_banker(table: Table, record: Any) -> None:
    """Refuses a hand whose banker is not the one whose turn it is at this table."""


def check_hand_can_open(table: Table, players: tuple[str, ...]) -> None:
    """Refuses to open a hand that nobody may bank."""


def bank_after_hand(
    books: Books, request: Request, table: Table, hand_id: str, outcome: Any, balances: Mapping[str, int]
) -> list[DomainEvent]:
    """The bank passed on after a hand, where it passes on."""
    return []
