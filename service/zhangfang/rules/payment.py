"""Net, then pay: what a hand's obligations take from each player and give him.

The layers stand in the order in which silver moves: the obligations are netted, the shortfall policy says what the
losers pay and the winners receive, the rake is taken of what was received, and last the table fee (對局費) of what is
left. Nothing here knows a game; a hand comes as seats and obligations.

>>> debts = [Obligation("A", "B", 84), Obligation("A", "C", 84)]
>>> pay(Ended.NORMAL, ("A", "B", "C"), debts, {"A": 101}, MoneyRules()).received
{'A': 0, 'B': 51, 'C': 50}

Rule: CM-1, CM-6, CM-7, CM-8.
Source: house.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from zhangfang.rules.game import unknown_value
from zhangfang.rules.levels import PointsPerWin
from zhangfang.rules.verdict import INT64_MAX, PENALTIES, Ended, Fault, Faults, Obligation, is_int64

Silver = Mapping[str, int]
"""Whole silver by player, in the order of the seats."""


class ShortfallPolicy(StrEnum):
    """What happens when a net loser holds less silver than he lost. Rule: CM-6."""

    PRO_RATA = "PRO_RATA"
    OWE = "OWE"
    HOUSE_PAYS = "HOUSE_PAYS"


@dataclass(frozen=True, slots=True, kw_only=True)
class MoneyRules:
    """A table's house rules about money. Rule: CM-4.

    ``table_fee`` is silver ≥ 0 from each player of a normally ended hand, ``rake_per_mille`` 0–1000 of what a net
    winner received. A policy nobody knows arrives as the text or number it came as.
    """

    shortfall: ShortfallPolicy | str | int = ShortfallPolicy.PRO_RATA
    table_fee: int = 0
    rake_per_mille: int = 0
    points_per_win: PointsPerWin | str | int = PointsPerWin.LEVEL_BASE


@dataclass(frozen=True, slots=True)
class Payment:
    """What one hand did to everybody's silver; all but ``net`` is ≥ 0, and all of it fits into int64.

    By player: ``net`` by the obligations alone; of a net loser what he ``owed``, what he ``paid`` of it and his
    ``shortfall``; of a net winner what he ``won`` and what he ``received`` of it; then ``rake`` and ``table_fee``.
    ``from_shortfall`` is what the house pays in a loser's place, ``penalties`` what a runaway pays to the house.
    """

    net: Silver
    owed: Silver
    paid: Silver
    shortfall: Silver
    won: Silver
    received: Silver
    rake: Silver
    table_fee: Silver
    from_shortfall: int
    penalties: int

    def by_player(self) -> Iterator[tuple[str, int, int, int, int, int, int, int, int]]:
        """Each player with his silver, from ``net`` to ``table_fee`` in their order here."""
        columns = (self.owed, self.paid, self.shortfall, self.won, self.received, self.rake, self.table_fee)
        return zip(self.net, self.net.values(), *[column.values() for column in columns], strict=True)


def check_money_rules(money_rules: MoneyRules) -> Faults:
    """Collect every money rule a table cannot have, in the order of the fields. Rule: CM-4."""
    faults = []
    if not isinstance(money_rules.shortfall, ShortfallPolicy):
        text = unknown_value("shortfall", money_rules.shortfall, ShortfallPolicy)
        faults.append(Fault(rule="CM-4", text=text, field="shortfall"))
    if money_rules.table_fee < 0:
        text = unknown_value("table_fee", money_rules.table_fee, "0 silver or more")
        faults.append(Fault(rule="CM-4", text=text, field="table_fee"))
    elif not is_int64(money_rules.table_fee):
        text = f"house rule table_fee is {money_rules.table_fee} silver; it must be at most {INT64_MAX}"
        faults.append(Fault(rule="CM-1", text=text, field="table_fee"))
    if not 0 <= money_rules.rake_per_mille <= 1000:
        text = unknown_value("rake_per_mille", money_rules.rake_per_mille, "0 to 1000")
        faults.append(Fault(rule="CM-4", text=text, field="rake_per_mille"))
    if not isinstance(money_rules.points_per_win, PointsPerWin):
        text = unknown_value("points_per_win", money_rules.points_per_win, PointsPerWin)
        faults.append(Fault(rule="CM-4", text=text, field="points_per_win"))
    return tuple(faults)


def pay(
    ended: Ended,
    seats: Sequence[str],
    obligations: Sequence[Obligation],
    balances: Mapping[str, int],
    money_rules: MoneyRules,
) -> Payment | Faults:
    """Settle a hand's obligations: net, shortfall, rake, fee. Rule: CM-6, CM-7, CM-8.

    On an escape the payee may be ``system/penalties``: it takes part as the last net winner and pays neither rake
    nor fee.

    Args:
        ended: rake and fee are taken of a NORMAL hand only.
        seats: everybody who takes part, earlier seat first; the order of ties and of every result.
        obligations: each at least 1 silver, between two different players of the hand.
        balances: silver before the hand, below zero for who owes; who is not named has 0.
        money_rules: legal ones, see ``check_money_rules``.

    Returns:
        The payment; or all faults of the obligations; or, if there is none, the first amount that is no int64.
    """
    if faults := check_seats(seats) + check_obligations(ended, seats, obligations):
        return faults
    net = net_of((*seats, PENALTIES) if ended is Ended.ESCAPE else seats, obligations)
    owed, won = dict.fromkeys(net, 0), dict.fromkeys(net, 0)
    for party, silver in net.items():
        if silver < 0:
            owed[party] = -silver
        else:
            won[party] = silver

    paid = owed if money_rules.shortfall is ShortfallPolicy.OWE else what_losers_hold(owed, balances)
    unpaid = sum(owed.values()) - sum(paid.values())
    is_shared_out = unpaid > 0 and money_rules.shortfall is ShortfallPolicy.PRO_RATA
    received = share_out(sum(paid.values()), won) if is_shared_out else won
    from_shortfall = 0 if is_shared_out else unpaid

    rake = table_fee = dict.fromkeys(seats, 0)
    if ended is Ended.NORMAL and money_rules.rake_per_mille:
        rake = {player: received[player] * money_rules.rake_per_mille // 1000 for player in seats}
    if ended is Ended.NORMAL and money_rules.table_fee:
        left = {player: balances.get(player, 0) - paid[player] + received[player] - rake[player] for player in seats}
        table_fee = {player: max(min(money_rules.table_fee, silver), 0) for player, silver in left.items()}

    if faults := check_amounts(net, from_shortfall, sum(rake.values()) + sum(table_fee.values())):
        return faults
    shortfall = {party: silver - paid[party] for party, silver in owed.items()}
    penalties = received.get(PENALTIES, 0)
    if ended is Ended.ESCAPE:
        net, owed, paid, shortfall, won, received = (
            {player: part[player] for player in seats} for part in (net, owed, paid, shortfall, won, received)
        )
    return Payment(net, owed, paid, shortfall, won, received, rake, table_fee, from_shortfall, penalties)


def net_of(parties: Sequence[str], obligations: Sequence[Obligation]) -> dict[str, int]:
    """Net the obligations: what everybody wins (+) or loses (−). Rule: CM-6."""
    net = dict.fromkeys(parties, 0)
    for payer, payee, amount in obligations:
        net[payer] -= amount
        net[payee] += amount
    return net


def what_losers_hold(owed: Silver, balances: Mapping[str, int]) -> dict[str, int]:
    """Take from each loser what he owes, but no more than he has; who stands below zero has 0. Rule: CM-6."""
    return {party: min(silver, max(balances.get(party, 0), 0)) if silver else 0 for party, silver in owed.items()}


def share_out(pool: int, winnings: Silver) -> dict[str, int]:
    """Share a pool among winners in proportion to their winnings, to the last silver. Rule: CM-6.

    Everybody gets his share rounded down; the silver left over goes one by one to the largest remainders, of equal
    ones to the earlier seat.

    >>> share_out(54, {"A": 30, "B": 3, "C": 22})
    {'A': 29, 'B': 3, 'C': 22}
    """
    total = sum(winnings.values())
    shares = {winner: pool * silver // total for winner, silver in winnings.items()}
    left_over = pool - sum(shares.values())
    # sorted() keeps the order of the seats between equal remainders.
    by_remainder = sorted(winnings, key=lambda winner: pool * winnings[winner] % total, reverse=True)
    for winner in by_remainder[:left_over]:
        shares[winner] += 1
    return shares


def check_seats(seats: Sequence[str]) -> Faults:
    """Refuse who sits twice, and the house itself. Rule: CM-6."""
    if len(set(seats)) == len(seats) and PENALTIES not in seats:
        return ()
    faults = []
    for player in dict.fromkeys(seats):
        if player == PENALTIES:
            text = f"{PENALTIES} has a seat; it is an account of the house, not a player"
            faults.append(Fault(rule="CM-6", text=text, player=player))
        elif seats.count(player) > 1:
            text = f"{player} sits {seats.count(player)} times in the hand; a player has one seat"
            faults.append(Fault(rule="CM-6", text=text, player=player))
    return tuple(faults)


def check_obligations(ended: Ended, seats: Sequence[str], obligations: Sequence[Obligation]) -> Faults:
    """Refuse an obligation below 1 silver, or one not between two different players of the hand. Rule: CM-6, CM-1.

    On an escape the payee may be ``system/penalties``. An obligation is judged up to its first fault; one that is no
    int64 is looked at only if there is no other fault.
    """
    wrong: list[Fault] = []
    too_large: list[Fault] = []
    payers = frozenset(seats)
    payees = payers | {PENALTIES} if ended is Ended.ESCAPE else payers
    for index, (payer, payee, amount) in enumerate(obligations):
        if 1 <= amount <= INT64_MAX and payer in payers and payee in payees and payer != payee:
            continue
        if amount < 1:
            text = f"{payer} owes {payee} {amount} silver; an obligation is at least 1"
        elif payer not in payers:
            text = f"{payer} owes {payee} {amount} silver but has no seat in the hand"
        elif payee not in payees:
            text = f"{payer} owes {amount} silver to {payee}, who has no seat in the hand"
        elif payer == payee:
            text = f"{payer} owes himself {amount} silver; an obligation is between two different players"
        else:
            text = f"{payer} owes {payee} {amount} silver; an amount is at most {INT64_MAX}"
            too_large.append(Fault(rule="CM-1", text=text, obligation=index))
            continue
        wrong.append(Fault(rule="CM-6", text=text, player=payer, obligation=index))
    return tuple(wrong or too_large[:1])


def check_amounts(net: Silver, from_shortfall: int, to_fees: int) -> Faults:
    """Refuse the first recorded amount that does not fit into int64 with either sign. Rule: CM-1.

    What a player owes is written without a sign and what he paid is reversed: −2^63 has no opposite.
    """
    for party, silver in net.items():
        if not -INT64_MAX <= silver <= INT64_MAX:
            return (Fault(rule="CM-1", text=f"the net of {party} is {silver} silver; it must be within ±{INT64_MAX}"),)
    if from_shortfall > INT64_MAX:
        text = f"the house would pay {from_shortfall} silver for those who cannot; it must be at most {INT64_MAX}"
        return (Fault(rule="CM-1", text=text),)
    if to_fees > INT64_MAX:
        return (Fault(rule="CM-1", text=f"rake and fees come to {to_fees} silver; they must be at most {INT64_MAX}"),)
    return ()
