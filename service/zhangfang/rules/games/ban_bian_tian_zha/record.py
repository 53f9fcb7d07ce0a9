"""The record of a 半邊天炸 hand: what three players chose, were dealt and played, and their table's house rules."""

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

SEATS = 3
CARDS_EACH = 17


class FirstLead(StrEnum):
    """Who leads the first trick. Rule: BB-7. Source: house, the seed names nobody."""

    ANY = "ANY"
    SPADE_THREE = "SPADE_THREE"
    BANKER = "BANKER"


class LeadAfterOut(StrEnum):
    """Who leads when a trick's winner is out. Rule: BB-8. Source: house."""

    NEXT_SEAT = "NEXT_SEAT"
    PARTNER = "PARTNER"
    ANY = "ANY"


class BankWord(StrEnum):
    """What a player may say for the bank. Rule: BB-3, BB-4."""

    FAN_BAO = "fan_bao"
    PASS = "pass"  # noqa: S105 — a word at the table, no secret
    KAI_DA = "kai_da"
    SURRENDER = "surrender"


class How(StrEnum):
    """How the bank was decided. Rule: BB-3, BB-4."""

    FAN_BAO = "fan_bao"
    KAI_DA = "kai_da"
    SURRENDER = "surrender"


class Side(StrEnum):
    """One against two."""

    BANKER = "banker"
    IDLERS = "idlers"


@dataclass(frozen=True, slots=True)
class BanBianTianZhaRules:
    """The house rules of a table, with the seed's values as defaults.

    A value that nobody knows is kept as it came, so that it is found faulty by its name. Rule: CM-4.
    """

    first_lead: FirstLead | str | int = FirstLead.ANY
    lead_after_out: LeadAfterOut | str | int = LeadAfterOut.NEXT_SEAT
    surrender_counts_chui: bool = False
    negative_requires_transfer: bool = True
    kai_da_factor: int = 1


class BankAction(NamedTuple):
    """One word of one seat in the bank phase; a ``word`` nobody knows is kept as it came."""

    seat: int
    word: BankWord | str | int


class Dou(NamedTuple):
    """An idler's dou 抖, or his leaving it. Rule: BB-5."""

    seat: int
    dou: bool


@dataclass(frozen=True, slots=True)
class BanBianTianZhaDeal:
    """Seventeen cards for each seat, in seat order. Rule: BB-1."""

    hands: tuple[str, ...]


class ChoiceKind(StrEnum):
    """What can be chosen while a hand is open."""

    CHUI = "chui"
    BANK = "bank"
    DOU = "dou"
    LEI = "lei"


@dataclass(frozen=True, slots=True)
class BanBianTianZhaChoice:
    """One choice: a word for the bank, or a yes or no. ``kind`` is None when a caller chose nothing."""

    kind: ChoiceKind | None
    value: BankWord | str | int | bool | None


@dataclass(frozen=True, slots=True)
class BanBianTianZhaEnding:
    """What an open hand still lacks at its end: all plays, pairs of a seat and its cards, passes included."""

    plays: tuple[tuple[int, str], ...]


@dataclass(frozen=True, slots=True)
class BanBianTianZhaHand:
    """A hand, finished or still open.

    ``chui`` has a place for each seat, None where nobody has spoken; ``bank`` and ``dou`` stand in the order in which
    they were said; ``lei`` is None where it was not said; ``plays`` are pairs of a seat and its cards, none for a pass.
    Seats are indices into ``players``.
    """

    players: tuple[str, ...]
    chui: tuple[bool | None, ...] = (None,) * SEATS
    deal: BanBianTianZhaDeal | None = None
    bank: tuple[BankAction, ...] = ()
    dou: tuple[Dou, ...] = ()
    lei: bool | None = None
    plays: tuple[tuple[int, str], ...] = ()

    def player_at(self, seat: int) -> str | None:
        """The player of a seat; None if there is no such seat."""
        return self.players[seat] if 0 <= seat < len(self.players) else None
