"""What callers ask for, checked as to form: imperative, complete, and nothing but values.

Each says which rows of the books deciding it needs, so that a batch of commands reads them all at once.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

from zhangfang.domain.value import named_value
from zhangfang.rules.levels import StakeMode
from zhangfang.rules.payment import MoneyRules
from zhangfang.rules.verdict import Ended, Obligation, Verdict


class Request(NamedTuple):
    """Who asks and under which id; ``fingerprint`` is a digest of the whole request, ``byte_count`` how long it is."""

    request_id: str
    fingerprint: bytes
    actor: str = ""
    occurred_at_us: int | None = None
    byte_count: int = 0


class Judged(NamedTuple):
    """What a verdict comes to: how the hand ended, who took part, who owes whom, the game's outcome.

    ``stake`` is what it was reached for, ``encoded`` the Judgement message that tells all of it.
    """

    ended: Ended
    seats: tuple[str, ...]
    obligations: tuple[Obligation, ...]
    outcome: Any
    stake: int
    encoded: bytes

    @classmethod
    def of(cls, verdict: Verdict, stake: int, encoded: bytes) -> "Judged":
        """What this verdict comes to."""
        return cls(verdict.ended, verdict.seats, verdict.obligations, verdict.outcome, stake, encoded)


@named_value
class Command:
    """What all commands have in common."""

    request: Request

    def player_ids(self) -> Iterable[str]:
        """Players whose accounts deciding it needs."""
        return ()

    def table_ids(self) -> Iterable[str]:
        """Tables deciding it needs."""
        return ()

    def hand_ids(self) -> Iterable[str]:
        """Hands deciding it needs."""
        return ()


@named_value
class RegisterPlayer(Command):
    """Register a player with no silver."""

    player_id: str
    display_name: str = ""

    def player_ids(self) -> Iterable[str]:
        return (self.player_id,)


@named_value
class Deposit(Command):
    """Bring ``amount`` ≥ 1 silver in."""

    player_id: str
    amount: int
    note: str = ""

    def player_ids(self) -> Iterable[str]:
        return (self.player_id,)


@named_value
class Withdraw(Command):
    """Take ``amount`` ≥ 1 silver out, at most what is available."""

    player_id: str
    amount: int
    note: str = ""

    def player_ids(self) -> Iterable[str]:
        return (self.player_id,)


@named_value
class OpenTable(Command):
    """Open a table whose settings are legal (CM-4, CM-9); ``draws`` are the cards its seats drew for the bank."""

    table_id: str
    game: str
    house_rules: Any
    stake_mode: StakeMode
    stake: int
    money_rules: MoneyRules
    seats: tuple[str, ...] = ()
    draws: tuple[str, ...] = ()

    def table_ids(self) -> Iterable[str]:
        return (self.table_id,)

    def player_ids(self) -> Iterable[str]:
        return self.seats


@named_value
class CloseTable(Command):
    """Close a table for new hands."""

    table_id: str

    def table_ids(self) -> Iterable[str]:
        return (self.table_id,)


@named_value
class ChangeBanker(Command):
    """``action`` is ``apply``, ``leave`` or ``step_down``. Rule: JD-13, JD-14."""

    table_id: str
    player_id: str
    action: str

    def table_ids(self) -> Iterable[str]:
        return (self.table_id,)

    def player_ids(self) -> Iterable[str]:
        return (self.player_id,)


@named_value
class OpenHand(Command):
    """Open a hand that will arrive piece by piece."""

    hand_id: str
    table_id: str
    players: tuple[str, ...]
    replaces_hand_id: str = ""

    def table_ids(self) -> Iterable[str]:
        return (self.table_id,)

    def hand_ids(self) -> Iterable[str]:
        return (self.hand_id, self.replaces_hand_id) if self.replaces_hand_id else (self.hand_id,)

    def player_ids(self) -> Iterable[str]:
        return self.players


@named_value
class OpenHandCommand(Command):
    """A command about a hand that exists already; its players and table are found through it."""

    hand_id: str

    def hand_ids(self) -> Iterable[str]:
        return (self.hand_id,)


@named_value
class RecordDeal(OpenHandCommand):
    """Record the cards of an open hand; ``deal`` is the value of the game named ``game``."""

    game: str
    deal: Any


@named_value
class MakeChoice(OpenHandCommand):
    """Record one choice of one player; ``choice`` is the value of the game named ``game``."""

    player_id: str
    game: str
    choice: Any

    def player_ids(self) -> Iterable[str]:
        return (self.player_id,)


@named_value
class FinishHand(OpenHandCommand):
    """End an open hand with what is still missing; ``ending`` is the value of the game named ``game``."""

    game: str
    ending: Any


@named_value
class SettleHand(Command):
    """Settle a finished hand in one go.

    ``judged`` is there when the verdict does not depend on anybody's silver, so that it was reached before the writer;
    otherwise the hand is judged when its turn has come, and ``record`` is there.
    """

    hand_id: str
    table_id: str
    game: str
    players: tuple[str, ...]
    record: Any
    judged: Judged | None = None
    replaces_hand_id: str = ""

    def table_ids(self) -> Iterable[str]:
        return (self.table_id,)

    def hand_ids(self) -> Iterable[str]:
        return (self.hand_id, self.replaces_hand_id) if self.replaces_hand_id else (self.hand_id,)

    def player_ids(self) -> Iterable[str]:
        return self.players


@named_value
class VoidHand(OpenHandCommand):
    """Void a hand, known or not, with a reason."""

    reason: str


@named_value
class ReverseHand(OpenHandCommand):
    """Post a settled hand back, with a reason. Rule: CM-11."""

    reason: str
