"""What a hand pays (CM-6, CM-7, CM-8), worked out once more in sums small enough to check by eye."""

from collections import Counter
from typing import Any

from zhangfang.errors import Reason
from zhangfang.rules.payment import MoneyRules, ShortfallPolicy
from zhangfang.rules.verdict import Ended, Fault, Verdict

LARGEST = 2**63 - 1
CASH, FEES, PENALTIES, SHORTFALL = "system/cash", "system/fees", "system/penalties", "system/shortfall"


class RefusedError(Exception):
    """The house should refuse, for this reason."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason)
        self.reason = reason


def net_of(verdict: Verdict) -> Counter[str]:
    """What everybody wins or loses by the obligations."""
    net = Counter[str]()
    for debt in verdict.obligations:
        net[debt.payer] -= debt.amount
        net[debt.payee] += debt.amount
    return net


def pay(verdict: Verdict, net: Counter[str], silver: dict[str, int], money: MoneyRules) -> list[dict[str, int]]:
    """What a hand moves: the result, then the rake, then the fee."""
    largest = [*net.values(), *[debt.amount for debt in verdict.obligations]]
    refuse_if(Reason.AMOUNT_OUT_OF_RANGE, max(map(abs, largest), default=0) > LARGEST)
    won = {party: net[party] for party in (*verdict.seats, PENALTIES) if net[party] > 0}
    paid = {player: -net[player] for player in verdict.seats if net[player] < 0}
    if money.shortfall is not ShortfallPolicy.OWE:
        paid = {player: min(lost, max(silver[player], 0)) for player, lost in paid.items()}
    pool, due = sum(paid.values()), sum(won.values())
    received, from_house = won, due - pool
    if pool < due and money.shortfall is ShortfallPolicy.PRO_RATA:
        received, from_house = {party: pool * silver_won // due for party, silver_won in won.items()}, 0
        for party in sorted(won, key=lambda party: -(pool * won[party] % due))[: pool - sum(received.values())]:
            received[party] += 1
    result = Counter({name(party): amount for party, amount in received.items()})
    result.update({name(player): -amount for player, amount in paid.items()})
    result[SHORTFALL] -= from_house
    if verdict.ended is not Ended.NORMAL:
        return [dict(result)]
    rake = {player: received.get(player, 0) * money.rake_per_mille // 1000 for player in verdict.seats}
    left = {player: silver[player] + result[name(player)] - rake[player] for player in verdict.seats}
    fee = {player: min(money.table_fee, max(left[player], 0)) for player in verdict.seats}
    return [dict(result), to_fees(rake), to_fees(fee)]


def to_fees(taken: dict[str, int]) -> dict[str, int]:
    """Silver from players to the house."""
    return {**{name(player): -silver for player, silver in taken.items()}, FEES: sum(taken.values())}


def name(party: str) -> str:
    """The account of a player, or of the house."""
    return party if party == PENALTIES else "player/" + party


def fits(silver: int) -> bool:
    """Whether an amount can be written down."""
    return -LARGEST - 1 <= silver <= LARGEST


def refuse_if(reason: Reason, is_wrong: bool) -> None:
    """Refuses what is wrong."""
    if is_wrong:
        raise RefusedError(reason)


def accepted(reason: Reason, result: Any) -> Any:
    """What the rulebook made of something, unless it found faults."""
    if isinstance(result, Verdict) or not isinstance(result, tuple | Fault):
        return result
    if reason is Reason.HAND_FAULTY and all(fault.rule == "CM-1" for fault in result):
        raise RefusedError(Reason.AMOUNT_OUT_OF_RANGE)
    raise RefusedError(reason)
