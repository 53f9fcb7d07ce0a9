"""Players and the silver that comes in and goes out."""

from zhangfang.domain.books import Books
from zhangfang.domain.commands import Deposit, RegisterPlayer, Withdraw
from zhangfang.domain.events import PlayerRegistered, SilverDeposited, SilverWithdrawn
from zhangfang.errors import Reason, Refusal, Status, invalid
from zhangfang.ledger.accounts import SYSTEM_PREFIX, player_account
from zhangfang.ledger.postings import deposit_postings, withdrawal_postings


def register_player(books: Books, command: RegisterPlayer) -> list[PlayerRegistered]:
    """A new player, with no silver; none may be called like an account of the house."""
    if command.player_id.startswith(SYSTEM_PREFIX):
        raise invalid("player_id", f"begins with {SYSTEM_PREFIX!r}, as the accounts of the house do; choose another")
    if command.player_id in books.registered:
        raise Refusal(
            Status.ALREADY_EXISTS,
            Reason.PLAYER_EXISTS,
            f"player {command.player_id!r} is registered already",
            {"player_id": command.player_id},
        )
    return [
        PlayerRegistered(
            originator_id=f"player/{command.player_id}",
            originator_version=1,
            metadata=books.metadata(command.request),
            player_id=command.player_id,
            display_name=command.display_name,
        )
    ]


def deposit(books: Books, command: Deposit) -> list[SilverDeposited]:
    """Silver from ``system/cash`` to a player."""
    books.require_players((command.player_id,))
    return [
        SilverDeposited(
            originator_id=f"transfer/{command.request.request_id}",
            originator_version=1,
            metadata=books.metadata(command.request),
            player_id=command.player_id,
            amount=command.amount,
            note=command.note,
            postings=books.post(deposit_postings(command.player_id, command.amount)),
            held=books.account(player_account(command.player_id)).held,
        )
    ]


def withdraw(books: Books, command: Withdraw) -> list[SilverWithdrawn]:
    """Silver from a player to ``system/cash``, at most what he has available."""
    books.require_players((command.player_id,))
    account = books.account(player_account(command.player_id))
    if command.amount > account.available:
        raise Refusal(
            Status.FAILED_PRECONDITION,
            Reason.INSUFFICIENT_SILVER,
            f"player {command.player_id!r} has {account.available} silver available (balance {account.balance}, "
            f"held {account.held}); {command.amount} is more than that",
            {
                "player_id": command.player_id,
                "available": str(account.available),
                "balance": str(account.balance),
                "held": str(account.held),
                "amount": str(command.amount),
            },
        )
    return [
        SilverWithdrawn(
            originator_id=f"transfer/{command.request.request_id}",
            originator_version=1,
            metadata=books.metadata(command.request),
            player_id=command.player_id,
            amount=command.amount,
            note=command.note,
            postings=books.post(withdrawal_postings(command.player_id, command.amount)),
            held=account.held,
        )
    ]
