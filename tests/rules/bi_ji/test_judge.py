"""What the judge refuses: one fault a row, then several, then whatever generated hands are spoiled with."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.rules.bi_ji.tables import all_rules, hand, layout, legal_hands, places
from zhangfang.rules.cards import CARDS
from zhangfang.rules.games.bi_ji import GAME
from zhangfang.rules.games.bi_ji.judge import judge
from zhangfang.rules.games.bi_ji.record import BiJiHand, BiJiRules, FlushCompare, LateLayout, Layout
from zhangfang.rules.verdict import Verdict

A, B, C = "Ah Kd 9c | 2s 2h 5d | 8s 8h 4c", "As Kc 8d | 6s 6h 3d | 7s 7h 3c", "Qd Jc 9h | 5s 5h Td | 9s 9d Th"
LEGAL = hand(A, B, C)


def faults_of(record, stake=10, **house_rules):
    result = judge(record, BiJiRules(**house_rules), stake, {})
    return [] if isinstance(result, Verdict) else result


def sits(*players):
    return BiJiHand(players, tuple(layout(text) for text in (A, B, C)[: len(players)]))


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        pytest.param(LEGAL, [], id="nothing"),
        pytest.param(sits("A"), [("BJ-1",)], id="one player"),
        pytest.param(BiJiHand(()), [("BJ-1",)], id="nobody"),
        pytest.param(
            BiJiHand(tuple("ABCDEF")),
            [("BJ-1",), *[("BJ-1", player) for player in "ABCDEF"]],
            id="six players, and nothing laid",
        ),
        pytest.param(BiJiHand(("A", "B"), LEGAL.layouts), [("BJ-1",)], id="a layout too many"),
        pytest.param(sits("A", "B", "A"), [("BJ-1", "A")], id="a player sits twice"),
        pytest.param(sits("A", "A", "A"), [("BJ-1", "A"), ("BJ-1", "A")], id="a player sits three times"),
        pytest.param(hand(A, "As Kc | 6s 6h 3d | 7s 7h 3c", C), [("BJ-1", "B")], id="eight cards"),
        pytest.param(hand(A, "As Kc 8d | 6s 6h 3d | 7s 7h 3c Ks", C), [("BJ-1", "B")], id="ten cards"),
        pytest.param(hand(A, "As Kc 8d | 6s 6h 3d", C), [("BJ-1", "B")], id="a group is missing"),
        pytest.param(BiJiHand(tuple("ABC"), LEGAL.layouts[:2]), [("BJ-1", "C")], id="a layout is missing"),
        pytest.param(hand(A, "As Kc | 6s 6h 3d 8d | 7s 7h 3c", C), [("BJ-2", "B")], id="two and four cards"),
        pytest.param(hand(A, "As Kc 8d | 6s 6h 3d | 7s 7h | 3c", C), [("BJ-2", "B")], id="four groups"),
        pytest.param(
            BiJiHand(tuple("AB"), (layout(A), Layout(("As Kc 8d",), "6s 6h 3d 7s 7h 3c"))),
            [("BJ-2", "B")],
            id="some cards laid and some not",
        ),
        pytest.param(hand(A, B, C.replace("9s", "Ah")), [("BJ-1", "C", 3, "Ah")], id="another's card"),
        pytest.param(hand(A, B.replace("3c", "8d"), C), [("BJ-1", "B", 3, "8d")], id="a card twice in one hand"),
        pytest.param(hand(A.replace("9c", "9x"), B, C), [("BJ-1", "A", 1, "9x")], id="no card"),
        pytest.param(hand(A, B.replace("6h", "10h"), C), [("BJ-1", "B", 2, "10h")], id="ten is T"),
        pytest.param(hand("2s 2h 5d | Ah Kd 9c | 8s 8h 4c", B, C), [("BJ-2", "A")], id="pots 1 and 2 exchanged"),
        pytest.param(hand("Ah Kd 9c | 8s 8h 4c | 2s 2h 5d", B, C), [("BJ-2", "A")], id="pots 2 and 3 exchanged"),
    ],
)
def test_bj_1_and_bj_2__one_fault_at_a_time(record, expected):
    assert places(faults_of(record)) == expected


def test_bj_1__a_hundred_thousand_players_are_told_apart_as_quickly_as_they_are_read():
    # Whoever compares each with all before him takes minutes here, and the test's time runs out.
    record = BiJiHand((*map(str, range(100_000)), "7"))

    faults = faults_of(record)

    assert faults[0].text == "a hand has 2 to 5 players, not 100001"
    assert [fault.text for fault in faults if fault.action is not None] == [
        "7 sits on seats 7 and 100000; a player has one seat"
    ]


@pytest.mark.parametrize(
    ("stake", "house_rules", "expected"),
    [
        pytest.param(1, {}, [], id="a stake of 1"),
        pytest.param(0, {}, [("CM-9", "stake")], id="a stake of 0"),
        pytest.param(-5, {}, [("CM-9", "stake")], id="a negative stake"),
        pytest.param(1, {"flush_compare": 3}, [("CM-4", "flush_compare")], id="an unknown comparison"),
        pytest.param(1, {"late_layout": 9}, [("CM-4", "late_layout")], id="an unknown way with late layouts"),
        pytest.param(
            0,
            {"flush_compare": 3, "late_layout": 9},
            [("CM-9", "stake"), ("CM-4", "flush_compare"), ("CM-4", "late_layout")],
            id="everything",
        ),
    ],
)
def test_cm_4_and_cm_9__settings_out_of_range(stake, house_rules, expected):
    assert places(faults_of(LEGAL, stake, **house_rules)) == expected


def test_cm_5__all_faults_are_collected_in_their_order():
    record = BiJiHand(
        ("A", "B", "C", "D", "E", "A"),
        tuple(
            layout(text)
            for text in (
                "2s 2h 5d | Ah Kd 9c | 8s 8h 4c",
                "As Kc | 6s 6h 3d | 7s 7h 3c Ah",
                "Qd Jc | 5s 5h Td | 9s 9d Th",
                "Jd Js 6c | 5c 7d Ts | Qs Qh 4d",
                "2c 3h Xs | 9h Tc Jh | Ks Kh 6d",
                "4s 5d 7c | 9x Ad 2d | Ac W w",
                "3s",
            )
        ),
    )

    faults = faults_of(record, stake=0, flush_compare=5)

    assert places(faults) == [
        ("BJ-1",),
        ("BJ-1",),
        ("BJ-1", "A"),
        ("CM-9", "stake"),
        ("CM-4", "flush_compare"),
        ("BJ-2", "B"),
        ("BJ-1", "C"),
        ("BJ-1", "B", 3, "Ah"),
        ("BJ-1", "E", 1, "Xs"),
        ("BJ-1", "A", 1, "5d"),
        ("BJ-1", "A", 2, "9x"),
        ("BJ-2", "A"),
        ("BJ-2", "D"),
    ]


def test_cm_5__every_fault_says_what_would_be_right():
    record = hand("2s 2h 5d | Ah Kd 9c | 8s 8h 4c", "As Kc | 6s 6h 3d 8d | 7s 7h 3c", "Qd Jc 9h | 5s 5h Td | 9s 9d Ah")

    assert [fault.text for fault in faults_of(record)] == [
        "B laid his cards 2 + 4 + 3; they are laid 3 + 3 + 3",
        "Ah in C's pot 3 is there a second time; a pack holds every card once",
        "A laid pair in pot 1 before the lower high_card in pot 2; the groups ascend",
    ]


@st.composite
def spoiled_hands(draw):
    """A legal hand broken in one place, and the fault that must be found."""
    rules = draw(all_rules)
    record = draw(legal_hands(rules))
    seat = draw(st.integers(0, len(record.players) - 1))
    player = record.players[seat]
    groups = [group.split(" ") for group in record.layouts[seat].groups]
    pot, place = draw(st.integers(0, 2)), draw(st.integers(0, 2))
    spoiler = draw(st.sampled_from(["exchange", "another's card", "no card", "lose", "move"]))
    if spoiler == "exchange":
        other = draw(st.sampled_from([other for other in range(3) if other != pot]))
        groups[pot], groups[other] = groups[other], groups[pot]
        expected = ("BJ-2", player)
    elif spoiler == "another's card":
        other_seat = draw(st.integers(0, len(record.players) - 1).filter(lambda other: other != seat))
        stolen = draw(st.sampled_from(" ".join(record.layouts[other_seat].groups).split(" ")))
        groups[pot][place] = stolen
        expected = ("BJ-1", player, pot + 1, stolen)
        if other_seat > seat:
            victim = [stolen in group for group in record.layouts[other_seat].groups].index(True)
            expected = ("BJ-1", record.players[other_seat], victim + 1, stolen)
    elif spoiler == "no card":
        groups[pot][place] = draw(st.text("23456789TJQKAshcdwW", max_size=3).filter(lambda text: text not in CARDS))
        expected = ("BJ-1", player, pot + 1, groups[pot][place])
    elif spoiler == "lose":
        del groups[pot][place]
        expected = ("BJ-1", player)
    else:
        groups[(pot + 1) % 3].append(groups[pot].pop(place))
        expected = ("BJ-2", player)
    laid = Layout(tuple(" ".join(group) for group in groups))
    layouts = (*record.layouts[:seat], laid, *record.layouts[seat + 1 :])
    return BiJiHand(record.players, layouts), rules, expected


@settings(max_examples=150, deadline=None)
@given(spoiled_hands())
def test_bj_1_and_bj_2__a_hand_spoiled_in_one_place_is_refused_for_it(spoiled):
    record, rules, expected = spoiled

    faults = judge(record, rules, 10, {})

    assert expected in places(faults)
    # A card put in another's place can leave that layout unordered; nothing else is wrong.
    assert {fault.rule for fault in faults} <= {expected[0], "BJ-2"}


@settings(max_examples=40, deadline=None)
@given(st.lists(st.lists(st.text("2sTh w|", max_size=9), max_size=4), max_size=6), st.integers(-2, 2), all_rules)
def test_cm_5__a_record_of_any_shape_is_judged_without_an_error(layouts, stake, rules):
    record = BiJiHand(tuple("ABCDE"[: len(layouts)]), tuple(Layout(tuple(groups)) for groups in layouts))

    assert judge(record, rules, stake, {})


def test_game__describes_itself():
    assert (GAME.name, GAME.title, GAME.seats_min, GAME.seats_max) == ("bi_ji", "比機", 2, 5)
    assert GAME.house_rules() == BiJiRules(
        joker_pair=True, flush_compare=FlushCompare.TOP_THEN_SUIT, late_layout=LateLayout.REFUSE
    )
    assert GAME.has_levels
    assert not GAME.needs_silver
