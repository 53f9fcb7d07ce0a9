"""The bank of a table passed on, in games where it passes from player to player. Rule: JD-13, JD-14."""

from collections.abc import Mapping
from typing import Any

from zhangfang.domain.books import Books
from zhangfang.domain.commands import ChangeBanker, Request
from zhangfang.domain.events import BankChanged
from zhangfang.domain.tables import Table
from zhangfang.errors import Reason, Refusal, Status, table_closed
from zhangfang.rules.banking import Bank, Banking
from zhangfang.rules.games import GAMES
from zhangfang.rules.verdict import Fault


def change_banker(books: Books, command: ChangeBanker) -> list[BankChanged]:
    """A player applies, leaves or steps down."""
    table = books.table(command.table_id)
    if not table.is_open:
        raise table_closed(table.table_id, "; nobody banks there any more")
    books.require_players((command.player_id,))
    banking = GAMES[table.game].banking
    if banking is None or table.bank is None:
        raise Refusal(
            Status.FAILED_PRECONDITION,
            Reason.BANKER_REFUSED,
            f"the bank of table {table.table_id!r} does not pass from player to player",
            {"table_id": table.table_id, "game": table.game},
        )
    silver = books.available((command.player_id,))
    changed = banking.change(table.bank, table.house_rules, command.player_id, command.action, silver)
    if isinstance(changed, Fault):
        raise _refused(table, changed)
    return [bank_changed(books, command.request, table, changed, player_id=command.player_id, action=command.action)]


def open_bank(books: Books, table: Table, banker: str) -> Bank | None:
    """The bank while a hand of ``banker`` runs at a table; None where every hand names its banker freely.

    Raises:
        Refusal: if it is not his turn, or another hand is running.
    """
    banking = GAMES[table.game].banking
    if banking is None or table.bank is None:
        return None
    silver = books.available(_waiting(table.bank))
    opened = banking.open_hand(table.bank, table.house_rules, banker, silver)
    if isinstance(opened, Fault):
        raise _refused(table, opened)
    return opened


def close_bank(table: Table, bank: Bank | None, outcome: Any, silver: Mapping[str, int]) -> Bank | None:
    """The bank after a hand that ran with ``bank``; ``outcome`` is None if it was voided."""
    banking: Banking | None = GAMES[table.game].banking
    if banking is None or bank is None or not bank.is_hand_open:
        return None
    return banking.close_hand(bank, table.house_rules, outcome, silver)


def banker_of(game: str, record: Any) -> str:
    """Who banks a record; empty in games whose bank does not pass from player to player."""
    banking = GAMES[game].banking
    return banking.banker_of(record) if banking else ""


def silver_after(books: Books, bank: Bank | None, after: Mapping[str, int]) -> dict[str, int]:
    """What everybody waiting for a bank has available once a hand ends.

    ``after`` is what those who took part have then, with what their bets in it held.
    """
    available = books.available(_waiting(bank)) if bank else {}
    return {player_id: after.get(player_id, silver) for player_id, silver in available.items()}


def bank_changed(
    books: Books,
    request: Request,
    table: Table,
    bank: Bank,
    *,
    player_id: str = "",
    action: str = "",
    hand_id: str = "",
) -> BankChanged:
    """The event that gives a table its new bank."""
    return BankChanged(
        originator_id=f"table/{table.table_id}",
        originator_version=table.version + 1,
        metadata=books.metadata(request),
        table_id=table.table_id,
        player_id=player_id,
        action=action,
        hand_id=hand_id,
        bank=bank,
    )


def _waiting(bank: Bank) -> tuple[str, ...]:
    return (*bank.queue, *bank.seats)


def _refused(table: Table, fault: Fault) -> Refusal:
    metadata = {"table_id": table.table_id, "banker": table.bank.banker if table.bank else ""}
    text = f"{fault.rule}: {fault.text}"
    return Refusal(Status.FAILED_PRECONDITION, Reason.BANKER_REFUSED, text, metadata, faults=(fault,))
