"""What is written down of a 九點半 hand, and the house rules it is judged by.

Cards stay in the rulebook's notation here; the judge reads them, so that a card nobody knows becomes a fault at its
place.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from zhangfang.rules.game import unknown_value
from zhangfang.rules.verdict import Fault, Faults


class CardValues(StrEnum):
    """What J, Q, K and the jokers count, in points. Rule: JD-3."""

    J1_Q1_KHALF = "J1_Q1_KHALF"
    J1_Q2_K3 = "J1_Q2_K3"


class PairRanking(StrEnum):
    """Whether pairs are compared with each other. Rule: JD-7."""

    EQUAL = "EQUAL"
    BY_RANK = "BY_RANK"


class BetCap(StrEnum):
    """What all bets together may come to (封頂). Rule: JD-2."""

    BANKER_SILVER = "BANKER_SILVER"
    BANKER_SILVER_OVER_MAX_PAYOUT = "BANKER_SILVER_OVER_MAX_PAYOUT"


class BankerMode(StrEnum):
    """How the bank passes on: along the four seats, or along a list. Rule: JD-13, JD-14."""

    SEATS = "SEATS"
    QUEUE = "QUEUE"


class Door(StrEnum):
    """The three doors (門), counter-clockwise from the banker: 上門, 天門, 下門. Rule: JD-1."""

    SHANG = "shang"
    TIAN = "tian"
    XIA = "xia"


DOORS: dict[str, Door] = {door.value: door for door in Door}


@dataclass(frozen=True, slots=True)
class JiuDianBanRules:
    """The house rules of a table; the defaults are the seed's.

    A number instead of a member is a value that came over the wire and that nobody knows: a fault. Rule: CM-4.
    """

    card_values: CardValues | int = CardValues.J1_Q1_KHALF
    pair_ranking: PairRanking | int = PairRanking.EQUAL
    bet_cap: BetCap | int = BetCap.BANKER_SILVER
    banker_mode: BankerMode | int = BankerMode.SEATS


@dataclass(frozen=True, slots=True)
class Deal:
    """Two cards for the banker and for each door; ``turned_card`` (莊牌) may be empty. Rule: JD-1, JD-11."""

    banker: str = ""
    shang: str = ""
    tian: str = ""
    xia: str = ""
    turned_card: str = ""


NO_DEAL = Deal()


class Bet(NamedTuple):
    """A bet (下注) of one bettor on one door, in silver. Rule: JD-2.

    ``door`` is a Door, or the number that came over the wire and that is no door.
    """

    player: str
    door: Door | int
    silver: int


PlainBet = tuple[str, Door | int, int]
"""A Bet, or the same three things without their names: a hand has a hundred of them."""


@dataclass(frozen=True, slots=True)
class JiuDianBanHand:
    """A whole hand: the banker (莊家), all bets in the order they were made, and the cards.

    ``seats`` are the four seats counter-clockwise, the banker among them, at a table where the bank goes along the
    seats; empty where nobody asks who banks next. While the hand is open there are no cards until the deal.
    ``weighed_bet_count`` is how many of the bets were weighed against silver when they were made, one by one.
    """

    banker: str
    bets: tuple[PlainBet, ...] = ()
    deal: Deal = NO_DEAL
    seats: tuple[str, ...] = ()
    weighed_bet_count: int = 0


@dataclass(frozen=True, slots=True)
class BetChoice:
    """What a bettor chooses: a door and the silver he bets on it."""

    door: Door | int
    silver: int


@dataclass(frozen=True, slots=True)
class Ending:
    """The cards that end a hand, unless they were recorded before."""

    deal: Deal = NO_DEAL


def check_house_rules(rules: JiuDianBanRules) -> Faults:
    """One fault for each house rule that has a value nobody knows. Rule: CM-4.

    >>> [fault.field for fault in check_house_rules(JiuDianBanRules(bet_cap=7))]
    ['bet_cap']
    """
    faults = []
    if not isinstance(rules.card_values, CardValues):
        faults.append(_unknown("card_values", rules.card_values, CardValues))
    if not isinstance(rules.pair_ranking, PairRanking):
        faults.append(_unknown("pair_ranking", rules.pair_ranking, PairRanking))
    if not isinstance(rules.bet_cap, BetCap):
        faults.append(_unknown("bet_cap", rules.bet_cap, BetCap))
    if not isinstance(rules.banker_mode, BankerMode):
        faults.append(_unknown("banker_mode", rules.banker_mode, BankerMode))
    return tuple(faults)


def _unknown(field: str, value: int, allowed: type[StrEnum]) -> Fault:
    return Fault(rule="CM-4", section="rules", field=field, text=unknown_value(field, value, allowed))
