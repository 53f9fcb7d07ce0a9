"""Accounts: cumulative debits and credits, open holds, the last event that touched them."""

from collections.abc import Iterable, Sequence

from sqlalchemy import Connection, select

from zhangfang.domain.books import Account
from zhangfang.domain.events import DomainEvent, PlayerRegistered
from zhangfang.ledger.accounts import player_account
from zhangfang.ledger.balances import AccountTotals
from zhangfang.store.bulk import Sink
from zhangfang.store.schema import accounts

TABLES = (accounts,)

ADD = (
    "ON CONFLICT (account) DO UPDATE SET debits = t.debits + excluded.debits, credits = t.credits + excluded.credits, "
    "held = t.held + excluded.held, last_position = excluded.last_position"
)


def apply(sink: Sink, events: Sequence[DomainEvent]) -> None:
    """Adds what a batch posted and held, one row an account."""
    changes: dict[str, list[int]] = {}
    for event in events:
        if isinstance(event, PlayerRegistered):
            changes[player_account(event.player_id)] = [0, 0, 0, event.position]
        for posted in event.postings:
            change = changes.setdefault(posted.account, [0, 0, 0, 0])
            if posted.amount < 0:
                change[0] -= posted.amount
            else:
                change[1] += posted.amount
            change[3] = event.position
        for player_id, held in event.holds:
            change = changes.setdefault(player_account(player_id), [0, 0, 0, 0])
            change[2] += held
            change[3] = event.position
    # Sorted keys keep neighbouring rows on neighbouring pages.
    sink.insert(accounts, [(account, *changes[account]) for account in sorted(changes)], ADD)


def read_accounts(sink: Sink, names: Iterable[str]) -> dict[str, Account]:
    """The accounts of these names that exist."""
    query = "SELECT account, debits, credits, held FROM accounts WHERE account {keys}"
    return {row[0]: Account(AccountTotals(row[1], row[2]), row[3]) for row in sink.select_in(query, sorted(names))}


def read_account(connection: Connection, name: str) -> tuple[Account, int] | None:
    """One account and the position of the last event that touched it."""
    row = connection.execute(select(accounts).where(accounts.c.account == name)).one_or_none()
    return row and (Account(AccountTotals(row.debits, row.credits), row.held), row.last_position)


def read_totals(connection: Connection) -> list[tuple[str, AccountTotals]]:
    """Every account's totals, by name."""
    query = select(accounts.c.account, accounts.c.debits, accounts.c.credits).order_by(accounts.c.account)
    return [(row.account, AccountTotals(row.debits, row.credits)) for row in connection.execute(query)]


