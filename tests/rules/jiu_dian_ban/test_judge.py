"""What the judge refuses: one fault a row, then several, then whatever generated hands are spoiled with."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.rules.jiu_dian_ban.tables import (
    SEATS,
    all_rules,
    deal,
    faults_of,
    hand,
    legal_hands,
    places,
)
from zhangfang.rules.games.jiu_dian_ban import GAME
from zhangfang.rules.games.jiu_dian_ban.judge import judge
from zhangfang.rules.games.jiu_dian_ban.record import (
    BankerMode,
    Bet,
    BetCap,
    CardValues,
    Deal,
    Door,
    JiuDianBanHand,
    JiuDianBanRules,
    PairRanking,
)
from zhangfang.rules.verdict import Verdict

LEGAL = hand("P1 shang 10, P2 tian 5, P1 xia 3", seats=SEATS)
THIRD = BetCap.BANKER_SILVER_OVER_MAX_PAYOUT


def dealt(**changes):
    return replace(LEGAL, deal=replace(LEGAL.deal, **changes))


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        pytest.param(LEGAL, [], id="nothing"),
        pytest.param(replace(LEGAL, banker="", seats=()), [("JD-1", "banker")], id="nobody banks"),
        pytest.param(dealt(tian="9h"), [("JD-1", "tian")], id="one card"),
        pytest.param(dealt(xia="As Ad 2c"), [("JD-1", "xia")], id="three cards"),
        pytest.param(dealt(banker=""), [("JD-1", "banker")], id="no cards"),
        pytest.param(replace(LEGAL, seats=SEATS[:3]), [("JD-1", "seats")], id="three seats"),
        pytest.param(replace(LEGAL, seats=("Z", "P1", "P1", "P2")), [("JD-1", "seats")], id="a player on two seats"),
        pytest.param(replace(LEGAL, seats=("P1", "P2", "P3", "P4")), [("JD-1", "seats")], id="no seat for the banker"),
        pytest.param(replace(LEGAL, seats=(*SEATS, "P4")), [("JD-1", "seats")], id="five seats"),
        pytest.param(dealt(tian="9h 8s"), [("JD-1", "tian", "8s")], id="a card in two hands"),
        pytest.param(dealt(tian="9h 9h"), [("JD-1", "tian", "9h")], id="a card twice in one hand"),
        pytest.param(dealt(tian="10h w"), [("JD-1", "tian", "10h")], id="no card"),
        pytest.param(dealt(turned_card="8s"), [("JD-1", "turned_card", "8s")], id="the turned card was dealt"),
        pytest.param(dealt(turned_card="1s"), [("JD-1", "turned_card", "1s")], id="the turned card is none"),
        pytest.param(dealt(turned_card="W"), [("JD-11", "turned_card", "W")], id="a joker is turned"),
        pytest.param(
            dealt(turned_card="w"),
            [("JD-1", "turned_card", "w"), ("JD-11", "turned_card", "w")],
            id="a joker is dealt and turned",
        ),
        pytest.param(
            replace(LEGAL, deal=Deal()),
            [("JD-1", name) for name in ("banker", "shang", "tian", "xia")],
            id="nothing is dealt",
        ),
    ],
)
def test_jd_1_and_jd_11__one_fault_at_a_time(record, expected):
    assert places(faults_of(record)) == expected


@pytest.mark.parametrize(
    ("made", "silver", "cap", "expected"),
    [
        pytest.param("P1 shang 1", {"Z": 1, "P1": 1}, BetCap.BANKER_SILVER, [], id="the smallest hand"),
        pytest.param("Z shang 10", {}, BetCap.BANKER_SILVER, [("JD-1", "Z", 0)], id="the banker bets"),
        pytest.param("P1 shang 0", {}, BetCap.BANKER_SILVER, [("JD-2", "P1", 0)], id="a bet of 0"),
        pytest.param("P1 shang -5", {}, BetCap.BANKER_SILVER, [("JD-2", "P1", 0)], id="a negative bet"),
        pytest.param("P1 shang 6, P2 xia 4", {"Z": 10}, BetCap.BANKER_SILVER, [], id="just the banker's silver"),
        pytest.param(
            "P1 shang 6, P2 xia 5", {"Z": 10}, BetCap.BANKER_SILVER, [("JD-2", "P2", 1)], id="over the banker's silver"
        ),
        pytest.param("P1 shang 2, P2 xia 1", {"Z": 11}, THIRD, [], id="just a third, rounded down"),
        pytest.param("P1 shang 2, P2 xia 2", {"Z": 11}, THIRD, [("JD-2", "P2", 1)], id="over a third"),
        pytest.param("P1 shang 1", {"Z": 0}, BetCap.BANKER_SILVER, [("JD-2", "P1", 0)], id="a penniless banker"),
        pytest.param("P1 shang 1", {"Z": -9}, THIRD, [("JD-2", "P1", 0)], id="a banker below zero"),
        pytest.param("P1 shang 6, P1 xia 4", {"P1": 10}, BetCap.BANKER_SILVER, [], id="all his silver"),
        pytest.param(
            "P1 shang 6, P2 xia 9, P1 xia 5",
            {"P1": 10},
            BetCap.BANKER_SILVER,
            [("JD-2", "P1", 2)],
            id="over his silver",
        ),
        pytest.param(
            "P1 shang 11, P1 xia 10",
            {"P1": 10},
            BetCap.BANKER_SILVER,
            [("JD-2", "P1", 0)],
            id="a refused bet does not count",
        ),
        pytest.param(
            "P1 shang 11, P2 xia 10, P3 xia 1",
            {"Z": 10},
            BetCap.BANKER_SILVER,
            [("JD-2", "P1", 0), ("JD-2", "P3", 2)],
            id="nor against the banker's silver",
        ),
        pytest.param(
            "P1 shang -5, Z xia 9, P2 xia 10",
            {"Z": 10},
            BetCap.BANKER_SILVER,
            [("JD-2", "P1", 0), ("JD-1", "Z", 1)],
            id="nor if it is negative or the banker's",
        ),
    ],
)
def test_jd_2__bets_are_judged_in_their_order(made, silver, cap, expected):
    assert places(faults_of(hand(made), silver, bet_cap=cap)) == expected


def test_jd_2__a_bet_is_at_least_the_stake():
    record = hand("P1 shang 9, P2 shang 10, P3 shang 11")

    assert places(faults_of(record, stake=10)) == [("JD-2", "P1", 0)]


def test_jd_1__there_are_three_doors():
    record = replace(LEGAL, bets=(Bet("P1", 0, 5), Bet("P2", Door.TIAN, 5), Bet("P3", 7, 0)))

    assert places(faults_of(record)) == [("JD-1", "P1", 0), ("JD-1", "P3", 2)]


@pytest.mark.parametrize(
    ("stake", "house_rules", "expected"),
    [
        pytest.param(1, {}, [], id="the seed's"),
        pytest.param(0, {}, [("CM-9", "stake")], id="a stake of 0"),
        pytest.param(1, {"card_values": 9}, [("CM-4", "card_values")], id="card values"),
        pytest.param(1, {"pair_ranking": 9}, [("CM-4", "pair_ranking")], id="pair ranking"),
        pytest.param(1, {"bet_cap": 9}, [("CM-4", "bet_cap")], id="bet cap"),
        pytest.param(1, {"banker_mode": 9}, [("CM-4", "banker_mode")], id="banker mode"),
        pytest.param(
            -1,
            {"bet_cap": 9, "card_values": 9},
            [("CM-9", "stake"), ("CM-4", "card_values"), ("CM-4", "bet_cap")],
            id="all",
        ),
    ],
)
def test_cm_4_and_cm_9__settings_out_of_range(stake, house_rules, expected):
    assert places(faults_of(LEGAL, stake=stake, **house_rules)) == expected


def test_cm_5__cards_and_bets_are_judged_together():
    record = hand("P1 shang 0, Z tian 5, P2 xia 3", deal("8s Td | 8s 3s | 9h w | As Ad", "W"))

    assert places(faults_of(record)) == [
        ("JD-1", "shang", "8s"),
        ("JD-11", "turned_card", "W"),
        ("JD-2", "P1", 0),
        ("JD-1", "Z", 1),
    ]


def test_cm_5__bets_are_not_judged_if_the_structure_is_faulty():
    record = hand("P1 shang 0", deal("8s Td | 8s 3s | 9h | As Ad", "W"), seats=("Z",))

    assert places(faults_of(record, stake=0, bet_cap=5)) == [
        ("CM-9", "stake"),
        ("CM-4", "bet_cap"),
        ("JD-1", "tian"),
        ("JD-1", "seats"),
        ("JD-1", "shang", "8s"),
        ("JD-11", "turned_card", "W"),
    ]


def test_cm_5__every_fault_says_what_would_be_right():
    record = hand("Z tian 5, P1 shang 0, P2 xia 8, P3 xia 7, P3 xia 2")

    texts = [fault.text for fault in faults_of(record, {"Z": 12, "P3": 3})]

    assert texts == [
        "Z bets against himself; the banker does not bet",
        "P1 bets 0 silver; a bet is at least 1",
        "P3 bets 7 silver; only 4 more may be bet against this banker",
    ]
    assert faults_of(hand("P3 xia 2, P3 xia 2"), {"P3": 3})[0].text == "P3 bets 2 silver; he has only 1 left to bet"
    assert faults_of(replace(LEGAL, bets=(Bet("P1", 9, 1),)))[0].text == "P1 bets on 9; the doors are shang, tian, xia"


@st.composite
def spoiled_hands(draw):
    """A legal hand broken in one place, and the fault that must be found."""
    rules = draw(all_rules)
    record, silver = draw(legal_hands(rules))
    spoiler = draw(
        st.sampled_from(["lose", "another's card", "no card", "joker", "banker", "door", "zero", "cap", "own"])
    )
    door = draw(st.sampled_from(Door))
    first = getattr(record.deal, door).split(" ")[0]
    made = list(record.bets)
    index = draw(st.integers(0, len(made)))
    extra = {
        "banker": Bet("Z", door, 1),
        "door": Bet("P1", 4, 1),
        "zero": Bet("P1", door, draw(st.integers(-5, 0))),
        "cap": Bet("P9", door, silver["Z"] + 1),
        "own": Bet("P9", door, 2),
    }.get(spoiler)
    if extra:
        made.insert(index, extra)
        if spoiler == "own":
            # Room under the cap, so that only his own silver is too small.
            silver = {**silver, "P9": 1, "Z": silver["Z"] + 6}
        return (
            replace(record, bets=tuple(made)),
            rules,
            silver,
            ("JD-1" if spoiler in ("banker", "door") else "JD-2", extra.player, index),
        )
    card = {"another's card": record.deal.banker.split(" ")[0], "no card": "1x"}.get(spoiler)
    if spoiler == "joker":
        joker = draw(st.sampled_from("wW").filter(lambda text: text not in str(record.deal)))
        return (
            replace(record, deal=replace(record.deal, turned_card=joker)),
            rules,
            silver,
            ("JD-11", "turned_card", joker),
        )
    cards = f"{first} {card}" if card else first
    expected = ("JD-1", door.value, card) if card else ("JD-1", door.value)
    return replace(record, deal=replace(record.deal, **{door.value: cards})), rules, silver, expected


@settings(max_examples=150, deadline=None)
@given(spoiled_hands())
def test_jd_1_to_jd_11__a_hand_spoiled_in_one_place_is_refused_for_it(spoiled):
    record, rules, silver, expected = spoiled

    assert places(judge(record, rules, 1, silver)) == [expected]


@settings(max_examples=60, deadline=None)
@given(all_rules.flatmap(lambda rules: legal_hands(rules).map(lambda drawn: (rules, *drawn))))
def test_jd_1__a_legal_hand_has_no_fault(drawn):
    rules, record, silver = drawn

    assert isinstance(judge(record, rules, 1, silver), Verdict)


@settings(max_examples=40, deadline=None)
@given(
    st.builds(
        JiuDianBanHand,
        st.sampled_from(["", "Z"]),
        st.lists(st.builds(Bet, st.sampled_from(["Z", "P"]), st.integers(0, 4), st.integers(-3, 3)), max_size=4).map(
            tuple
        ),
        st.builds(Deal, *[st.text("9sK hw", max_size=6)] * 5),
        st.lists(st.sampled_from("ZPQR"), max_size=5).map(tuple),
    ),
    st.integers(-1, 2),
)
def test_cm_5__a_record_of_any_shape_is_judged_without_an_error(record, stake):
    assert judge(record, JiuDianBanRules(), stake, {"Z": 5})


def test_game__describes_itself():
    assert (GAME.name, GAME.title) == ("jiu_dian_ban", "九點半")
    assert GAME.house_rules() == JiuDianBanRules(
        card_values=CardValues.J1_Q1_KHALF,
        pair_ranking=PairRanking.EQUAL,
        bet_cap=BetCap.BANKER_SILVER,
        banker_mode=BankerMode.SEATS,
    )
    assert GAME.needs_silver
    assert GAME.has_levels


small_bets = st.lists(
    st.builds(Bet, st.sampled_from(["Z", "P1", "P2"]), st.sampled_from([*Door, 7]), st.integers(-1, 4)), max_size=8
).map(tuple)


@settings(max_examples=150, deadline=None)
@given(small_bets, st.integers(0, 12), st.integers(0, 6), st.integers(1, 2))
def test_jd_2__all_bets_at_once_are_judged_as_one_by_one(made, banker_silver, bettor_silver, stake):
    accepted, refused = [], []
    for index, bet in enumerate(made):
        total = sum(other.silver for other in accepted)
        own = sum(other.silver for other in accepted if other.player == "P1")
        is_good = bet.player != "Z" and bet.door != 7 and bet.silver >= stake and total + bet.silver <= banker_silver
        if is_good and (bet.player != "P1" or own + bet.silver <= bettor_silver):
            accepted.append(bet)
        else:
            refused.append(index)

    result = judge(replace(hand(), bets=made), JiuDianBanRules(), stake, {"Z": banker_silver, "P1": bettor_silver})

    assert [fault.bet for fault in result] == refused if refused else isinstance(result, Verdict)


def test_jd_2__a_bet_that_was_weighed_when_it_was_made_stands_whatever_became_of_the_silver():
    record = replace(hand("P1 shang 60, P2 xia 60, P3 tian 1"), weighed_bet_count=2)

    assert places(faults_of(record, {"Z": 100})) == [("JD-2", "P3", 2)]
    assert faults_of(replace(record, weighed_bet_count=3), {"Z": 100}) == ()
