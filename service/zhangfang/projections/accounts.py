"""Accounts: cumulative debits and credits, open holds, the last event that touched them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sqlalchemy import Connection, select

from zhangfang.domain.books import Account
from zhangfang.domain.events import DomainEvent, PlayerRegistered
from zhangfang.ledger.accounts import player_account
from zhangfang.rules.verdict import INT64_MAX
from zhangfang.store.bulk import Sink
from zhangfang.store.schema import accounts

TABLES = (accounts,)

_TOP = INT64_MAX
# Debits and credits are for the trial balance alone: rather than refuse a hand they stop at what a column can hold.
ADD = (
    "ON CONFLICT (account) DO UPDATE SET "
    "balance = CASE WHEN excluded.debits > 0 OR excluded.credits > 0 THEN excluded.balance ELSE t.balance END, "
    f"debits = CASE WHEN t.debits > {_TOP} - excluded.debits THEN {_TOP} ELSE t.debits + excluded.debits END, "
    f"credits = CASE WHEN t.credits > {_TOP} - excluded.credits THEN {_TOP} ELSE t.credits + excluded.credits END, "
    "held = t.held + excluded.held, last_position = excluded.last_position"
)


@dataclass(slots=True)
class Change:
    """What a batch did to one account; ``balance`` is the last one, if anything was posted."""

    balance: int = 0
    debits: int = 0
    credits: int = 0
    held: int = 0
    last_position: int = 0


def apply(sink: Sink, events: Sequence[DomainEvent]) -> None:
    """Adds what a batch posted and held, one row an account."""
    changes: dict[str, Change] = {}
    for event in events:
        if isinstance(event, PlayerRegistered):
            changes[player_account(event.player_id)] = Change(last_position=event.position)
        for posted in event.postings:
            change = changes.setdefault(posted.account, Change())
            if posted.amount < 0:
                change.debits = min(change.debits - posted.amount, INT64_MAX)
            else:
                change.credits = min(change.credits + posted.amount, INT64_MAX)
            change.balance = posted.balance_after
            change.last_position = event.position
        for player_id, held in event.holds:
            change = changes.setdefault(player_account(player_id), Change())
            change.held += held
            change.last_position = event.position
    # Sorted keys keep neighbouring rows on neighbouring pages.
    rows = [
        (account, change.balance, change.debits, change.credits, change.held, change.last_position)
        for account, change in sorted(changes.items())
    ]
    sink.insert(accounts, rows, ADD)


def read_accounts(sink: Sink, names: Iterable[str]) -> dict[str, Account]:
    """The accounts of these names that exist."""
    query = "SELECT account, balance, held FROM {prefix}accounts WHERE account {keys}"
    return {row[0]: Account(row[1], row[2]) for row in sink.select_in(query, sorted(names))}


def read_account(connection: Connection, name: str) -> tuple[Account, int] | None:
    """One account and the position of the last event that touched it."""
    row = connection.execute(select(accounts).where(accounts.c.account == name)).one_or_none()
    return row and (Account(row.balance, row.held), row.last_position)


class Totals(NamedTuple):
    """One account's line of the trial balance, in silver; debits and credits stop at 2^63 − 1."""

    account: str
    debits: int
    credits: int
    balance: int


def read_totals(connection: Connection) -> list[Totals]:
    """Every account's totals, by name."""
    query = select(accounts.c.account, accounts.c.debits, accounts.c.credits, accounts.c.balance)
    return [Totals(*row) for row in connection.execute(query.order_by(accounts.c.account))]
