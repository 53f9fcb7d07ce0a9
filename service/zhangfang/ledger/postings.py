"""Double entry: a movement of silver is a list of postings that sum to zero.

An account has one posting of a kind in a movement, and never one of zero. The kind is what a player reads on his
statement.

>>> deposit_postings("zhang", 500)[0]
Posting(account='player/zhang', amount=500, kind=<PostingKind.DEPOSIT: 'deposit'>)

Rule: CM-2 (every settlement balances), CM-11 (a mistake is reversed).
Source: house.
"""

from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import NamedTuple

from zhangfang.ledger.accounts import CASH, FEES, SHORTFALL, player_account
from zhangfang.rules.payment import Payment, Silver
from zhangfang.rules.verdict import PENALTIES


class PostingKind(StrEnum):
    """What a posting is for; the kind of a statement line."""

    DEPOSIT = "deposit"
    WITHDRAWAL = "withdrawal"
    SETTLEMENT = "settlement"
    RAKE = "rake"
    TABLE_FEE = "table_fee"
    PENALTY = "penalty"
    SHORTFALL = "shortfall"
    REVERSAL = "reversal"


class Posting(NamedTuple):
    """One line of double entry: ``amount`` silver added to an account, or taken from it if below zero."""

    account: str
    amount: int
    kind: PostingKind


Postings = tuple[Posting, ...]


class UnbalancedError(ValueError):
    """Postings that do not sum to zero: a mistake of this program, never of a hand."""


def settlement_postings(payment: Payment) -> Postings:
    """Post a hand: what it paid by seat, then the house's part of it, then rake and fee. Rule: CM-2.

    What a runaway pays into ``system/penalties`` shows as a penalty, everything else as a settlement.
    """
    of_losers = PostingKind.PENALTY if payment.penalties else PostingKind.SETTLEMENT
    postings = []
    for player, received in payment.received.items():
        paid = payment.paid[player]
        if received:
            postings.append(Posting(player_account(player), received, PostingKind.SETTLEMENT))
        elif paid:
            postings.append(Posting(player_account(player), -paid, of_losers))
    if payment.penalties:
        postings.append(Posting(PENALTIES, payment.penalties, PostingKind.PENALTY))
    if payment.from_shortfall:
        postings.append(Posting(SHORTFALL, -payment.from_shortfall, PostingKind.SHORTFALL))
    postings += house_takes(payment.rake, PostingKind.RAKE)
    postings += house_takes(payment.table_fee, PostingKind.TABLE_FEE)
    return balanced(postings)


def house_takes(silver: Silver, kind: PostingKind) -> list[Posting]:
    """Post what the house takes from each player, and the sum of it to ``system/fees``. Rule: CM-7, CM-8."""
    total = sum(silver.values())
    if not total:
        return []
    taken = [Posting(player_account(player), -amount, kind) for player, amount in silver.items() if amount]
    return [*taken, Posting(FEES, total, kind)]


def deposit_postings(player: str, amount: int) -> Postings:
    """Post silver that comes into the house.

    Raises:
        ValueError: for less than 1 silver; what a caller asks for is checked before it is posted.
    """
    return transfer_postings(CASH, player_account(player), amount, PostingKind.DEPOSIT)[::-1]


def withdrawal_postings(player: str, amount: int) -> Postings:
    """Post silver that leaves the house.

    Raises:
        ValueError: for less than 1 silver; what a caller asks for is checked before it is posted.
    """
    return transfer_postings(player_account(player), CASH, amount, PostingKind.WITHDRAWAL)


def transfer_postings(payer: str, payee: str, amount: int, kind: PostingKind) -> Postings:
    """Post silver from one account to another."""
    if amount < 1:
        raise ValueError(f"a {kind} of {amount} silver; at least 1 can be moved")
    return (Posting(payer, -amount, kind), Posting(payee, amount, kind))


def reversal_postings(postings: Sequence[Posting]) -> Postings:
    """Post the exact opposite of a movement, one sum for each account, in its order. Rule: CM-11.

    An account that the movement left as it was is not posted to.
    """
    sums = sums_by_account(postings)
    return balanced([Posting(account, -amount, PostingKind.REVERSAL) for account, amount in sums.items() if amount])


def sums_by_account(postings: Iterable[Posting]) -> dict[str, int]:
    """Add up what a movement does to each account it mentions, in the order of first mention.

    >>> sums_by_account(deposit_postings("zhang", 5) + withdrawal_postings("zhang", 3))
    {'player/zhang': 2, 'system/cash': -2}
    """
    sums: dict[str, int] = {}
    for posting in postings:
        sums[posting.account] = sums.get(posting.account, 0) + posting.amount
    return sums


def balanced(postings: Sequence[Posting]) -> Postings:
    """Pass postings on if they sum to zero. Rule: CM-2.

    Raises:
        UnbalancedError: if they do not.
    """
    total = sum([posting.amount for posting in postings])
    if total:
        raise UnbalancedError(f"the postings sum to {total} silver instead of 0: {postings}")
    return tuple(postings)
