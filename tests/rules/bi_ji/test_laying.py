"""How the service lays for who did not lay in time."""

from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.rules.bi_ji.tables import all_rules, hand, judged, places
from zhangfang.rules.cards import cards_text, parse_cards
from zhangfang.rules.games.bi_ji.groups import STRENGTHS, group_key
from zhangfang.rules.games.bi_ji.judge import judge
from zhangfang.rules.games.bi_ji.laying import lay_cards
from zhangfang.rules.games.bi_ji.record import BiJiRules, FlushCompare, LateLayout

OTHER = "3d Ac 3h | Jd Jh Kc | w 7s Qs"


@pytest.mark.parametrize(
    ("cards", "laid"),
    [
        pytest.param(
            "2s 2h 2d 9s Tc Jd 4h 6s Kc", ("Kc 6s 4h", "Jd Tc 9s", "2h 2s 2d"), id="the best, then the best of six"
        ),
        pytest.param(
            "Kh 9h 7h 9s 9d 2c 4s 5d Tc", ("5d 4s 2c", "Kh Tc 7h", "9h 9s 9d"), id="three of a kind before a flush"
        ),
        pytest.param(
            "Ah Kh 9h 8h 8s 8d 3c 4d 6s",
            ("6s 4d 3c", "Ah Kh 9h", "8h 8s 8d"),
            id="the best group takes the card the next would want",
        ),
        pytest.param(
            "Kh 9h 7h 6h 9s 6d 7c 2c 3s",
            ("6d 3s 2c", "9h 9s 7c", "Kh 7h 6h"),
            id="of equal flushes the one that leaves the better pair",
        ),
        pytest.param(
            "Kh Qh 9h 7h 2s 4d 5c 8d Jc",
            ("5c 4d 2s", "Qh Jc 8d", "Kh 9h 7h"),
            id="of equal flushes the one that leaves the better high card",
        ),
        pytest.param(
            "8h 8s 8d 8c 7h 7s 7d 2c 3d",
            ("8c 3d 2c", "7h 7s 7d", "8h 8s 8d"),
            id="of equal threes the higher suits where the next pot is the same",
        ),
    ],
)
def test_bj_2__auto_lays_the_best_group_last(cards, laid):
    rules = BiJiRules(late_layout=LateLayout.AUTO)

    groups = lay_cards(parse_cards(cards), rules)

    assert tuple(map(cards_text, groups)) == laid


@settings(max_examples=60, deadline=None)
@given(st.permutations(range(54)), all_rules)
def test_bj_2__what_the_service_lays_is_the_first_by_the_page(pack, rules):
    cards = pack[:9]

    front, middle, back = lay_cards(cards, rules)

    def rank_and_suit(group):
        strengths = sorted((STRENGTHS[card] for card in group), reverse=True)
        return [strength >> 2 for strength in strengths], [strength & 3 for strength in strengths]

    def best(among):
        return max(group_key(*group, rules) for group in combinations(among, 3))

    def choice(group, among):
        left = set(among) - set(group)
        return group_key(*group, rules), best(left), *rank_and_suit(group)

    others = set(cards) - set(back)
    assert choice(back, cards) == max(choice(group, cards) for group in combinations(cards, 3))
    assert choice(middle, others) == max(choice(group, others) for group in combinations(others, 3))
    assert sorted([*front, *middle, *back]) == sorted(cards)
    assert group_key(*front, rules) <= group_key(*middle, rules) <= group_key(*back, rules)


@settings(max_examples=30, deadline=None)
@given(st.permutations(range(54)), st.permutations(range(9)), all_rules)
def test_bj_2__the_order_in_which_cards_were_dealt_does_not_matter(pack, order, rules):
    cards = pack[:9]

    shuffled = [cards[place] for place in order]

    assert lay_cards(cards, rules) == lay_cards(shuffled, rules)


def test_bj_2__a_hand_laid_by_the_service_reports_the_layout():
    late = "2s 2h 2d 9s Tc Ad 4h 6s Kh"

    verdict = judged(hand(late, OTHER), late_layout=LateLayout.AUTO)

    assert verdict.outcome.layouts[0].groups == ("9s 6s 4h", "Ad Kh Tc", "2h 2s 2d")
    assert verdict.outcome.layouts[0].unlaid == ""
    assert verdict.outcome.pots[2].groups[0] == "three_of_a_kind"


def test_bj_2__a_layout_that_came_in_time_is_not_laid_anew():
    in_time = "4h 6s 9s | Tc Kh Ad | 2s 2h 2d"

    verdict = judged(hand(in_time, OTHER), late_layout=LateLayout.AUTO, flush_compare=FlushCompare.TOP_THEN_SUIT)

    assert verdict.outcome.layouts[0].groups == ("4h 6s 9s", "Tc Kh Ad", "2s 2h 2d")


@pytest.mark.parametrize(
    ("late", "late_layout", "expected"),
    [
        pytest.param("2s 2h 2d 9s Tc Ad 4h 6s Kh", LateLayout.REFUSE, ("BJ-2", "A"), id="refused at most tables"),
        pytest.param("2s 2h 2d 9s Tc Ad 4h 6s", LateLayout.AUTO, ("BJ-1", "A"), id="eight cards"),
        pytest.param("2s 2h 2d 9s Tc Ad 4h 6s 6s", LateLayout.AUTO, ("BJ-1", "A", "6s"), id="a card twice"),
        pytest.param("2s 2h 2d 9s Tc Ad 4h 6s 1s", LateLayout.AUTO, ("BJ-1", "A", "1s"), id="no card"),
    ],
)
def test_bj_2__a_missing_layout_can_be_a_fault(late, late_layout, expected):
    faults = judge(hand(late, OTHER), BiJiRules(late_layout=late_layout), 1, {})

    assert places(faults) == [expected]
