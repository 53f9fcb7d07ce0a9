"""A hand that arrives piece by piece, and the law that it ends like the same hand at once."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.rules.bi_ji.tables import all_rules, hand, legal_hands, places
from zhangfang.rules.cards import cards_text, parse_cards
from zhangfang.rules.game import Opening, Progress
from zhangfang.rules.games.bi_ji import GAME
from zhangfang.rules.games.bi_ji.laying import lay_cards
from zhangfang.rules.games.bi_ji.record import BiJiHand, BiJiRules, Deal, Ending, LateLayout, Layout, LayoutChoice

RULES = BiJiRules()
PLAYERS = ("A", "B")
DEALT = Deal(("Ah Kd 9c 2s 2h 5d 8s 8h 4c", "As Kc 8d 6s 6h 3d 7s 7h 3c"))
A_LAYS = LayoutChoice(("Ah Kd 9c", "2s 2h 5d", "8s 8h 4c"))
B_LAYS = LayoutChoice(("As Kc 8d", "6s 6h 3d", "7s 7h 3c"))


def dealt():
    return GAME.deal(GAME.begin(PLAYERS), DEALT, RULES)


def choose(record, player, *groups):
    return GAME.choose(record, player, LayoutChoice(groups), RULES, 10, {})


@settings(max_examples=40, deadline=None)
@given(legal_hands(RULES), st.randoms(use_true_random=False))
def test_bj_2__a_hand_fed_piece_by_piece_ends_like_the_same_hand_at_once(whole, random):
    cards = [" ".join(layout.groups).split(" ") for layout in whole.layouts]
    for hand_cards in cards:
        random.shuffle(hand_cards)
    order = list(range(len(whole.players)))
    random.shuffle(order)

    record = GAME.deal(GAME.begin(whole.players), Deal(tuple(map(" ".join, cards))), RULES)
    for seat in order:
        record = GAME.choose(record, whole.players[seat], LayoutChoice(whole.layouts[seat].groups), RULES, 10, {})
    record = GAME.finish(record, Ending(), RULES)

    assert record == whole
    assert GAME.judge(record, RULES, 10, {}) == GAME.judge(whole, RULES, 10, {})


@settings(max_examples=30, deadline=None)
@given(all_rules, st.data())
def test_bj_2__who_is_late_is_laid_or_refused_when_the_hand_finishes(rules, data):
    whole = data.draw(legal_hands(rules))
    late = data.draw(st.sets(st.sampled_from(whole.players)))
    record = GAME.begin(whole.players)

    record = GAME.deal(record, Deal(tuple(" ".join(layout.groups) for layout in whole.layouts)), rules)
    for player, layout in zip(whole.players, whole.layouts, strict=True):
        if player not in late:
            record = GAME.choose(record, player, LayoutChoice(layout.groups), rules, 10, {})
    result = GAME.judge(GAME.finish(record, Ending(), rules), rules, 10, {})

    if late and rules.late_layout is LateLayout.REFUSE:
        assert places(result) == [("BJ-2", player) for player in whole.players if player in late]
        return
    for player, layout, judged in zip(whole.players, whole.layouts, result.outcome.layouts, strict=True):
        by_the_service = lay_cards(parse_cards(" ".join(layout.groups)), rules)
        assert judged == (Layout(tuple(map(cards_text, by_the_service))) if player in late else layout)


@pytest.mark.parametrize(
    ("hands", "expected"),
    [
        pytest.param(DEALT.hands[:1], [("BJ-1",)], id="a hand too few"),
        pytest.param((*DEALT.hands, "Qs"), [("BJ-1",)], id="a hand too many"),
        pytest.param((DEALT.hands[0], DEALT.hands[1] + " Qs"), [("BJ-1", "B")], id="ten cards"),
        pytest.param((DEALT.hands[0], ""), [("BJ-1", "B")], id="no cards"),
        pytest.param((DEALT.hands[0], DEALT.hands[1].replace("3c", "Ah")), [("BJ-1", "B", "Ah")], id="a card twice"),
        pytest.param((DEALT.hands[0].replace("Ah", "Ax"), DEALT.hands[1]), [("BJ-1", "A", "Ax")], id="no card"),
        pytest.param(
            ("Ax", "As Ax"), [("BJ-1", "A"), ("BJ-1", "B"), ("BJ-1", "A", "Ax"), ("BJ-1", "B", "Ax")], id="all"
        ),
    ],
)
def test_bj_1__a_faulty_deal_is_refused(hands, expected):
    assert places(GAME.deal(GAME.begin(PLAYERS), Deal(hands), RULES)) == expected


def test_bj_1__a_hand_is_dealt_once():
    assert places(GAME.deal(dealt(), DEALT, RULES)) == [("BJ-1",)]


@pytest.mark.parametrize(
    ("player", "groups", "expected"),
    [
        pytest.param("C", A_LAYS.groups, [("BJ-1", "C")], id="no seat"),
        pytest.param("B", B_LAYS.groups, [("BJ-2", "B")], id="laid already"),
        pytest.param("A", ("Ah Kd 9c", "2s 2h 5d", "8s 8h"), [("BJ-1", "A")], id="eight cards"),
        pytest.param("A", ("Ah Kd", "9c 2s 2h 5d", "8s 8h 4c"), [("BJ-2", "A")], id="not 3 + 3 + 3"),
        pytest.param("A", ("8s 8h 4c", "2s 2h 5d", "Ah Kd 9c"), [("BJ-2", "A")], id="not ascending"),
        pytest.param("A", ("Ah Kd 9c", "2s 2h 5d", "8s 8h 4d"), [("BJ-1", "A", 3, "4d")], id="not his card"),
        pytest.param("A", ("Ah Kd 9c", "2s 2h 2h", "8s 8h 4c"), [("BJ-1", "A", 2, "2h")], id="a card twice"),
        pytest.param("A", ("Ah Kd 9x", "2s 2h 5d", "8s 8h 4c"), [("BJ-1", "A", 1, "9x")], id="no card"),
        pytest.param("A", ("Ah Kd 9d", "2s"), [("BJ-1", "A"), ("BJ-1", "A", 1, "9d")], id="too few and not his"),
    ],
)
def test_bj_2__a_faulty_layout_is_refused_when_it_is_chosen(player, groups, expected):
    record = choose(dealt(), "B", *B_LAYS.groups)

    assert places(choose(record, player, *groups)) == expected


def test_bj_1__nobody_lays_before_the_deal():
    assert places(choose(GAME.begin(PLAYERS), "A", *A_LAYS.groups)) == [("BJ-1", "A")]


def test_bj_1__a_hand_that_finishes_before_the_deal_has_no_cards():
    record = GAME.finish(GAME.begin(PLAYERS), Ending(), RULES)

    assert places(GAME.judge(record, RULES, 10, {})) == [("BJ-1", "A"), ("BJ-1", "B")]


def test_bj_2__the_progress_names_the_deal_then_who_has_not_laid():
    sitting = GAME.begin(PLAYERS)
    one_laid = choose(dealt(), "B", *B_LAYS.groups)
    all_laid = choose(one_laid, "A", *A_LAYS.groups)

    assert GAME.progress(sitting, RULES) == Progress("deal", ())
    assert GAME.progress(dealt(), RULES) == Progress("layout", (Opening("A", ("layout",)), Opening("B", ("layout",))))
    assert GAME.progress(one_laid, RULES) == Progress("layout", (Opening("A", ("layout",)),))
    assert GAME.progress(all_laid, RULES) == Progress("finish", ())
    assert all_laid == BiJiHand(PLAYERS, hand(" | ".join(A_LAYS.groups), " | ".join(B_LAYS.groups)).layouts)
