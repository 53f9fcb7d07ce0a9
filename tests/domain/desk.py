"""The domain without a house around it: books filled by hand, commands decided and applied one by one."""

from zhangfang.contract.judging import WireScribe
from zhangfang.domain.books import Account, Books
from zhangfang.domain.commands import Command
from zhangfang.domain.decide import decide
from zhangfang.domain.events import DomainEvent
from zhangfang.errors import Refusal
from zhangfang.ledger.accounts import player_account


class Desk:
    """Books in which these players have this silver, and nothing has happened yet."""

    def __init__(self, **silver: int) -> None:
        self.books = Books(WireScribe(), "zhangfang test")
        self.books.registered.update(silver)
        self.books.accounts.update({player_account(player): Account(amount) for player, amount in silver.items()})
        self.log: list[DomainEvent] = []

    def do(self, *commands: Command) -> list[DomainEvent]:
        """Decides commands and takes their events into the books; returns those of the last one."""
        decided: list[DomainEvent] = []
        for command in commands:
            decided = []
            for event in decide(self.books, command):
                event.take_place(len(self.log) + 1, 1000 + len(self.log))
                self.books.apply(event)
                self.log.append(event)
                decided.append(event)
        return decided

    def refuse(self, command: Command) -> Refusal:
        """The refusal of a command that must be refused; the books are as they were."""
        before = repr(vars(self.books))
        try:
            decide(self.books, command)
        except Refusal as refusal:
            assert repr(vars(self.books)) == before
            return refusal
        raise AssertionError(f"{command} was not refused")

    def silver(self, *players: str) -> list[int]:
        """What players have."""
        return [self.books.account(player_account(player)).balance for player in players]

    def held(self, player: str) -> int:
        """What is held of a player's silver."""
        return self.books.account(player_account(player)).held
