"""What pots and royalties pay, the seed's example, and laws over generated hands."""

from dataclasses import replace

import pytest
from hypothesis import given, settings

from tests.rules.bi_ji.tables import all_rules, hand, judged, legal_hands, net, places, stakes
from zhangfang.rules.games.bi_ji.judge import judge
from zhangfang.rules.games.bi_ji.record import BiJiRules
from zhangfang.rules.verdict import INT64_MAX, Ended, Verdict

# Pot 1 is won A > B > C, pot 2 B > C > A, pot 3 C > A > B, as in the seed.
ROUND = ("Ah Kd 9c | 2s 2h 5d | 8s 8h 4c", "As Kc 8d | 6s 6h 3d | 7s 7h 3c", "Qd Jc 9h | 5s 5h Td | 9s 9d Th")


def test_bj_13__the_seed_s_three_pots():
    verdict = judged(hand(*ROUND), stake=10_000)

    assert [pot.ranking for pot in verdict.outcome.pots] == [("A", "B", "C"), ("B", "C", "A"), ("C", "A", "B")]
    assert [(step.payer, step.payee, step.amount) for step in verdict.steps] == [
        ("B", "A", 10_000),
        ("C", "A", 20_000),
        ("C", "B", 10_000),
        ("A", "B", 20_000),
        ("A", "C", 10_000),
        ("B", "C", 20_000),
    ]
    assert net(verdict) == {"A": 0, "B": 0, "C": 0}


@pytest.mark.parametrize(
    ("cards_of_a", "name", "expected"),
    [
        pytest.param("Ac Kc 9s | Qs Qc 5s | 2s 3s 4s", "all_black", 20_000, id="one unit"),
        pytest.param("3h 4h 5h | 6d 7d 8d | Jh Qh Kh", "front_straight_flush", 40_000, id="two units"),
        pytest.param("4s 4c 4d | Js Jc Jd | Qs Qh Qc", "three_triples", 60_000, id="three units"),
    ],
)
def test_bj_15__the_seed_s_royalties(cards_of_a, name, expected):
    others = ("2h 6s 8c | 9d 9h 5c | Td Th 7c", "3d 6h Ts | 7h 7s 2d | 8s 8h 3c")

    verdict = judged(hand(cards_of_a, *others), stake=10_000)

    assert verdict.outcome.royalty_unit == 20_000
    paid = [(step.payer, step.payee, step.amount) for step in verdict.steps if name in step.text]
    assert paid == [("B", "A", expected), ("C", "A", expected)]


@pytest.mark.parametrize(
    ("players", "won"),
    [(2, 1), (3, 1 + 2), (4, 1 + 2 + 3), (5, 1 + 2 + 3 + 4)],
    ids=["two players", "three players", "four players", "five players"],
)
def test_bj_13__the_winner_of_a_pot_gets_what_the_ranks_pay(players, won):
    layouts = (
        "2s 5h Ac | 6s 6h 9d | Ts Th 3d",
        "2h 5c Kd | 7s 7h 9c | Js Jh 3c",
        "2c 5d Qh | 8s 8h 9h | Qs Qd 3h",
        "2d 5s Jc | 4s 4h Tc | Ks Kh 3s",
        "6c 7d Td | 4c 4d 7c | As Ah 8c",
    )

    verdict = judged(hand(*layouts[:players]), stake=7)

    first_pot = [step for step in verdict.steps if step.text.startswith("pot 1")]
    assert {step.payee for step in first_pot} == {"A"}
    assert sum(step.amount for step in first_pot) == 7 * won
    assert verdict.outcome.royalty_unit == 7 * (players - 1)


@pytest.mark.parametrize(
    ("seats", "starts"),
    [((0, 1, 2), 0), ((1, 2, 0), 2), ((2, 0, 1), 1)],
    ids=["the last seat wins pot 3", "the middle one", "the first one"],
)
def test_bj_22__the_next_deal_starts_after_the_winner_of_pot_3(seats, starts):
    layouts = [ROUND[seat] for seat in seats]

    verdict = judged(hand(*layouts))

    assert verdict.outcome.next_deal_seat == starts


def test_cm_3__every_step_explains_itself_in_both_languages():
    verdict = judged(hand("4s 4c 4d | Js Jh Jd | Qs Qh Qc", *ROUND[1:]), stake=10_000)

    lines = {step.text: step.text_zh for step in verdict.steps}

    assert lines["pot 1, three_of_a_kind of A wins, B is 2nd: stake 10000 = 10000"] == (
        "第1锅 A 三条胜，B第2名：10000(底分)=10000"
    )
    assert lines["pot 1, three_of_a_kind of A wins, C is 3rd: stake 10000 × rank_minus_1 2 = 20000"] == (
        "第1锅 A 三条胜，C第3名：10000(底分)×2(名次)=20000"
    )
    assert lines["A holds scoop, B pays: royalty_unit 20000 = 20000"] == "A 通锅，B付：20000(一喜)=20000"
    assert lines["A holds three_triples, C pays: royalty_unit 20000 × units 3 = 60000"] == (
        "A 全三，C付：20000(一喜)×3(喜)=60000"
    )


@settings(max_examples=60, deadline=None)
@given(legal_hands(BiJiRules()), stakes)
def test_cm_3__the_factors_of_a_step_multiply_to_its_amount(record, stake):
    verdict = judged(record, stake)

    for step in verdict.steps:
        product = 1
        for number, factor in enumerate(step.factors):
            assert number == 0 or factor.factor > 1
            product *= factor.factor
        assert product == step.amount
        assert step.text.endswith(f"= {step.amount}")
        assert step.text_zh.endswith(f"={step.amount}")


@settings(max_examples=60, deadline=None)
@given(legal_hands(BiJiRules()), stakes)
def test_cm_2__a_hand_pays_what_it_takes_and_grows_with_the_stake(record, stake):
    verdict, unit = judged(record, stake), judged(record, 1)

    assert verdict.ended is Ended.NORMAL
    assert verdict.seats == record.players
    assert sum(net(verdict).values()) == 0
    assert net(verdict) == {player: stake * amount for player, amount in net(unit).items()}


@settings(max_examples=30, deadline=None)
@given(legal_hands(BiJiRules()))
def test_cm_2__other_names_lose_and_win_the_same(record):
    renamed = replace(record, players=tuple(player * 2 for player in record.players))

    assert list(net(judged(renamed)).values()) == list(net(judged(record)).values())


@settings(max_examples=40, deadline=None)
@given(all_rules.flatmap(lambda rules: legal_hands(rules).map(lambda record: (rules, record))))
def test_bj_2__a_sorted_layout_is_legal_under_every_house_rule(rules_and_record):
    rules, record = rules_and_record

    result = judge(record, rules, 1, {})

    assert isinstance(result, Verdict)
    assert result.outcome.layouts == record.layouts


@pytest.mark.parametrize(
    ("stake", "expected"),
    [
        pytest.param(INT64_MAX // 2, [], id="the largest payment just fits"),
        pytest.param(INT64_MAX // 2 + 1, [("CM-1",)], id="it does not"),
        pytest.param(INT64_MAX, [("CM-1",)], id="the stake alone fits"),
        pytest.param(10**30, [("CM-1",)], id="nothing fits"),
    ],
)
def test_cm_1__an_amount_too_large_to_be_recorded_is_a_fault(stake, expected):
    result = judge(hand(*ROUND), BiJiRules(), stake, {})

    assert (places(result) if expected else net(result)) == (expected or {"A": 0, "B": 0, "C": 0})


def test_cm_1__the_stake_of_two_players_may_fill_an_int64_as_long_as_the_result_fits():
    one_pot_each_and_a_draw = hand("Ah Kd 9c | 2s 2h 5d | 8s 8h 4c", "As Kc 8d | 6s 6h 3d | 7s 7h 3c")

    largest = judged(one_pot_each_and_a_draw, stake=INT64_MAX)

    assert net(largest) == {"A": INT64_MAX, "B": -INT64_MAX}


def test_cm_1__a_net_result_too_large_is_a_fault_though_every_payment_fits():
    scoop = hand("2s 2h 9d | Ts Td 9c | As Ac Kd", "2c 3h 5d | 6s 8d 9h | 7s 7d 5c")

    assert places(judge(scoop, BiJiRules(), INT64_MAX // 4 + 1, {})) == [("CM-1",)]
    assert net(judged(scoop, stake=INT64_MAX // 4)) == {"A": INT64_MAX // 4 * 4, "B": -(INT64_MAX // 4 * 4)}
