"""Royalties: what is one, what just is not, and every combination of ranks for the counted ones."""

from itertools import combinations_with_replacement

import pytest

from tests.rules.bi_ji.tables import hand, judged
from zhangfang.rules.cards import parse_cards
from zhangfang.rules.games.bi_ji.royalties import find_royalties

LOW_KEYS = (0, 0, 0)


def royalties(cards):
    held = sum(1 << card for card in parse_cards(cards))
    return [(royalty.name, royalty.units) for royalty in find_royalties(held, LOW_KEYS, wins_all_pots=False)]


@pytest.mark.parametrize(
    ("cards", "expected"),
    [
        pytest.param("2s 3s 5s 7c 9c Jc Ks As 4c", ["all_black"], id="all black"),
        pytest.param("2s 3s 5s 7c 9c Jc Ks As w", ["all_black"], id="all black with the small joker"),
        pytest.param("2s 3s 5s 7c 9c Jc Ks As W", [], id="the big joker is not black"),
        pytest.param("2h 3h 5h 7d 9d Jd Kh Ah 4d", ["all_red"], id="all red"),
        pytest.param("2h 3h 5h 7d 9d Jd Kh Ah W", ["all_red"], id="all red with the big joker"),
        pytest.param("2h 3h 5h 7d 9d Jd Kh Ah w", [], id="the small joker is not red"),
        pytest.param("2s 3s 5s 7c 9c Jc Ks As 4h", [], id="eight black cards"),
    ],
)
def test_bj_16__nine_cards_of_one_colour(cards, expected):
    assert [name for name, _ in royalties(cards)] == expected


@pytest.mark.parametrize(
    ("cards", "is_royalty"),
    [
        pytest.param("Ah 2s 3s 4s 5s 6s 7s 8s 9s", True, id="A to 9"),
        pytest.param("2h 3s 4s 5s 6s 7s 8s 9s Ts", True, id="2 to 10"),
        pytest.param("3h 4s 5s 6s 7s 8s 9s Ts Js", True, id="3 to J"),
        pytest.param("4h 5s 6s 7s 8s 9s Ts Js Qs", True, id="4 to Q"),
        pytest.param("5h 6s 7s 8s 9s Ts Js Qs Ks", True, id="5 to K"),
        pytest.param("6h 7s 8s 9s Ts Js Qs Ks As", True, id="6 to A"),
        pytest.param("7h 8s 9s Ts Js Qs Ks As 2s", False, id="not round the ace"),
        pytest.param("2h 3s 4s 5s 6s 7s 8s 9s Js", False, id="a gap"),
        pytest.param("2h 3s 4s 5s 6s 7s 8s 9s w", False, id="no joker"),
        pytest.param("2h 3s 4s 5s 6s 7s 8s 9s 9d", False, id="a rank twice"),
    ],
)
def test_bj_17__nine_ranks_in_a_row(cards, is_royalty):
    assert (("nine_straight", 1) in royalties(cards)) == is_royalty


@pytest.mark.parametrize(
    ("cards", "expected"),
    [
        pytest.param("5s 5h 5c 5d 2h 3s 7d 9c Kh", [("four_of_a_kind", 1)], id="one four"),
        pytest.param("5s 5h 5c 5d 9h 9s 9d 9c Kh", [("four_of_a_kind", 2)], id="two fours"),
        pytest.param("5s 5h 5c 5d 9h 9s 9d 9c w", [("four_of_a_kind", 2)], id="two fours and a joker"),
        pytest.param("5s 5h 5c 5d 9h 9s 9d 2c 2d", [("four_of_a_kind", 1)], id="four, three and two"),
        pytest.param("5s 5h 5c w W 9s 9d 2c 3d", [], id="three and the jokers"),
    ],
)
def test_bj_18__each_rank_held_four_times_is_a_unit(cards, expected):
    assert royalties(cards) == expected


def test_bj_18_and_bj_21__for_every_way_to_hold_nine_cards_by_rank():
    suits = "shcd"
    counted = 0
    for counts in combinations_with_replacement(range(5), 9):
        if sum(counts) != 9:
            continue
        cards = [f"{'A23456789'[rank]}{suits[suit]}" for rank, count in enumerate(counts) for suit in range(count)]

        found = dict(royalties(" ".join(cards)))

        assert found.get("four_of_a_kind", 0) == counts.count(4)
        assert ("three_triples" in found) == (counts.count(3) == 3)
        counted += 1
    assert counted == 18


@pytest.mark.parametrize(
    ("cards", "is_royalty"),
    [
        pytest.param("2s 2h 2c 9d 9h 9c Kd Kh Kc", True, id="three ranks three times"),
        pytest.param("2s 2h 2c 9d 9h 9c Kd Kh w", False, id="a joker is no third king"),
        pytest.param("2s 2h 2c 9d 9h 9c Kd Kh 2d", False, id="four, three and two"),
    ],
)
def test_bj_21__three_triples(cards, is_royalty):
    assert (("three_triples", 3) in royalties(cards)) == is_royalty


def test_bj_19__a_scoop_is_winning_every_pot():
    winner = "2s 2h 9d | Ts Td 9c | As Ac Kd"
    loser = "2c 3h 5d | 6s 8d 9h | 7s 7d 5c"

    verdict = judged(hand(winner, loser), stake=5)

    assert [(royalty.player, royalty.name) for royalty in verdict.outcome.royalties] == [("A", "scoop")]


def test_bj_20__a_straight_flush_in_pot_1_need_not_win():
    beaten = "4h 5h 6h | 7s 8s 9s | Jc Qc Kc"
    better = "5s 6s 7c | 8h 9h Th | 2s 2h 2d"
    best = "4s 5c 6d | Ts Tc Td | Ks Kh Kd"

    lost = judged(hand(beaten.replace("4h 5h 6h", "2c 3c 4c"), "3s 4s 5s | 8h 9h Th | 2s 2h 2d"))
    won = judged(hand(beaten, better, best))

    assert ("A", "front_straight_flush") in [(royalty.player, royalty.name) for royalty in lost.outcome.royalties]
    assert lost.outcome.pots[0].ranking == ("B", "A")
    assert [royalty.units for royalty in won.outcome.royalties if royalty.name == "front_straight_flush"] == [2]
    assert won.outcome.pots[0].ranking[0] == "A"


def test_bj_15__royalties_of_one_player_add_up():
    everything = "As 2s 3s | 4s 5s 6s | 7s 8s 9s"
    nothing = "2h 5d Jc | 3h 3d Qc | 4h 4d Kc"

    verdict = judged(hand(everything, nothing), stake=10)

    assert [(royalty.name, royalty.units) for royalty in verdict.outcome.royalties] == [
        ("all_black", 1),
        ("nine_straight", 1),
        ("scoop", 1),
        ("front_straight_flush", 2),
    ]
    assert [step.amount for step in verdict.steps] == [10, 10, 10, 10, 10, 10, 20]
