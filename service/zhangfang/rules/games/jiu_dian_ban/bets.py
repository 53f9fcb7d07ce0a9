"""Bets (下注): what each is allowed to be, judged in the order they were made.

A refused bet does not count for those after it. Rule: JD-1, JD-2. Source: seed, 遊戲封頂.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from zhangfang.rules.games.jiu_dian_ban.record import DOORS, BetCap, Door, JiuDianBanHand, JiuDianBanRules, PlainBet
from zhangfang.rules.verdict import Fault

MAX_PAYOUT = 3

BetSums = dict[tuple[str, Door | int], int]
"""Silver by bettor and door, in the order of the first bet of each."""


@dataclass(frozen=True, slots=True)
class BetLimits:
    """What bounds the bets of one hand.

    ``cap_silver`` is what all of them may come to, None if the banker's silver is not known; ``silver`` is what each
    bettor had before his first bet of the hand, who is not named is not checked.
    """

    banker: str
    stake_silver: int
    cap_silver: int | None
    silver: Mapping[str, int]


def find_limits(record: JiuDianBanHand, rules: JiuDianBanRules, stake: int, silver: Mapping[str, int]) -> BetLimits:
    """The limits of a hand's bets. Rule: JD-2.

    >>> thirds = JiuDianBanRules(bet_cap=BetCap.BANKER_SILVER_OVER_MAX_PAYOUT)
    >>> find_limits(JiuDianBanHand("Z"), thirds, 1, {"Z": 100}).cap_silver
    33
    """
    cap = silver.get(record.banker)
    if cap is not None and rules.bet_cap is BetCap.BANKER_SILVER_OVER_MAX_PAYOUT:
        cap //= MAX_PAYOUT
    return BetLimits(record.banker, max(1, stake), cap, silver)


def sum_bets(bets: tuple[PlainBet, ...], limits: BetLimits, weighed_count: int = 0) -> tuple[BetSums, list[Fault]]:
    """The bets of each bettor on each door added up, and a fault for each bet that is refused.

    The first ``weighed_count`` bets were accepted when they were made and stand, whatever became of anybody's silver.
    """
    sums: BetSums = {}
    for player, door, amount in bets:
        place = (player, door)
        sums[place] = sums.get(place, 0) + amount
    if weighed_count == len(bets) or _are_allowed(bets, sums, limits):
        return sums, []
    return _sum_one_by_one(bets, limits, weighed_count)


def _are_allowed(bets: tuple[PlainBet, ...], sums: BetSums, limits: BetLimits) -> bool:
    """Whether all bets together keep to the limits: as each adds to them, each then kept to them when it was made."""
    bettor_sums: dict[str, int] = {}
    for (player, door), amount in sums.items():
        if door not in DOORS:
            return False
        bettor_sums[player] = bettor_sums.get(player, 0) + amount
    silver = limits.silver
    return (
        min([amount for _player, _door, amount in bets]) >= limits.stake_silver
        and limits.banker not in bettor_sums
        and (limits.cap_silver is None or sum(bettor_sums.values()) <= limits.cap_silver)
        and all(amount <= silver.get(player, amount) for player, amount in bettor_sums.items())
    )


def _sum_one_by_one(bets: tuple[PlainBet, ...], limits: BetLimits, weighed_count: int) -> tuple[BetSums, list[Fault]]:
    """The same for bets of which one at least is refused, or was weighed before: a refused bet does not count."""
    sums: BetSums = {}
    bettor_sums: dict[str, int] = {}
    faults: list[Fault] = []
    total = 0
    for index, bet in enumerate(bets):
        player, door, amount = bet
        bettor_sum = bettor_sums.get(player, 0)
        fault = refuse_bet(bet, index, total, bettor_sum, limits) if index >= weighed_count else None
        if fault:
            faults.append(fault)
            continue
        total += amount
        bettor_sums[player] = bettor_sum + amount
        sums[player, door] = sums.get((player, door), 0) + amount
    return sums, faults


def refuse_bet(bet: PlainBet, index: int, total: int, bettor_sum: int, limits: BetLimits) -> Fault | None:
    """The first thing wrong with a bet, after bets of ``total`` silver, ``bettor_sum`` of them the bettor's own."""
    player, door, amount = bet
    if player == limits.banker:
        rule, text = "JD-1", f"{player} bets against himself; the banker does not bet"
    elif door not in DOORS:
        rule, text = "JD-1", f"{player} bets on {door!r}; the doors are {', '.join(DOORS)}"
    elif amount < limits.stake_silver:
        rule, text = "JD-2", f"{player} bets {amount} silver; a bet is at least {limits.stake_silver}"
    elif limits.cap_silver is not None and total + amount > limits.cap_silver:
        rest = max(0, limits.cap_silver - total)
        rule, text = "JD-2", f"{player} bets {amount} silver; only {rest} more may be bet against this banker"
    elif bettor_sum + amount > limits.silver.get(player, bettor_sum + amount):
        rest = max(0, limits.silver[player] - bettor_sum)
        rule, text = "JD-2", f"{player} bets {amount} silver; he has only {rest} left to bet"
    else:
        return None
    return Fault(rule=rule, section="bets", player=player, bet=index, text=text)
