"""What bettors and doors are paid, and laws over generated hands."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.rules.jiu_dian_ban.tables import SEATS, all_rules, deal, faults_of, hand, judged, legal_hands, net, places
from zhangfang.rules.games.jiu_dian_ban.judge import judge
from zhangfang.rules.games.jiu_dian_ban.record import BankerMode, Bet, CardValues, JiuDianBanRules, PairRanking
from zhangfang.rules.verdict import INT64_MAX, Ended, Verdict

hands_with_rules = all_rules.flatmap(lambda rules: legal_hands(rules).map(lambda drawn: (rules, *drawn)))


@pytest.mark.parametrize(
    ("dealt", "won"),
    [
        pytest.param("8s Td | 4s 5s | 9h w | As Ad", (10, 20, 10), id="points once, nine_and_half twice, a pair once"),
        pytest.param("8s Td | W w | 2s 3s | 4s 4h", (30, -10, 10), id="joker_pair three times"),
        pytest.param("9s Kd | W w | 9h Ks | As Ad", (30, -10, -10), id="nine_and_half ties nine_and_half"),
        pytest.param("W w | 9s Kd | As Ad | 2s 3s", (-10, -10, -10), id="the banker's joker_pair wins once"),
        pytest.param("2s 2h | 9s 9h | 8s w | 9d Ks", (-10, -10, 20), id="seed: pair of 2 against pair of 9"),
        pytest.param("5h 3s | 6h 2s | 8s Th | Kd 8h", (-10, -10, 10), id="seed: eight points against eight points"),
        pytest.param("9s Jh | 2s 8d | Td W | Th Js", (-10, 10, 10), id="no point, half a point, one point"),
    ],
)
def test_jd_9__a_door_pays_its_class_once_it_beats_the_banker(dealt, won):
    verdict = judged(hand("P1 shang 10, P2 tian 10, P3 xia 10", deal(dealt)))

    assert net(verdict) == {"Z": -sum(won), "P1": won[0], "P2": won[1], "P3": won[2]}


def test_jd_9__bets_of_one_bettor_on_one_door_are_one_step():
    verdict = judged(hand("P1 tian 10, P2 shang 5, P1 shang 3, P1 tian 1, P2 shang 5"))

    assert [(step.payer, step.payee, step.amount) for step in verdict.steps] == [
        ("Z", "P1", 22),
        ("P2", "Z", 10),
        ("P1", "Z", 3),
    ]
    assert verdict.seats == ("Z", "P1", "P2")


def test_jd_2__a_hand_without_bets_pays_nothing():
    verdict = judged(hand())

    assert (verdict.seats, verdict.steps) == (("Z",), ())
    assert [judged_hand.name for judged_hand in verdict.outcome.hands] == ["banker", "shang", "tian", "xia"]


def test_jd_7__a_table_may_rank_pairs():
    pairs = hand("P1 shang 10", deal("2s 2h | 9s 9h | 8s Th | 3s Td"))

    assert net(judged(pairs)) == {"Z": 10, "P1": -10}
    assert net(judged(pairs, pair_ranking=PairRanking.BY_RANK)) == {"Z": -10, "P1": 10}


def test_jd_3__a_table_may_count_queens_and_kings_in_full():
    pictures = hand("P1 shang 10", deal("Ts Ah | Td Qh | 8s Th | 3s 7d"))

    assert net(judged(pictures)) == {"Z": 10, "P1": -10}
    assert net(judged(pictures, card_values=CardValues.J1_Q2_K3)) == {"Z": -10, "P1": 10}


@pytest.mark.parametrize(
    ("silver", "shortfall"),
    [
        pytest.param({"Z": 100}, 0, id="he has enough"),
        pytest.param({"Z": 20}, 0, id="he has just enough"),
        pytest.param({"Z": 13}, 7, id="he has not"),
        pytest.param({}, 0, id="nobody knows"),
    ],
)
def test_jd_10__the_banker_s_shortfall_is_reported(silver, shortfall):
    verdict = judged(hand("P1 tian 11, P2 shang 2"), silver)

    assert net(verdict)["Z"] == -20
    assert verdict.outcome.banker_shortfall == shortfall


@pytest.mark.parametrize(
    ("turned_card", "start"),
    [("", None), ("7c", "tian"), ("Ks", "banker")],
    ids=["none turned", "a seven", "a king"],
)
def test_jd_11__the_deal_start_is_reported(turned_card, start):
    assert judged(hand(dealt=replace(hand().deal, turned_card=turned_card))).outcome.deal_start == start


ALL_BEATEN = deal("9s Jh | 4s 5s | 9h w | As Ad")
TWO_BEATEN = deal("9s Jh | 2s 8d | 9h w | As Ad")


@pytest.mark.parametrize(
    ("dealt", "seats", "silver", "mode", "successor"),
    [
        pytest.param(ALL_BEATEN, SEATS, {}, BankerMode.SEATS, "P1", id="every door beats him"),
        pytest.param(ALL_BEATEN, ("P2", "P3", "P1", "Z"), {}, BankerMode.SEATS, "P2", id="he sits last"),
        pytest.param(TWO_BEATEN, SEATS, {}, BankerMode.SEATS, "Z", id="one door ties"),
        pytest.param(TWO_BEATEN, SEATS, {"Z": 30}, BankerMode.SEATS, "P1", id="he loses his last silver"),
        pytest.param(TWO_BEATEN, SEATS, {"Z": 31}, BankerMode.SEATS, "Z", id="he keeps one silver"),
        pytest.param(ALL_BEATEN, (), {}, BankerMode.SEATS, None, id="no seats are given"),
        pytest.param(ALL_BEATEN, SEATS, {}, BankerMode.QUEUE, None, id="the bank goes along a list"),
    ],
)
def test_jd_13__the_next_banker_is_reported(dealt, seats, silver, mode, successor):
    verdict = judged(hand("P1 tian 10, P2 xia 10", dealt, seats), silver, banker_mode=mode)

    assert verdict.outcome.banker_beaten_by_all is (dealt == ALL_BEATEN)
    assert verdict.outcome.next_banker == successor


def test_cm_3__every_step_explains_itself_in_both_languages():
    verdict = judged(hand("P1 shang 40, P1 tian 100, P2 xia 7"))

    assert [(step.text, step.text_zh) for step in verdict.steps] == [
        (
            "shang 5 points does not beat the banker's 8 points, P1 pays: bet 40 = 40",
            "上门 五点不胜庄家八点，P1付：40(注)=40",
        ),
        (
            "tian nine_and_half beats the banker's 8 points, Z pays P1: bet 100 × nine_and_half 2 = 200",
            "天门 九点半胜庄家八点，庄家付P1：100(注)×2(九点半)=200",
        ),
        (
            "xia pair beats the banker's 8 points, Z pays P2: bet 7 = 7",
            "下门 对子胜庄家八点，庄家付P2：7(注)=7",
        ),
    ]


@settings(max_examples=80, deadline=None)
@given(hands_with_rules)
def test_cm_2__a_hand_pays_what_it_takes_and_every_factor_counts(drawn):
    rules, record, silver = drawn

    verdict = judge(record, rules, 1, silver)

    assert isinstance(verdict, Verdict)
    assert verdict.ended is Ended.NORMAL
    assert sum(net(verdict).values()) == 0
    assert set(verdict.seats) == {"Z", *[bet.player for bet in record.bets]}
    for step in verdict.steps:
        product = 1
        for factor in step.factors:
            product *= factor.factor
        assert product == step.amount
        assert all(factor.factor > 1 for factor in step.factors[1:])
        assert step.text.endswith(f"= {step.amount}")
        assert step.text_zh.endswith(f"={step.amount}")


@settings(max_examples=40, deadline=None)
@given(hands_with_rules, st.integers(2, 10**6))
def test_cm_2__ten_times_the_bets_are_ten_times_the_money(drawn, times):
    rules, record, silver = drawn
    larger = replace(record, bets=tuple(bet._replace(silver=bet.silver * times) for bet in record.bets))

    small = judge(record, rules, 1, silver)
    large = judge(larger, rules, 1, {player: amount * times for player, amount in silver.items()})

    assert net(large) == {player: amount * times for player, amount in net(small).items()}


@settings(max_examples=40, deadline=None)
@given(hands_with_rules)
def test_cm_2__other_names_lose_and_win_the_same(drawn):
    rules, record, silver = drawn
    renamed = replace(
        record,
        banker="ZZ",
        bets=tuple(bet._replace(player=bet.player * 2) for bet in record.bets),
        seats=tuple(seat * 2 for seat in record.seats),
    )

    before = judge(record, rules, 1, silver)
    after = judge(renamed, rules, 1, {player * 2: amount for player, amount in silver.items()})

    assert net(after) == {player * 2: amount for player, amount in net(before).items()}


JOKERS_AT_TIAN = deal("8s Td | 2h Qd | W w | 8h Tc")


@pytest.mark.parametrize(
    ("bets", "dealt", "expected"),
    [
        pytest.param(f"P1 tian {INT64_MAX // 3}", JOKERS_AT_TIAN, [], id="three times just fits"),
        pytest.param(f"P1 tian {INT64_MAX // 3 + 1}", JOKERS_AT_TIAN, [("CM-1",)], id="three times does not fit"),
        pytest.param(
            f"P1 shang {INT64_MAX}, P2 tian {INT64_MAX // 3}", JOKERS_AT_TIAN, [], id="a win and a loss balance"
        ),
        pytest.param(
            f"P1 xia {INT64_MAX}, P2 xia 1", deal("9s Jh | 2s 8d | Td Jd | 9h w"), [("CM-1",)], id="a payout too large"
        ),
        pytest.param(
            f"P1 xia {INT64_MAX}, P2 xia 2", deal("Ts Jh | 2s 8d | Td Jd | Th 8c"), [("CM-1",)], id="the net too large"
        ),
        pytest.param(
            f"P1 xia {INT64_MAX}, P1 xia 1", deal("9h w | 2s 8d | Td Jd | Th 8c"), [("CM-1",)], id="the sum too large"
        ),
    ],
)
def test_cm_1__an_amount_too_large_to_be_recorded_is_a_fault(bets, dealt, expected):
    assert places(faults_of(hand(bets, dealt))) == expected


def test_cm_1__amounts_are_looked_at_only_without_another_fault():
    record = hand(f"P1 tian {INT64_MAX}, P2 tian 0", JOKERS_AT_TIAN)

    assert places(faults_of(record)) == [("JD-2", "P2", 1)]


def test_jd_9__the_money_does_not_depend_on_who_bet_first():
    rules = JiuDianBanRules()
    bets = (Bet("P1", "tian", 3), Bet("P2", "shang", 4), Bet("P1", "xia", 5))

    forwards = judge(replace(hand(), bets=bets), rules, 1, {})
    backwards = judge(replace(hand(), bets=bets[::-1]), rules, 1, {})

    assert net(forwards) == net(backwards)
    assert backwards.seats == ("Z", "P1", "P2")
