"""Hands as the counter sees them, generated: seats, obligations, balances and money rules that are legal together."""

from dataclasses import dataclass, replace

from hypothesis import strategies as st

from zhangfang.rules.payment import MoneyRules, Payment, ShortfallPolicy, pay
from zhangfang.rules.verdict import PENALTIES, Ended, Obligation

NAMES = ("zhang", "li", "wang", "zhao", "sun", "qian")


@dataclass(frozen=True)
class Settlement:
    ended: Ended
    seats: tuple[str, ...]
    obligations: tuple[Obligation, ...]
    balances: dict[str, int]
    money_rules: MoneyRules

    def paid(self) -> Payment:
        payment = pay(self.ended, self.seats, self.obligations, self.balances, self.money_rules)
        assert isinstance(payment, Payment), payment
        return payment

    def with_rules(self, **changes) -> "Settlement":
        return replace(self, money_rules=replace(self.money_rules, **changes))


def money_rules() -> st.SearchStrategy[MoneyRules]:
    return st.builds(
        MoneyRules,
        shortfall=st.sampled_from(ShortfallPolicy),
        table_fee=st.sampled_from((0, 0, 1, 50, 10**6)),
        rake_per_mille=st.sampled_from((0, 0, 1, 25, 500, 1000)),
    )


@st.composite
def settlements(draw, rules=None, endings=tuple(Ended)) -> Settlement:
    """Two to six players who owe each other, some of them more than they have, some below zero before the hand."""
    seats = tuple(draw(st.permutations(NAMES)))[: draw(st.integers(2, len(NAMES)))]
    ended = draw(st.sampled_from(endings))
    payees = (*seats, PENALTIES) if ended is Ended.ESCAPE else seats
    pairs = [(payer, payee) for payer in seats for payee in payees if payer != payee]
    debts = draw(st.lists(st.tuples(st.sampled_from(pairs), st.integers(1, 10**4)), max_size=12))
    balances = {player: draw(st.integers(-500, 2 * 10**4)) for player in seats}
    obligations = tuple(Obligation(payer, payee, amount) for (payer, payee), amount in debts)
    return Settlement(ended, seats, obligations, balances, draw(rules or money_rules()))
