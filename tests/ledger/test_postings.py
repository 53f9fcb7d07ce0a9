from collections import Counter

import pytest
from hypothesis import given

from tests.rules.settlements import settlements
from zhangfang.ledger.accounts import CASH, FEES, SHORTFALL, is_account, player_account
from zhangfang.ledger.postings import (
    Posting,
    PostingKind,
    UnbalancedError,
    balanced,
    deposit_postings,
    reversal_postings,
    settlement_postings,
    sums_by_account,
    withdrawal_postings,
)
from zhangfang.rules.payment import MoneyRules, ShortfallPolicy, pay
from zhangfang.rules.verdict import PENALTIES, Ended, Obligation


def lines(postings):
    return [(posting.account, posting.amount, posting.kind.value) for posting in postings]


def paid(debts, balances, rules=MoneyRules(), ended=Ended.NORMAL):  # noqa: B008 - MoneyRules is frozen
    return pay(ended, ("A", "B"), [Obligation(*debt) for debt in debts], balances, rules)


def test_cm_2__a_hand_is_posted_by_seat_then_rake_then_fee():
    payment = paid([("A", "B", 100)], {"A": 130}, MoneyRules(rake_per_mille=50, table_fee=40))

    postings = settlement_postings(payment)

    assert lines(postings) == [
        ("player/A", -100, "settlement"),
        ("player/B", 100, "settlement"),
        ("player/B", -5, "rake"),
        (FEES, 5, "rake"),
        ("player/A", -30, "table_fee"),
        ("player/B", -40, "table_fee"),
        (FEES, 70, "table_fee"),
    ]


def test_cm_6__what_the_house_pays_comes_from_the_shortfall():
    payment = paid([("A", "B", 100)], {"A": 30}, MoneyRules(shortfall=ShortfallPolicy.HOUSE_PAYS))

    postings = settlement_postings(payment)

    assert lines(postings) == [
        ("player/A", -30, "settlement"),
        ("player/B", 100, "settlement"),
        (SHORTFALL, -70, "shortfall"),
    ]


def test_dz_30__what_a_runaway_pays_shows_as_a_penalty():
    payment = paid([("A", PENALTIES, 16)], {"A": 100}, ended=Ended.ESCAPE)

    postings = settlement_postings(payment)

    assert lines(postings) == [("player/A", -16, "penalty"), (PENALTIES, 16, "penalty")]


def test_a_hand_that_moves_nothing_has_no_postings():
    circle = paid([("A", "B", 7), ("B", "A", 7)], {})

    assert settlement_postings(circle) == ()


def test_silver_that_comes_in_or_goes_out_has_the_cash_on_the_other_side():
    assert lines(deposit_postings("A", 5)) == [("player/A", 5, "deposit"), (CASH, -5, "deposit")]
    assert lines(withdrawal_postings("A", 5)) == [("player/A", -5, "withdrawal"), (CASH, 5, "withdrawal")]


@pytest.mark.parametrize("post", [deposit_postings, withdrawal_postings])
@pytest.mark.parametrize("amount", [0, -1])
def test_moving_less_than_one_silver_is_a_mistake_of_the_program(post, amount):
    with pytest.raises(ValueError, match="at least 1"):
        post("A", amount)


def test_cm_2__postings_that_do_not_sum_to_zero_are_a_mistake_of_the_program():
    postings = [Posting("player/A", 5, PostingKind.DEPOSIT), Posting(CASH, -4, PostingKind.DEPOSIT)]

    with pytest.raises(UnbalancedError, match="sum to 1 silver"):
        balanced(postings)


def test_cm_11__a_reversal_posts_one_opposite_sum_for_each_account():
    payment = paid([("A", "B", 100)], {"A": 130}, MoneyRules(rake_per_mille=50, table_fee=40))

    postings = reversal_postings(settlement_postings(payment))

    assert lines(postings) == [
        ("player/A", 130, "reversal"),
        ("player/B", -55, "reversal"),
        (FEES, -75, "reversal"),
    ]


def test_cm_11__an_account_the_hand_left_as_it_was_is_not_posted_to():
    payment = paid([("A", "B", 100)], {"A": 100}, MoneyRules(rake_per_mille=1000))

    postings = reversal_postings(settlement_postings(payment))

    assert lines(postings) == [("player/A", 100, "reversal"), (FEES, -100, "reversal")]


@given(settlement=settlements())
def test_cm_2__every_settlement_balances(settlement):
    postings = settlement_postings(settlement.paid())

    assert sum(posting.amount for posting in postings) == 0
    assert all(posting.amount for posting in postings)
    assert all(is_account(posting.account) for posting in postings)
    assert max(Counter((posting.account, posting.kind) for posting in postings).values(), default=1) == 1


@given(settlement=settlements())
def test_cm_2__the_postings_are_the_payment(settlement):
    payment = settlement.paid()

    sums = sums_by_account(settlement_postings(payment))

    for player in settlement.seats:
        taken = payment.paid[player] + payment.rake[player] + payment.table_fee[player]
        assert sums.get(player_account(player), 0) == payment.received[player] - taken
    assert sums.get(FEES, 0) == sum(payment.rake.values()) + sum(payment.table_fee.values())
    assert sums.get(SHORTFALL, 0) == -payment.from_shortfall
    assert sums.get(PENALTIES, 0) == payment.penalties


@given(settlement=settlements())
def test_cm_11__a_hand_and_its_reversal_leave_nothing(settlement):
    postings = settlement_postings(settlement.paid())

    sums = sums_by_account([*postings, *reversal_postings(postings)])

    assert not any(sums.values())


@given(settlement=settlements())
def test_cm_11__the_opposite_of_the_opposite_is_what_was(settlement):
    postings = settlement_postings(settlement.paid())

    twice = reversal_postings(reversal_postings(postings))

    assert sums_by_account(twice) == {account: sum_ for account, sum_ in sums_by_account(postings).items() if sum_}
