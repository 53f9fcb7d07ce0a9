"""All 1,431 hands of two cards, against a slow reading of the page and pinned by digests."""

from hashlib import sha256
from itertools import combinations, groupby

import pytest

from zhangfang.rules.cards import TEXTS, cards_text, parse_cards
from zhangfang.rules.games.jiu_dian_ban.hands import (
    half_points_of,
    hand_class,
    hand_strength,
    hand_text,
    hand_title,
    payout_of,
)
from zhangfang.rules.games.jiu_dian_ban.record import CardValues, JiuDianBanRules, PairRanking

HANDS = list(combinations(range(54), 2))
HOUSE_RULES = {
    f"{values}, {ranking}": JiuDianBanRules(card_values=values, pair_ranking=ranking)
    for values in CardValues
    for ranking in PairRanking
}
# Of all hands from low to high, a class of equal hands a line: JD-3 … JD-7 cannot change unnoticed.
DIGESTS = {
    "J1_Q1_KHALF, EQUAL": "3aa0e89deb337b96398f6d1fe05ab486f864b6791f0518bac211b8b08cdb196c",
    "J1_Q1_KHALF, BY_RANK": "d2c1f908c84fb0d38ca4fbf739e2cc34f63a886913c1602ab6985f69fdd609e8",
    "J1_Q2_K3, EQUAL": "7fd77b53d81969b1414fbfa9c6c27e02a93d3c91c8cc112894768ac82c2836e9",
    "J1_Q2_K3, BY_RANK": "0f05fc9020ab43393d44c0358f08176aab661dd40d736de210dc35f196c52591",
}
CLASSES_UPWARDS = ["points", "pair", "nine_and_half", "joker_pair"]


def strength(text, rules=HOUSE_RULES["J1_Q1_KHALF, EQUAL"]):
    return hand_strength(*parse_cards(text), rules)


def slow_strength(texts, rules):
    """The page, sentence by sentence: class, then what it is compared by, and its half points."""
    ranks = sorted(text[0] for text in texts)
    values = {rank: 2 * number for number, rank in enumerate("A23456789T", 1)} | {"w": 1, "W": 1}
    is_seed_s_door_part = rules.card_values == "J1_Q1_KHALF"
    values |= {"J": 2, "Q": 2, "K": 1} if is_seed_s_door_part else {"J": 2, "Q": 4, "K": 6}
    if ranks == ["W", "w"]:
        return (3,), None
    if "9" in ranks and ({"w", "W"} & set(ranks) or ("K" in ranks and is_seed_s_door_part)):
        return (2,), 19
    if ranks[0] == ranks[1]:
        return (1, "23456789TJQKA".index(ranks[0]) if rules.pair_ranking == "BY_RANK" else 0), None
    half_points = sum(values[rank] for rank in ranks)
    while half_points >= 20:
        half_points -= 20
    return (0, half_points), half_points


@pytest.mark.parametrize("rules", HOUSE_RULES.values(), ids=HOUSE_RULES)
def test_jd_3_to_jd_7__every_hand_stands_where_the_page_puts_it(rules):
    fast = {cards: hand_strength(*cards, rules) for cards in HANDS}
    slow = {cards: slow_strength([TEXTS[card] for card in cards], rules) for cards in HANDS}

    order = {key: place for place, key in enumerate(sorted({key for key, _ in slow.values()}))}
    fast_order = {key: place for place, key in enumerate(sorted(set(fast.values())))}

    assert len(HANDS) == 1_431
    for cards in HANDS:
        key, half_points = slow[cards]
        assert fast_order[fast[cards]] == order[key]
        assert hand_class(fast[cards]) == CLASSES_UPWARDS[key[0]]
        assert half_points_of(fast[cards]) == half_points
        assert fast[cards] == hand_strength(cards[1], cards[0], rules)


@pytest.mark.parametrize("name", HOUSE_RULES)
def test_jd_3_to_jd_7__the_order_of_all_hands_is_pinned(name):
    keys = {cards: hand_strength(*cards, HOUSE_RULES[name]) for cards in HANDS}
    classes = groupby(sorted(HANDS, key=lambda cards: (keys[cards], cards)), key=keys.__getitem__)

    lines = "\n".join(" = ".join(cards_text(cards) for cards in equals) for _, equals in classes)

    assert sha256(lines.encode()).hexdigest() == DIGESTS[name]


@pytest.mark.parametrize(
    ("cards", "title"),
    [
        pytest.param("4s 5d", "九点", id="seed 黑桃4+方塊5"),
        pytest.param("7s 2c", "九点", id="seed 黑桃7+梅花2"),
        pytest.param("8s w", "八点半", id="seed 黑桃8+小王"),
        pytest.param("8h W", "八点半", id="seed 紅桃8+大王"),
        pytest.param("Td 8h", "八点", id="seed 方塊10+紅桃8"),
        pytest.param("Th Jh", "一点", id="seed 紅桃10+紅桃J"),
        pytest.param("Th As", "一点", id="seed 紅桃10+黑桃A"),
        pytest.param("Td W", "半点", id="seed 方塊10+大王"),
        pytest.param("9d Jh", "没点", id="seed 方塊9+紅桃J"),
        pytest.param("2s 8d", "没点", id="seed 2+8"),
        pytest.param("9c W", "九点半", id="seed 9+大小王"),
        pytest.param("9c Kd", "九点半", id="seed 9+K"),
        pytest.param("W w", "对王", id="seed 大小王"),
        pytest.param("4h 4s", "对子", id="a pair though the seed once prints it as eight points"),
        pytest.param("As Qh", "两点", id="two points"),
        pytest.param("Kh w", "一点", id="king and joker are two halves"),
    ],
)
def test_jd_6__the_seed_s_hands(cards, title):
    assert hand_title(strength(cards)) == title


def test_jd_5__the_order_of_the_seed():
    downwards = ["W w", "9s w", "5s 5h", "9s Th", "8s w", "8s Th", "7s w", "7s Th", "6s w", "6s Th", "5s w", "5s Th"]
    downwards += ["4s w", "4s Th", "3s w", "3s Th", "2s w", "2s Th", "As w", "As Th", "Ts w", "8s 2h"]

    strengths = [strength(cards) for cards in downwards]

    assert strengths == sorted(set(strengths), reverse=True)


def test_jd_4__a_9_with_a_king_is_nine_and_half_only_where_the_king_is_half_a_point():
    three_point_kings = JiuDianBanRules(card_values=CardValues.J1_Q2_K3)

    assert half_points_of(strength("9s Kd")) == 19
    assert half_points_of(strength("9s Kd", three_point_kings)) == 4
    assert half_points_of(strength("9s w", three_point_kings)) == 19
    assert half_points_of(strength("Qs Kd", three_point_kings)) == 10


def test_jd_7__pairs_are_equal_unless_the_table_ranks_them():
    by_rank = JiuDianBanRules(pair_ranking=PairRanking.BY_RANK)

    assert strength("2s 2h") == strength("As Ah") == strength("Ks Kh")
    assert strength("2s 2h", by_rank) < strength("Ks Kh", by_rank) < strength("As Ah", by_rank)
    assert strength("As Ah", by_rank) < strength("9s w", by_rank)


def test_jd_9__a_door_multiplies_by_its_class():
    assert [payout_of(strength(cards)) for cards in ("W w", "9s Kd", "5s 5h", "4s 5h")] == [3, 2, 1, 1]


def test_cm_3__a_hand_has_a_name_for_players():
    cards = ("W w", "9s Kd", "5s 5h", "4s 5h", "8s w", "Ts w", "As Th", "As w", "9s Jh", "As Ah")

    assert [hand_text(strength(text)) for text in cards] == [
        "joker_pair",
        "nine_and_half",
        "pair",
        "9 points",
        "8½ points",
        "½ point",
        "1 point",
        "1½ points",
        "no point",
        "pair",
    ]
