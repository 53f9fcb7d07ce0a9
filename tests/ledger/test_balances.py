import pytest
from hypothesis import given

from tests.rules.settlements import settlements
from zhangfang.ledger.accounts import CASH, player_account
from zhangfang.ledger.balances import balances_after
from zhangfang.ledger.postings import Posting, PostingKind, deposit_postings, reversal_postings, settlement_postings
from zhangfang.rules.payment import ShortfallPolicy
from zhangfang.rules.verdict import INT64_MAX, INT64_MIN


def moved(*amounts):
    return [Posting(account, amount, PostingKind.SETTLEMENT) for account, amount in amounts]


def test_balances_are_what_they_were_plus_what_was_posted():
    balances = {"player/A": 10, "player/B": 3, "player/C": 1}

    after = balances_after(balances, moved(("player/A", -4), ("player/B", 5), ("player/B", -1)))

    assert after == {"player/A": 6, "player/B": 7}


def test_an_account_that_was_never_posted_to_held_nothing():
    assert balances_after({}, deposit_postings("A", 5)) == {"player/A": 5, CASH: -5}


def test_an_account_whose_postings_cancel_out_keeps_its_balance():
    assert balances_after({"player/A": 2}, moved(("player/A", 5), ("player/A", -5))) == {"player/A": 2}


@pytest.mark.parametrize(
    ("balance", "amounts", "after"),
    [
        pytest.param(INT64_MAX - 5, [5], INT64_MAX, id="the largest balance"),
        pytest.param(INT64_MIN + 5, [-5], INT64_MIN, id="the smallest balance"),
        pytest.param(INT64_MAX, [9, -9], INT64_MAX, id="above on the way"),
        pytest.param(INT64_MIN, [-9, 9], INT64_MIN, id="below on the way"),
        pytest.param(-1, [INT64_MAX], INT64_MAX - 1, id="the largest movement"),
    ],
)
def test_cm_1__only_where_a_balance_ends_must_fit(balance, amounts, after):
    postings = moved(*[("player/A", amount) for amount in amounts])

    assert balances_after({"player/A": balance}, postings) == {"player/A": after}


@pytest.mark.parametrize(
    ("balance", "amounts", "what"),
    [
        pytest.param(INT64_MAX, [1], "balance of player/A", id="one too many"),
        pytest.param(INT64_MIN, [-1], "balance of player/A", id="one too few"),
        pytest.param(-2, [INT64_MAX, 1], "posting of player/A", id="a movement that does not fit though it ends well"),
    ],
)
def test_cm_1__a_balance_that_does_not_fit_is_refused(balance, amounts, what):
    postings = moved(*[("player/A", amount) for amount in amounts], ("player/B", 1))

    faults = balances_after({"player/A": balance}, postings)

    assert isinstance(faults, tuple)
    assert [fault.rule for fault in faults] == ["CM-1"]
    assert what in faults[0].text


@given(settlement=settlements())
def test_cm_2__no_silver_appears_or_vanishes(settlement):
    before = {player_account(player): silver for player, silver in settlement.balances.items()}

    after = balances_after(before, settlement_postings(settlement.paid()))

    assert sum((before | after).values()) == sum(before.values())


@given(settlement=settlements())
def test_cm_11__a_reversal_leads_back_to_the_balances_before(settlement):
    before = {player_account(player): silver for player, silver in settlement.balances.items()}
    postings = settlement_postings(settlement.paid())

    after = before | balances_after(before, postings)
    back = after | balances_after(after, reversal_postings(postings))

    assert {account: back.get(account, 0) for account in {**back, **before}} == {
        account: before.get(account, 0) for account in {**back, **before}
    }


@given(settlement=settlements())
def test_cm_6__a_hand_drives_nobody_below_zero_unless_he_may_owe(settlement):
    before = {player_account(player): silver for player, silver in settlement.balances.items()}

    after = balances_after(before, settlement_postings(settlement.paid()))

    if settlement.money_rules.shortfall is not ShortfallPolicy.OWE:
        assert all(after[account] >= min(silver, 0) for account, silver in before.items() if account in after)
