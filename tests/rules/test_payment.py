from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.rules.settlements import Settlement, settlements
from zhangfang.rules.levels import PointsPerWin
from zhangfang.rules.payment import MoneyRules, Payment, ShortfallPolicy, check_money_rules, pay, share_out
from zhangfang.rules.verdict import INT64_MAX, PENALTIES, Ended, Obligation

PRO_RATA = MoneyRules()
OWE = MoneyRules(shortfall=ShortfallPolicy.OWE)
HOUSE_PAYS = MoneyRules(shortfall=ShortfallPolicy.HOUSE_PAYS)

ABC = ("A", "B", "C")
RICH = {"A": 1000, "B": 1000, "C": 1000}


def settled(obligations, balances=RICH, rules=PRO_RATA, ended=Ended.NORMAL, seats=ABC):
    return pay(ended, seats, [Obligation(*debt) for debt in obligations], balances, rules)


def faults_of(answer):
    assert isinstance(answer, tuple), answer
    return [(fault.rule, fault.player, fault.obligation) for fault in answer]


def test_cm_6__obligations_are_netted_per_player():
    debts = [("A", "B", 5), ("B", "A", 2), ("B", "C", 10), ("A", "B", 1)]

    payment = settled(debts)

    assert payment.net == {"A": -4, "B": -6, "C": 10}
    assert payment.owed == payment.paid == {"A": 4, "B": 6, "C": 0}
    assert payment.won == payment.received == {"A": 0, "B": 0, "C": 10}
    assert payment.shortfall == payment.rake == payment.table_fee == {"A": 0, "B": 0, "C": 0}
    assert (payment.from_shortfall, payment.penalties) == (0, 0)


def test_cm_6__a_winning_bet_pays_for_a_losing_one_before_anybody_is_short():
    debts = [("A", "B", 900), ("C", "A", 900)]

    payment = settled(debts, {"A": 0, "B": 0, "C": 900})

    assert payment.net == {"A": 0, "B": 900, "C": -900}
    assert payment.received["B"] == 900


@pytest.mark.parametrize(
    ("rules", "paid", "shortfall", "received", "from_shortfall"),
    [
        pytest.param(PRO_RATA, 60, 40, {"A": 0, "B": 45, "C": 15}, 0, id="pro rata"),
        pytest.param(OWE, 100, 0, {"A": 0, "B": 75, "C": 25}, 0, id="owe"),
        pytest.param(HOUSE_PAYS, 60, 40, {"A": 0, "B": 75, "C": 25}, 40, id="house pays"),
    ],
)
def test_cm_6__a_loser_who_holds_too_little(rules, paid, shortfall, received, from_shortfall):
    debts = [("A", "B", 75), ("A", "C", 25)]

    payment = settled(debts, {"A": 60}, rules)

    assert payment.owed == {"A": 100, "B": 0, "C": 0}
    assert payment.paid == {"A": paid, "B": 0, "C": 0}
    assert payment.shortfall == {"A": shortfall, "B": 0, "C": 0}
    assert payment.received == received
    assert payment.from_shortfall == from_shortfall


@pytest.mark.parametrize(
    ("rules", "paid"),
    [
        pytest.param(PRO_RATA, 0, id="pro rata"),
        pytest.param(OWE, 100, id="owe"),
        pytest.param(HOUSE_PAYS, 0, id="house pays"),
    ],
)
@pytest.mark.parametrize("balances", [{"A": -30}, {"A": 0}, {}], ids=["below zero", "nothing", "never seen"])
def test_cm_6__who_stands_below_zero_has_nothing(rules, paid, balances):
    payment = settled([("A", "B", 100)], balances, rules)

    assert payment.paid["A"] == paid


def test_cm_6__a_pool_goes_to_nobody_when_no_loser_has_anything():
    payment = settled([("A", "B", 75), ("C", "B", 25)], {"A": 0, "C": -1})

    assert payment.received == {"A": 0, "B": 0, "C": 0}
    assert payment.shortfall == {"A": 75, "B": 0, "C": 25}


@pytest.mark.parametrize(
    ("pool", "winnings", "shares"),
    [
        pytest.param(54, {"A": 30, "B": 3, "C": 22}, {"A": 29, "B": 3, "C": 22}, id="the largest remainder sits last"),
        pytest.param(101, {"A": 84, "B": 84}, {"A": 51, "B": 50}, id="equal remainders, the earlier seat"),
        pytest.param(101, {"B": 84, "A": 84}, {"B": 51, "A": 50}, id="the earlier seat, not the earlier name"),
        pytest.param(2, {"A": 1, "B": 0, "C": 1, "D": 1}, {"A": 1, "B": 0, "C": 1, "D": 0}, id="a seat without a win"),
        pytest.param(0, {"A": 5, "B": 6}, {"A": 0, "B": 0}, id="nothing to share"),
        pytest.param(2**62 + 1, {"A": 2**62, "B": 2**62}, {"A": 2**61 + 1, "B": 2**61}, id="products wider than int64"),
    ],
)
def test_cm_6__the_pool_is_shared_by_largest_remainder(pool, winnings, shares):
    assert share_out(pool, winnings) == shares


@given(winnings=st.lists(st.integers(0, 40), min_size=1, max_size=6).filter(any), data=st.data())
def test_cm_6__largest_remainder_is_what_hare_wrote(winnings, data):
    claims = dict(enumerate(winnings))
    pool = data.draw(st.integers(0, sum(winnings)))
    quotas = {seat: Fraction(pool * claim, sum(winnings)) for seat, claim in claims.items()}
    whole = {seat: quota.numerator // quota.denominator for seat, quota in quotas.items()}
    ranked = sorted(claims, key=lambda seat: (whole[seat] - quotas[seat], seat))
    lucky = ranked[: pool - sum(whole.values())]

    shares = share_out(pool, claims)

    assert shares == {seat: whole[seat] + (seat in lucky) for seat in claims}
    assert sum(shares.values()) == pool
    assert all(share <= claims[seat] for seat, share in shares.items())


def test_cm_8__rake_is_of_what_was_received_and_rounded_down_for_each_winner():
    rules = MoneyRules(rake_per_mille=77)

    payment = settled([("A", "B", 349), ("A", "C", 4)], {"A": 353}, rules)

    assert payment.rake == {"A": 0, "B": 26, "C": 0}


def test_cm_8__a_rake_of_1000_leaves_the_winner_nothing():
    payment = settled([("A", "B", 7)], RICH, MoneyRules(rake_per_mille=1000))

    assert payment.rake == {"A": 0, "B": 7, "C": 0}


def test_cm_8__rake_after_a_shortfall_is_of_the_shared_pool():
    payment = settled([("A", "B", 100)], {"A": 50}, MoneyRules(rake_per_mille=100))

    assert payment.rake["B"] == 5


def test_cm_7__the_fee_comes_after_result_and_rake_and_takes_at_most_what_is_left():
    rules = MoneyRules(table_fee=60, rake_per_mille=500)

    payment = settled([("A", "B", 100)], {"A": 130, "B": 0, "C": 60}, rules)

    assert payment.rake == {"A": 0, "B": 50, "C": 0}
    assert payment.table_fee == {"A": 30, "B": 50, "C": 60}


@pytest.mark.parametrize(
    ("balance", "fee"),
    [
        pytest.param(-101, 0, id="still below zero"),
        pytest.param(-100, 0, id="just back at zero"),
        pytest.param(-99, 1, id="one above"),
        pytest.param(-40, 25, id="enough"),
    ],
)
def test_cm_7__a_winner_who_was_below_zero_pays_the_fee_of_what_he_has_then(balance, fee):
    payment = settled([("A", "B", 100)], {"A": 100, "B": balance}, MoneyRules(table_fee=25))

    assert payment.table_fee == {"A": 0, "B": fee, "C": 0}


def test_cm_7__who_goes_below_zero_under_owe_pays_no_fee():
    payment = settled([("A", "B", 100)], {"A": 99}, replace(OWE, table_fee=25))

    assert payment.table_fee == {"A": 0, "B": 25, "C": 0}


@pytest.mark.parametrize("ended", [Ended.ESCAPE, Ended.REDEAL, Ended.VOIDED])
def test_cm_7__neither_fee_nor_rake_unless_the_hand_ended_normally(ended):
    rules = MoneyRules(table_fee=60, rake_per_mille=500)

    payment = settled([("A", "B", 100)], RICH, rules, ended)

    assert payment.rake == payment.table_fee == {"A": 0, "B": 0, "C": 0}


def test_dz_30__a_runaway_pays_into_the_penalties_which_are_no_player():
    payment = settled([("A", PENALTIES, 100)], RICH, replace(PRO_RATA, table_fee=5), Ended.ESCAPE)

    assert payment.net == {"A": -100, "B": 0, "C": 0}
    assert payment.paid == {"A": 100, "B": 0, "C": 0}
    assert payment.received == payment.won == payment.table_fee == {"A": 0, "B": 0, "C": 0}
    assert payment.penalties == 100


@pytest.mark.parametrize(
    ("rules", "penalties", "from_shortfall"),
    [
        pytest.param(PRO_RATA, 30, 0, id="pro rata"),
        pytest.param(OWE, 100, 0, id="owe"),
        pytest.param(HOUSE_PAYS, 100, 70, id="house pays"),
    ],
)
def test_dz_30__a_runaway_who_holds_too_little(rules, penalties, from_shortfall):
    payment = settled([("A", PENALTIES, 100)], {"A": 30}, rules, Ended.ESCAPE)

    assert (payment.penalties, payment.from_shortfall) == (penalties, from_shortfall)


def test_dz_30__of_equal_remainders_the_penalties_come_last():
    payment = settled([("A", PENALTIES, 10), ("A", "C", 10)], {"A": 5}, PRO_RATA, Ended.ESCAPE)

    assert payment.received == {"A": 0, "B": 0, "C": 3}
    assert payment.penalties == 2


@pytest.mark.parametrize(
    ("debts", "seats", "ended", "faults"),
    [
        pytest.param([("A", "B", 0)], ABC, Ended.NORMAL, [("CM-6", "A", 1)], id="nothing owed"),
        pytest.param([("A", "B", -5)], ABC, Ended.NORMAL, [("CM-6", "A", 1)], id="less than nothing"),
        pytest.param([("Q", "B", 5)], ABC, Ended.NORMAL, [("CM-6", "Q", 1)], id="the payer has no seat"),
        pytest.param([("A", "Q", 5)], ABC, Ended.NORMAL, [("CM-6", "A", 1)], id="the payee has no seat"),
        pytest.param([("A", "A", 5)], ABC, Ended.NORMAL, [("CM-6", "A", 1)], id="owes himself"),
        pytest.param([("A", PENALTIES, 5)], ABC, Ended.NORMAL, [("CM-6", "A", 1)], id="a penalty without an escape"),
        pytest.param([(PENALTIES, "A", 5)], ABC, Ended.ESCAPE, [("CM-6", PENALTIES, 1)], id="the house owes"),
        pytest.param([("A", "B", 2**63)], ABC, Ended.NORMAL, [("CM-1", None, 1)], id="too large, nets or not"),
        pytest.param([], ("A", "B", "C", "B"), Ended.NORMAL, [("CM-6", "B", None)], id="a seat twice"),
        pytest.param([], ("B", "C", "B", "B"), Ended.NORMAL, [("CM-6", "B", None)], id="a seat three times"),
        pytest.param([], (*ABC, PENALTIES), Ended.ESCAPE, [("CM-6", PENALTIES, None)], id="the house sits"),
        pytest.param([("A", "Q", 0)], ABC, Ended.NORMAL, [("CM-6", "A", 1)], id="one fault an obligation"),
        pytest.param(
            [("A", "B", 2**63), ("C", "B", 0)], ABC, Ended.NORMAL, [("CM-6", "C", 2)], id="too large comes after all"
        ),
        pytest.param(
            [("A", "B", 0), ("C", "Q", 5)],
            (*ABC, "A"),
            Ended.NORMAL,
            [("CM-6", "A", None), ("CM-6", "A", 1), ("CM-6", "C", 2)],
            id="all of them, seats first",
        ),
    ],
)
def test_cm_6__a_faulty_hand(debts, seats, ended, faults):
    answer = settled([("B", "C", 1), *debts], RICH, PRO_RATA, ended, seats)

    assert faults_of(answer) == faults
    assert all(fault.text for fault in answer)


@pytest.mark.parametrize(
    ("debts", "rules", "word"),
    [
        pytest.param([("A", "B", 2**62), ("A", "C", 2**62)], PRO_RATA, "net of A", id="a loss that has no opposite"),
        pytest.param([("B", "A", 2**62), ("C", "A", 2**62)], PRO_RATA, "net of A", id="a win"),
        pytest.param(
            [("A", "D", 2**62), ("B", "D", 2**62 - 1), ("C", "E", 1)], HOUSE_PAYS, "the house would pay", id="shortfall"
        ),
        pytest.param(
            [("A", "D", INT64_MAX), ("B", "E", INT64_MAX)],
            MoneyRules(shortfall=ShortfallPolicy.OWE, rake_per_mille=501),
            "rake and fees",
            id="rake",
        ),
    ],
)
def test_cm_1__an_amount_that_cannot_be_recorded_is_refused(debts, rules, word):
    answer = settled(debts, {}, rules, seats=("A", "B", "C", "D", "E"))

    assert [fault.rule for fault in answer] == ["CM-1"]
    assert word in answer[0].text


def test_cm_1__the_largest_amount_that_can_be_recorded_is_paid():
    payment = settled([("A", "B", INT64_MAX)], {"A": INT64_MAX}, MoneyRules(rake_per_mille=999, table_fee=INT64_MAX))

    assert payment.paid["A"] == payment.received["B"] == INT64_MAX
    assert payment.rake["B"] + payment.table_fee["B"] == INT64_MAX


@pytest.mark.parametrize(
    ("rules", "faults"),
    [
        pytest.param(MoneyRules(), [], id="the defaults"),
        pytest.param(MoneyRules(rake_per_mille=1000, table_fee=INT64_MAX), [], id="the largest"),
        pytest.param(MoneyRules(shortfall="FORGIVE"), [("CM-4", "shortfall")], id="unknown policy"),
        pytest.param(MoneyRules(shortfall=7), [("CM-4", "shortfall")], id="unknown number of a policy"),
        pytest.param(MoneyRules(table_fee=-1), [("CM-4", "table_fee")], id="a fee below zero"),
        pytest.param(MoneyRules(table_fee=2**63), [("CM-1", "table_fee")], id="a fee that is no int64"),
        pytest.param(MoneyRules(rake_per_mille=-1), [("CM-4", "rake_per_mille")], id="a rake below zero"),
        pytest.param(MoneyRules(rake_per_mille=1001), [("CM-4", "rake_per_mille")], id="more rake than winnings"),
        pytest.param(MoneyRules(points_per_win="DOUBLE"), [("CM-4", "points_per_win")], id="unknown points"),
        pytest.param(
            MoneyRules(shortfall="", table_fee=-1, rake_per_mille=-1, points_per_win=""),
            [("CM-4", name) for name in ("shortfall", "table_fee", "rake_per_mille", "points_per_win")],
            id="all of them, in the order of the fields",
        ),
    ],
)
def test_cm_4__money_rules(rules, faults):
    found = check_money_rules(rules)

    assert [(fault.rule, fault.field) for fault in found] == faults


def test_cm_4__the_defaults_are_those_of_the_rulebook():
    assert MoneyRules() == MoneyRules(
        shortfall=ShortfallPolicy.PRO_RATA, table_fee=0, rake_per_mille=0, points_per_win=PointsPerWin.LEVEL_BASE
    )


@given(settlement=settlements())
def test_cm_2__whatever_is_paid_is_received(settlement):
    payment = settlement.paid()

    assert sum(payment.paid.values()) + payment.from_shortfall == sum(payment.received.values()) + payment.penalties
    if settlement.ended is not Ended.ESCAPE:
        assert sum(payment.net.values()) == 0
    for part in (payment.net, payment.owed, payment.paid, payment.won, payment.received, payment.rake):
        assert tuple(part) == settlement.seats


@given(settlement=settlements())
def test_cm_6__the_parts_of_a_payment_fit_together(settlement):
    payment = settlement.paid()

    for player in settlement.seats:
        assert payment.won[player] - payment.owed[player] == payment.net[player]
        assert payment.paid[player] + payment.shortfall[player] == payment.owed[player]
        assert 0 <= payment.received[player] <= payment.won[player]
        assert 0 <= payment.rake[player] <= payment.received[player]
        assert 0 <= payment.table_fee[player] <= settlement.money_rules.table_fee


@given(settlement=settlements())
def test_cm_6__nobody_pays_more_than_he_has_unless_he_may_owe(settlement):
    payment = settlement.paid()

    for player, before in settlement.balances.items():
        after = before + payment.received[player] - payment.paid[player] - payment.rake[player]
        if settlement.money_rules.shortfall is not ShortfallPolicy.OWE:
            assert payment.paid[player] <= max(before, 0)
            assert after >= min(before, 0)
        assert payment.table_fee[player] <= max(after, 0)


@given(settlement=settlements())
def test_cm_6__who_pays_in_full_makes_every_policy_the_same(settlement):
    rich = replace(settlement, balances=dict.fromkeys(settlement.seats, 10**9))

    payments = [rich.with_rules(shortfall=policy).paid() for policy in ShortfallPolicy]

    assert payments[0] == payments[1] == payments[2]


@given(settlement=settlements(), data=st.data())
def test_cm_6__the_order_and_the_splitting_of_obligations_do_not_matter(settlement, data):
    halves = [
        Obligation(debt.payer, debt.payee, amount)
        for debt in settlement.obligations
        for amount in ((debt.amount // 2, debt.amount - debt.amount // 2) if debt.amount > 1 else (debt.amount,))
    ]
    shuffled = tuple(data.draw(st.permutations(halves)))

    assert replace(settlement, obligations=shuffled).paid() == settlement.paid()


@given(settlement=settlements())
def test_cm_6__renaming_players_renames_amounts(settlement):
    def renamed(player: str) -> str:
        return player if player == PENALTIES else player[::-1] + "'"

    other = Settlement(
        settlement.ended,
        tuple(map(renamed, settlement.seats)),
        tuple(Obligation(renamed(debt.payer), renamed(debt.payee), debt.amount) for debt in settlement.obligations),
        {renamed(player): silver for player, silver in settlement.balances.items()},
        settlement.money_rules,
    )

    payment, other_payment = settlement.paid(), other.paid()

    for name in Payment.__dataclass_fields__:
        part, other_part = getattr(payment, name), getattr(other_payment, name)
        assert other_part == (part if isinstance(part, int) else {renamed(key): value for key, value in part.items()})


@given(settlement=settlements(), times=st.integers(2, 1000))
def test_cm_6__scaling_all_silver_scales_all_that_is_not_rounded(settlement, times):
    exact = settlement.with_rules(rake_per_mille=0)
    scaled = replace(
        exact.with_rules(table_fee=exact.money_rules.table_fee * times),
        obligations=tuple(debt._replace(amount=debt.amount * times) for debt in exact.obligations),
        balances={player: silver * times for player, silver in exact.balances.items()},
    )

    payment, scaled_payment = exact.paid(), scaled.paid()

    for name in ("net", "owed", "paid", "shortfall", "won"):
        assert getattr(scaled_payment, name) == {key: value * times for key, value in getattr(payment, name).items()}
    assert scaled_payment.from_shortfall == payment.from_shortfall * times
    for player, silver in payment.received.items():
        assert abs(scaled_payment.received[player] - silver * times) <= times


@given(settlement=settlements(endings=(Ended.NORMAL,)), data=st.data())
def test_cm_6__another_order_of_seats_moves_only_odd_silver(settlement, data):
    other = replace(settlement, seats=tuple(data.draw(st.permutations(settlement.seats))))

    payment, other_payment = settlement.paid(), other.paid()

    assert other_payment.paid == payment.paid
    for player, silver in payment.received.items():
        assert abs(other_payment.received[player] - silver) <= 1
