"""All 24,804 groups of three cards, against a slow reading of the page and pinned by digests."""

from hashlib import sha256
from itertools import combinations, groupby, pairwise

import pytest

from zhangfang.rules.cards import TEXTS, cards_text, parse_cards
from zhangfang.rules.games.bi_ji.groups import GROUP_TYPES, group_key, group_name, group_text, group_title
from zhangfang.rules.games.bi_ji.record import BiJiRules, FlushCompare

GROUPS = list(combinations(range(54), 3))
RANKS_UPWARDS = "wW23456789TJQKA"
SUITS_UPWARDS = "cdsh"
ROWS = [set("A23"), *[set(RANKS_UPWARDS[low : low + 3]) for low in range(2, 13)]]

HOUSE_RULES = {
    "seed": BiJiRules(),
    "no joker pair": BiJiRules(joker_pair=False),
    "all ranks": BiJiRules(flush_compare=FlushCompare.ALL_RANKS_THEN_SUIT),
    "no joker pair, all ranks": BiJiRules(joker_pair=False, flush_compare=FlushCompare.ALL_RANKS_THEN_SUIT),
}
# Of all groups from low to high, a class of equal groups a line: BJ-5 … BJ-11 cannot change unnoticed.
DIGESTS = {
    "seed": "bb8d1dea78c37b44d9ab760e6ba43af053e293bf0818fedba2f006d0368ee145",
    "no joker pair": "d1c99f7b8f298e5cc04a42a57bdf73a45694ee46fdc2a0c31a3381539d4c1b34",
    "all ranks": "8ea0ba2d82005ddec4ae0629b36c6caf4de752b1bbadeddbf24f65731466ec01",
    "no joker pair, all ranks": "b4f3e18038b290163ace388409902bbbe8af55d5dba460eae0ee05ca66e7f7c4",
}
every_house_rule = pytest.mark.parametrize("rules", HOUSE_RULES.values(), ids=HOUSE_RULES)


def key(text, rules=HOUSE_RULES["seed"]):
    return group_key(*parse_cards(text), rules)


def slow_key(texts, rules):
    """The page, sentence by sentence: type, then whatever the type is compared by."""
    cards = sorted(texts, key=lambda text: RANKS_UPWARDS.index(text[0]), reverse=True)
    ranks = [RANKS_UPWARDS.index(text[0]) for text in cards]
    suits = [SUITS_UPWARDS.index(text[1]) if len(text) == 2 else None for text in cards]
    held = {text[0] for text in cards}
    real_suits = {text[1] for text in cards if len(text) == 2}
    is_flush = len(real_suits) == 1 and all(
        real_suits <= set(suits_of) for joker, suits_of in (("w", "sc"), ("W", "hd")) if joker in held
    )
    for rank in range(2, 15):
        if ranks.count(rank) == 3:
            return (5, rank)
    if held in ROWS:
        top = 1 if held == set("A23") else 0
        return (4 if is_flush else 2, ranks[top], suits[top])
    if is_flush:
        rest = ranks[1:] if rules.flush_compare == "ALL_RANKS_THEN_SUIT" else []
        return (3, ranks[0], *rest, suits[0])
    for rank in range(2, 15):
        if ranks.count(rank) == 2:
            third = next(place for place in range(3) if ranks[place] != rank)
            return (1, rank, ranks[third], suits[third] or 0)
    if held > {"w", "W"} and rules.joker_pair:
        return (1, 0, ranks[0], suits[0])
    return (0, *ranks, suits[0])


@every_house_rule
def test_bj_5_to_bj_10__the_fast_key_orders_all_groups_as_the_page_does(rules):
    fast = {group: group_key(*group, rules) for group in GROUPS}
    slow = {group: slow_key([TEXTS[card] for card in group], rules) for group in GROUPS}

    by_fast = sorted(GROUPS, key=lambda group: (fast[group], group))
    by_slow = sorted(GROUPS, key=lambda group: (slow[group], group))

    assert by_fast == by_slow
    assert [fast[one] == fast[other] for one, other in pairwise(by_fast)] == [
        slow[one] == slow[other] for one, other in pairwise(by_slow)
    ]
    assert all(group_name(fast[group]) == GROUP_TYPES[slow[group][0]] for group in GROUPS)


@pytest.mark.parametrize("name", HOUSE_RULES)
def test_bj_5_to_bj_10__the_order_of_all_groups_is_pinned(name):
    rules = HOUSE_RULES[name]
    keys = {group: group_key(*group, rules) for group in GROUPS}
    classes = groupby(sorted(GROUPS, key=lambda group: (keys[group], group)), key=keys.__getitem__)

    lines = "\n".join(" = ".join(cards_text(group) for group in equals) for _, equals in classes)

    assert sha256(lines.encode()).hexdigest() == DIGESTS[name]


@every_house_rule
def test_bj_12__two_groups_without_a_common_card_are_never_equal(rules):
    by_key = {}
    for group in GROUPS:
        by_key.setdefault(group_key(*group, rules), []).append(set(group))

    disjoint = [pair for equals in by_key.values() for pair in combinations(equals, 2) if pair[0].isdisjoint(pair[1])]

    assert len(GROUPS) == 24_804
    assert disjoint == []


@pytest.mark.parametrize(
    ("lower", "higher"),
    [
        pytest.param("As Kd Jc", "w W 2d", id="bj-4 the jokers are a pair"),
        pytest.param("w W As", "2s 2h w", id="bj-4 of all pairs the lowest"),
        pytest.param("w 2s 3d", "W 2d 3s", id="bj-5 big joker above small joker"),
        pytest.param("2s 3d W", "2h 3c 4d", id="bj-5 a joker below the 2"),
        pytest.param("Kd Th 2s", "Kd Th 3c", id="bj-5 ranks down to the last"),
        pytest.param("Ks Th 3h", "Kh Tc 3c", id="bj-5 then the suit of the highest"),
        pytest.param("As Ks Jd", "2s 2d 3h", id="bj-6 pair above high card"),
        pytest.param("Js Jh 9h", "Jd Jc Td", id="bj-6 third card"),
        pytest.param("Ks Kh 9s", "Kd Kc 9h", id="bj-6 third card's suit"),
        pytest.param("As Ah Kd", "7s 8h 9d", id="bj-7 straight above pair"),
        pytest.param("As 2h 3d", "2s 3h 4d", id="bj-7 A-2-3 lowest"),
        pytest.param("Jd Qh Ks", "Qd Kh Ac", id="bj-7 Q-K-A highest"),
        pytest.param("Ad 2d 3s", "As 2s 3h", id="bj-7 of A-2-3 the 3 decides"),
        pytest.param("Qd Kh As", "4h 6h 9h", id="bj-8 flush above straight"),
        pytest.param("9s 8s 2s", "9h 3h 2h", id="bj-8 top rank, then suit"),
        pytest.param("Ah Kh Jh", "As 2s 3s", id="bj-9 straight flush above flush"),
        pytest.param("Qh Kh Ah", "2s 2h 2d", id="bj-10 three of a kind above all"),
        pytest.param("2s 3h 9c", "2s 3h 9d", id="bj-11 clubs below diamonds"),
        pytest.param("2s 3h 9d", "2s 3h 9s", id="bj-11 diamonds below spades"),
        pytest.param("2s 3h 9s", "2s 3c 9h", id="bj-11 spades below hearts"),
    ],
)
def test_bj_11__the_seed_s_order_of_groups_and_suits(lower, higher):
    assert key(lower) < key(higher)


@pytest.mark.parametrize(
    ("cards", "name"),
    [
        pytest.param("9s 2s w", "flush", id="small joker with spades"),
        pytest.param("9c 2c w", "flush", id="small joker with clubs"),
        pytest.param("9h 2h w", "high_card", id="small joker with hearts"),
        pytest.param("9h 2h W", "flush", id="big joker with hearts"),
        pytest.param("9d 2d W", "flush", id="big joker with diamonds"),
        pytest.param("9d 2h W", "high_card", id="big joker with two red suits"),
        pytest.param("Qs Ks w", "flush", id="a joker stands in no straight flush"),
        pytest.param("Qs Kd w", "high_card", id="a joker stands in no straight"),
        pytest.param("2s As w", "flush", id="a joker is no 3"),
        pytest.param("9s 9c w", "pair", id="a joker is no third card of a kind"),
        pytest.param("Ks Ah 2d", "high_card", id="K-A-2 is no straight"),
        pytest.param("Ks As 2s", "flush", id="K-A-2 of one suit is a flush"),
    ],
)
def test_bj_3__a_joker_stands_for_the_suit_only(cards, name):
    assert group_name(key(cards)) == name


def test_bj_8__the_house_rule_turns_two_flushes_round():
    low_hearts, high_spades = "2h 3h Kh", "Qs Ts Ks"

    seed = HOUSE_RULES["seed"]
    all_ranks = HOUSE_RULES["all ranks"]

    assert key(low_hearts, seed) > key(high_spades, seed)
    assert key(low_hearts, all_ranks) < key(high_spades, all_ranks)


def test_cm_3__a_group_has_a_name_for_players_with_the_suit_where_there_is_one():
    assert [group_title(key(text)) for text in ("4h 5h 6h", "9c 2c w", "7s 8h 9d", "w W 2d")] == [
        "♥顺清",
        "♣清",
        "顺",
        "对子",
    ]
    assert group_text(key("4s 5s 6s")) == "straight_flush ♠"
    assert group_text(key("2s 2h 2d")) == "three_of_a_kind"
