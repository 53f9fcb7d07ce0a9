"""What postings make of balances, and the one thing that can be wrong with it: a number too large to be written.

>>> from zhangfang.ledger.postings import deposit_postings
>>> balances_after({"player/zhang": 20}, deposit_postings("zhang", 5))
{'player/zhang': 25, 'system/cash': -5}

Rule: CM-1.
Source: house.
"""

from collections.abc import Iterable, Mapping

from zhangfang.ledger.postings import Posting, sums_by_account
from zhangfang.rules.verdict import INT64_MAX, Fault, Faults, is_int64


def balances_after(balances: Mapping[str, int], postings: Iterable[Posting]) -> dict[str, int] | Faults:
    """Find the balance of every account of a movement after it; an account that is not named held 0. Rule: CM-1.

    The postings of a movement take effect together: only what they come to and where an account ends must fit into
    int64, not the balances on the way.
    """
    after = {}
    for account, amount in sums_by_account(postings).items():
        balance = balances.get(account, 0) + amount
        if not is_int64(amount):
            return (does_not_fit(account, "posting", amount),)
        if not is_int64(balance):
            return (does_not_fit(account, "balance", balance),)
        after[account] = balance
    return after


def does_not_fit(account: str, what: str, silver: int) -> Fault:
    """Say which amount of which account cannot be recorded. Rule: CM-1."""
    text = f"the {what} of {account} would be {silver} silver; it must be within -{INT64_MAX + 1} and {INT64_MAX}"
    return Fault(rule="CM-1", text=text)
