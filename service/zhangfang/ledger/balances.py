"""What postings make of balances, and the one thing that can be wrong with it: a number too large to be written.

>>> from zhangfang.ledger.postings import deposit_postings
>>> running_balances({"player/zhang": 20}, deposit_postings("zhang", 5))
[25, -5]

Rule: CM-1.
Source: house.
"""

from collections.abc import Iterable, Mapping

from zhangfang.ledger.postings import Posting
from zhangfang.rules.verdict import INT64_MAX, INT64_MIN, Fault, Faults


def running_balances(balances: Mapping[str, int], postings: Iterable[Posting]) -> list[int] | Faults:
    """Find the balance of each posting's account after it; an account that is not named held 0. Rule: CM-1.

    Every one of them is a line of somebody's statement, so those on the way must fit into int64 too.
    """
    running = dict(balances)
    after = []
    for account, amount, _ in postings:
        balance = running[account] = running.get(account, 0) + amount
        if not INT64_MIN <= balance <= INT64_MAX:
            return (does_not_fit(account, "balance", balance),)
        after.append(balance)
    return after


def does_not_fit(account: str, what: str, silver: int) -> Fault:
    """Say which amount of which account cannot be recorded. Rule: CM-1."""
    text = f"the {what} of {account} would be {silver} silver; it must be within -{INT64_MAX + 1} and {INT64_MAX}"
    return Fault(rule="CM-1", text=text)
