"""One command in, its events out, or a refusal; nothing is changed by deciding."""

from collections.abc import Callable
from typing import Any

from zhangfang.domain import banking, opening, players, reversing, settling, stages, voiding
from zhangfang.domain.books import Books
from zhangfang.domain.commands import (
    ChangeBanker,
    CloseTable,
    Command,
    Deposit,
    FinishHand,
    MakeChoice,
    OpenHand,
    OpenTable,
    RecordDeal,
    RegisterPlayer,
    ReverseHand,
    SettleHand,
    VoidHand,
    Withdraw,
)
from zhangfang.domain.events import DomainEvent

DECIDERS: dict[type[Command], Callable[[Books, Any], list[Any]]] = {
    RegisterPlayer: players.register_player,
    Deposit: players.deposit,
    Withdraw: players.withdraw,
    OpenTable: opening.open_table,
    CloseTable: opening.close_table,
    ChangeBanker: banking.change_banker,
    OpenHand: stages.open_hand,
    RecordDeal: stages.record_deal,
    MakeChoice: stages.make_choice,
    FinishHand: stages.finish_hand,
    SettleHand: settling.settle_hand,
    VoidHand: voiding.void_hand,
    ReverseHand: reversing.reverse_hand,
}


def decide(books: Books, command: Command) -> list[DomainEvent]:
    """The events of one command, in the order in which they are appended.

    Raises:
        Refusal: says what is wrong; the books are as they were.
    """
    return DECIDERS[type(command)](books, command)
