"""What is written down of a hand of 二人鬥地主, and the house rules it is played by.

Seats are 0 and 1, the places in ``players``. Cards stay text in the rulebook's notation ("5s Th W").
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple


class Word(StrEnum):
    """What a player may say in the auction (叫地主, 搶地主). Rule: DZ-3, DZ-4."""

    CALL = "call"
    PASS = "pass"  # noqa: S105 - a word at the table, not a password
    ROB = "rob"
    DECLINE = "decline"


class Side(StrEnum):
    """The landlord (地主) or his opponent, the farmer (農民)."""

    LANDLORD = "landlord"
    FARMER = "farmer"


@dataclass(frozen=True, slots=True, kw_only=True)
class ErRenDouDiZhuRules:
    """The house rules of a table; the defaults are the seed's values. Rule: CM-4.

    ``rob_multipliers``: the auction's multiplier after 0 … 4 robs, each ≥ 1 (DZ-5). ``call_rang_pai``: cards of
    rang_pai for the call itself, ≥ 0 (DZ-7). ``distinct_single_wings``: single wings must be of different ranks
    (DZ-24). ``bomb_factor``: 1, or 2 for every bomb or rocket to double (DZ-29).
    """

    rob_multipliers: tuple[int, ...] = (1, 2, 4, 5, 6)
    call_rang_pai: int = 0
    distinct_single_wings: bool = False
    bomb_factor: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class ErRenDouDiZhuDeal:
    """The cards dealt: 17 for each seat, the three bottom cards (底牌), and the one lying face up. Rule: DZ-1, DZ-2."""

    hands: tuple[str, ...]
    bottom: str
    call_card: str


class AuctionAction(NamedTuple):
    """One word of one seat. A number that stands for no word arrives as it is, to be found faulty."""

    seat: int
    word: Word | int


@dataclass(frozen=True, slots=True, kw_only=True)
class ErRenDouDiZhuHand:
    """A hand from the deal to its end, or as much of it as has happened.

    ``deal`` is None before the deal, ``rang_xian`` (讓先) until the landlord has chosen, ``escape`` unless a seat ran
    away (逃跑): the record then holds what happened before, and nothing else. A play is a seat and its cards, no cards
    being a pass: plain pairs, because there are so many of them.
    """

    players: tuple[str, ...]
    deal: ErRenDouDiZhuDeal | None = None
    auction: tuple[AuctionAction, ...] = ()
    rang_xian: bool | None = None
    plays: tuple[tuple[int, str], ...] = ()
    escape: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ErRenDouDiZhuChoice:
    """One choice of one player: a word in the auction, rang_xian or not, or running away. Exactly one is given."""

    word: Word | int | None = None
    rang_xian: bool | None = None
    escape: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ErRenDouDiZhuEnding:
    """What an open hand still lacks: all plays, and who ran away during them, if anybody did."""

    plays: tuple[tuple[int, str], ...] = ()
    escape: int | None = None
