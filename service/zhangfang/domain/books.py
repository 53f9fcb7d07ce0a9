"""The books as a batch of commands sees them: what was on disk when the log head was locked, and what came since.

Deciding reads here; an event changes them only by ``apply``, after its whole command was accepted.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple, Protocol

from zhangfang.domain.commands import Request
from zhangfang.domain.events import DomainEvent, Metadata, PlayerRegistered, Posted
from zhangfang.domain.hands import Hand, evolve_hand
from zhangfang.domain.tables import Table, evolve_table
from zhangfang.errors import Reason, Refusal, Status, faulty, unknown_hand, unknown_table
from zhangfang.ledger.accounts import player_account, player_of
from zhangfang.ledger.balances import balances_after, does_not_fit
from zhangfang.ledger.postings import Postings
from zhangfang.rules.games import GAMES
from zhangfang.rules.verdict import Faults, Verdict, is_int64


class Account(NamedTuple):
    """One account: its silver, negative for who owes, and what is held of it, ≥ 0."""

    balance: int = 0
    held: int = 0

    @property
    def available(self) -> int:
        """What can be bet, withdrawn or lost beyond open bets."""
        return self.balance - self.held


NO_ACCOUNT = Account()


class Scribe(Protocol):
    """Encodes a verdict as the Judgement message; the contract's business, handed in from above."""

    def judgement(self, game: str, stake: int, house_rules: Any, record: Any, verdict: Verdict) -> bytes:
        """The encoded message."""


Referee = Callable[[str, Any, Any, int, Mapping[str, int]], Verdict | Faults]
"""Judges a game's finished hand: record, house rules, stake, and the silver players have available."""


def judge_by_the_rulebook(
    game: str, record: Any, house_rules: Any, stake: int, silver: Mapping[str, int]
) -> Verdict | Faults:
    """The referee there is; who wants to watch it at work hands in one that asks it."""
    return GAMES[game].judge(record, house_rules, stake, silver)


class Books:
    """Players, accounts, tables and hands by id; an id that was asked for and is not there is absent.

    Whoever opens the books sees to it that they hold all that the batch's commands name before the first is decided.
    ``graded`` are the players whose level points are here; who has none has no entry in ``points``.
    """

    def __init__(self, scribe: Scribe, software: str, referee: Referee = judge_by_the_rulebook) -> None:
        self.scribe = scribe
        self.referee = referee
        self.software = software
        self.registered: set[str] = set()
        self.accounts: dict[str, Account] = {}
        self.points: dict[tuple[str, str], int] = {}
        self.graded: set[str] = set()
        self.tables: dict[str, Table] = {}
        self.hands: dict[str, Hand] = {}

    def metadata(self, request: Request) -> Metadata:
        """What every event of a request carries."""
        return Metadata(request.actor, request.request_id, request.fingerprint, request.occurred_at_us, self.software)

    def table(self, table_id: str) -> Table:
        """A table that must exist."""
        table = self.tables.get(table_id)
        if table is None:
            raise unknown_table(table_id)
        return table

    def hand(self, hand_id: str) -> Hand:
        """A hand that must exist."""
        hand = self.hands.get(hand_id)
        if hand is None:
            raise unknown_hand(hand_id)
        return hand

    def account(self, name: str) -> Account:
        """An account; one that nothing was ever posted to is empty."""
        return self.accounts.get(name, NO_ACCOUNT)

    def require_players(self, player_ids: Iterable[str]) -> None:
        """Refuses players who are not registered."""
        for player_id in player_ids:
            if player_id not in self.registered:
                raise Refusal(
                    Status.NOT_FOUND,
                    Reason.UNKNOWN_PLAYER,
                    f"player {player_id!r} is not registered; register him first",
                    {"player_id": player_id},
                )

    def available(self, player_ids: Iterable[str], released: Mapping[str, int] | None = None) -> dict[str, int]:
        """What each player can lose: his balance less holds, those about to be ``released`` not counted."""
        accounts = self.accounts
        available = {}
        for player_id in player_ids:
            balance, held = accounts.get(player_account(player_id), NO_ACCOUNT)
            available[player_id] = balance - held
        for player_id, silver in (released or {}).items():
            if player_id in available:
                available[player_id] += silver
        return available

    def level_points(self, game: str, player_ids: Iterable[str]) -> dict[str, int]:
        """Each player's level points in a game. Rule: CM-10."""
        return {player_id: self.points.get((player_id, game), 0) for player_id in player_ids}

    def post(self, postings: Postings, released: Mapping[str, int] | None = None) -> tuple[Posted, ...]:
        """Where each posting takes its account, without moving anything yet; ``released`` holds end with it.

        A balance far below zero may fit while what is available of it, less by open bets, does not. Rule: CM-1.
        """
        before = {account: self.accounts.get(account, NO_ACCOUNT) for account, _, _ in postings}
        balances = {account: balance for account, (balance, _) in before.items()}
        after = balances_after(balances, postings)
        if isinstance(after, tuple):
            raise faulty(after)
        for account, (_, held) in before.items():
            if held:
                available = after[account] - held + (released or {}).get(player_of(account) or "", 0)
                if not is_int64(available):
                    raise faulty((does_not_fit(account, "available silver", available),))
        posted = []
        for account, amount, kind in postings:
            balance = balances[account] = balances[account] + amount
            if not is_int64(balance):  # on the way to one that fits, but a line of a statement too
                raise faulty((does_not_fit(account, "balance", balance),))
            posted.append(Posted(account, amount, kind, balance))
        return tuple(posted)

    def apply(self, event: DomainEvent) -> None:
        """Takes an accepted event into the books."""
        for posted in event.postings:
            account = self.account(posted.account)
            self.accounts[posted.account] = Account(posted.balance_after, account.held)
        for player_id, change in event.holds:
            name = player_account(player_id)
            account = self.account(name)
            self.accounts[name] = Account(account.balance, account.held + change)
        for player_id, change in event.level_points:
            self.points[player_id, event.game] = self.points.get((player_id, event.game), 0) + change
        kind, _, key = event.originator_id.partition("/")
        if kind == "hand":
            self.hands[key] = evolve_hand(self.hands.get(key), event)
        elif kind == "table":
            self.tables[key] = evolve_table(self.tables.get(key), event)
        elif isinstance(event, PlayerRegistered):
            self.registered.add(event.player_id)
