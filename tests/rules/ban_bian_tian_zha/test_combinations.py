"""Combinations: what they are, what beats them, and how several readings are told apart."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.rules.ban_bian_tian_zha import by_the_book
from tests.rules.ban_bian_tian_zha.hands import PACK
from tests.rules.ban_bian_tian_zha.tables import read
from zhangfang.rules.games.ban_bian_tian_zha.combinations import SUITED_KINDS, Kind, kind_of, reading_name
from zhangfang.rules.shedding import standing

STRAIGHT_FLUSH_FROM_THREE_TO_ACE = "3s 4s 5s 6s 7s 8s 9s Ts Js Qs Ks As"
EIGHT_PAIRS = "3s 3h 4s 4h 5s 5h 6s 6h 7s 7h 8s 8h 9s 9h Ts Th"


def lead(cards):
    """How a lead is read, in words; None if it is no combination."""
    reading = standing(read(cards), 0)
    return reading_name(reading) if reading else None


def over(trick, cards):
    """How cards stand over a lead, in words; None if they do not beat it."""
    reading = standing(read(cards), standing(read(trick), 0))
    return reading_name(reading) if reading else None


@pytest.mark.parametrize(
    ("rule", "cards", "expected"),
    [
        ("bb_10", "3s", "single 3"),
        ("bb_10", "2h", "single 2"),
        ("bb_11", "2s 2h", "pair 2"),
        ("bb_11", "5s 6s", None),
        ("bb_12", "3s 4h 5c 6d 7s", "straight 3-7"),
        ("bb_12", "3h 4s 5s 6s 7s 8s 9s Ts Js Qs Ks As", "straight 3-A"),
        ("bb_12", "3s 4h 5c 6d", None),
        ("bb_12", "Js Qh Kc As 2s", None),
        ("bb_12", "2s 3h 4c 5d 6s", None),
        ("bb_12", "3s 4h 5c 6d 8s", None),
        ("bb_13", "3s 3h 4s 4h", "pair_straight 3-4"),
        ("bb_13", "Qs Qh Ks Kh As Ah", "pair_straight Q-A"),
        ("bb_13", "As Ah 2s 2h", None),
        ("bb_13", "3s 3h 5s 5h", None),
        ("bb_14", "As Ah Ac", "triple A"),
        ("bb_14", "As Ah Ac W", "triple A"),
        ("bb_14", "3s 3h 3c 4s 4h", "triple 3"),
        ("bb_14", "3s 3h 3c 4s 4h 5s", None),
        ("bb_15", "3s 3h 3c 4s 4h 4c", "airplane 3-4"),
        ("bb_15", "3s 3h 3c 4s 4h 4c 9s 9h W 2s", "airplane 3-4"),
        ("bb_15", "3s 3h 3c 4s 4h 4c 9s 9h W 2s 2h", None),
        ("bb_15", "3s 3h 3c 5s 5h 5c", None),
        ("bb_15", "Ks Kh Kc As Ah Ac 2s 2h", "airplane K-A"),
        ("bb_15", "3s 3h 3c 4s 4h 4c 5s 5h 5c", "airplane 3-5"),
        ("bb_15", "3s 3h 3c 3d 4s 4h 4c 4d", "airplane 3-4"),
        ("bb_15", "3s 3h 3c 4s 4h 4c 5s 5h 5c 6s 6h 6c 7s 7h 7c 9s 2s", "airplane 3-7"),
        ("bb_16", "5s 5h 5c 5d 6s", "four_with_extras 5"),
        ("bb_16", "5s 5h 5c 5d 6s 7s W", "four_with_extras 5"),
        ("bb_16", "5s 5h 5c 5d 6s 7s 8s 9s", None),
        ("bb_17", "5s Ts Kh", "mixed_510k"),
        ("bb_18", "5d Td Kd", "suited_510k ♦"),
        ("bb_19", "5s 5h 5c 5d", "bomb 5"),
        ("bb_20", "3d 4d 5d 6d 7d", "straight_flush 3-7 ♦"),
        ("bb_20", STRAIGHT_FLUSH_FROM_THREE_TO_ACE, "straight_flush 3-A ♠"),
        ("bb_20", "3d 4d 5d 6d", None),
        ("bb_20", "Th Jh Qh Kh Ah 2h", None),
        ("bb_21", "Js Jh Qs Qh Ks Kh As Ah", "di_zha J-A"),
        ("bb_21", EIGHT_PAIRS, "di_zha 3-T"),
        ("bb_21", "Qs Qh Ks Kh As Ah 2s 2h", None),
        ("bb_22", "W", "tian_zha"),
        ("bb_22", "W 3s", None),
    ],
)
def test_bb_10_to_22__a_lead_is_read_as_the_page_says(rule, cards, expected):
    given_cards = cards

    name = lead(given_cards)

    assert name == expected, rule


@pytest.mark.parametrize(
    ("cards", "expected"),
    [
        pytest.param("7s 7h 7c 7d 6s 6h 6c", "four_with_extras 7", id="a four comes before an airplane"),
        pytest.param("7s 7h 7c 7d 6s", "four_with_extras 7", id="a four comes before a triple"),
        pytest.param("3s 3h 3c 4s 4h 4c 5s 5h 5c 6s", "airplane 3-5", id="the most triples"),
        pytest.param("3s 3h 3c 3d", "bomb 3", id="a special comes before all"),
    ],
)
def test_bb_23__a_lead_is_the_first_that_fits(cards, expected):
    given_cards = cards

    name = lead(given_cards)

    assert name == expected


@pytest.mark.parametrize(
    ("trick", "cards", "expected"),
    [
        pytest.param("3s 3h 3c", "5s 5h 5c 5d", "bomb 5", id="5555 over 333 is a bomb"),
        pytest.param("3s 3h 3c", "5s 5h 5c 5d 6s", "triple 5", id="5555 with a 6 over 333 is a triple"),
        pytest.param("3s 3h 3c 3d 4s", "5s 5h 5c 5d 6s", "four_with_extras 5", id="the same over a four is a four"),
        pytest.param("3s 3h 3c 4s 4h 4c", "5s 5h 5c 5d 6s 6h 6c", "airplane 5-6", id="5555666 over an airplane"),
        pytest.param("3s 3h 3c 4s 4h 4c", "5s 5h 5c 6s 6h 6c 7s 7h 7c", "airplane 6-7", id="the higher two of three"),
        pytest.param("5s 5h 5c 3s 4s", "6s 6h 6c", "triple 6", id="seed: 55534 beaten by a bare 666"),
        pytest.param("7s 7h 7c 7d 3s 4h 5c", "6s 6h 6c 6d", "bomb 6", id="seed: a bare four bombs a higher four"),
        pytest.param("5s 5h 5c 5d 6s 7s 8s", "6h 6c 6d 6s", "bomb 6", id="seed: a bare 6666 is a bomb"),
        pytest.param("3s 4h 5c 6d 7s", "8h 9h Th Jh Qh", "straight_flush 8-Q ♥", id="a flush never stands as straight"),
        pytest.param("Ts Th Tc", "As Ah Ac 5s Kh", "triple A", id="extras are free"),
        pytest.param("4s", "3s 3h", None, id="a pair over a single"),
        pytest.param("4s", "4h", None, id="equal ranks"),
        pytest.param("3s 4h 5c 6d 7s", "4s 5h 6c 7d 8s 9s", None, id="a longer straight"),
        pytest.param("3s 3h 4s 4h", "5s 5h 6s 6h 7s 7h", None, id="more pairs"),
        pytest.param("3s 3h 3c 4s 4h 4c", "5s 5h 5c 6s 6h 6c 7s 7h 7c 8s 8h", None, id="more triples"),
    ],
)
def test_bb_23__a_following_play_stands_as_the_highest_reading_that_beats(trick, cards, expected):
    given_trick = trick

    name = over(given_trick, cards)

    assert name == expected


SPECIALS_UPWARDS = [
    "5s Th Kc",
    *("5d Td Kd", "5c Tc Kc", "5h Th Kh", "5s Ts Ks"),
    *("3s 3h 3c 3d", "As Ah Ac Ad"),
    *("3d 4d 5d 6d 7d", "3c 4c 5c 6c 7c", "3h 4h 5h 6h 7h", "3s 4s 5s 6s 7s"),
    *("Td Jd Qd Kd Ad", "3d 4d 5d 6d 7d 8d", "4d 5d 6d 7d 8d 9d"),
    STRAIGHT_FLUSH_FROM_THREE_TO_ACE,
    *("3s 3h 4s 4h 5s 5h 6s 6h", "Js Jh Qs Qh Ks Kh As Ah", "3s 3h 4s 4h 5s 5h 6s 6h 7s 7h", EIGHT_PAIRS),
    "W",
]


@pytest.mark.parametrize(("lower", "higher"), list(combinations(SPECIALS_UPWARDS, 2)))
def test_bb_17_to_22__each_special_beats_every_one_below_it_and_none_above(lower, higher):
    low, high = read(lower), read(higher)

    upwards, downwards, level = standing(high, low[0]), standing(low, high[0]), standing(low, low[0])

    assert (upwards, downwards, level) == (high[0], 0, 0)


@pytest.mark.parametrize("special", SPECIALS_UPWARDS)
@pytest.mark.parametrize(
    "ordinary",
    ["2s", "2s 2h", "8h 9h Tc Jh Qh Ks Ac", "Qs Qh Ks Kh As Ah", "As Ah Ac 2s", "Ks Kh Kc As Ah Ac", "As Ah Ac Ad W"],
)
def test_bb_17_to_22__a_special_beats_every_ordinary_combination(special, ordinary):
    trick = standing(read(ordinary), 0)

    there, back = standing(read(special), trick), standing((trick,), read(special)[0])

    assert there == read(special)[0]
    assert back == 0


def test_bb_17__one_mixed_510k_never_beats_another():
    trick = "5s Th Kc"

    name = over(trick, "5h Ts Kd")

    assert name is None


def as_in_the_book(reading):
    """A reading of the product in the words of the plain one."""
    if not reading:
        return None
    kind, length, strength = kind_of(reading), reading >> 8 & 255, reading & 255
    name = kind.name.lower()
    if kind is Kind.STRAIGHT_FLUSH:
        return name, 0, (length, *divmod(strength, 4))
    if kind is Kind.DI_ZHA:
        return name, 0, (length, strength)
    return name, length, (0,) if kind in (Kind.MIXED_510K, Kind.TIAN_ZHA) else (strength,)


TRICKS = [
    *("3s", "9s", "2s", "3s 3h", "Ks Kh", "3s 4h 5c 6d 7s", "4s 5h 6c 7d 8s 9s", "3s 3h 4s 4h", "4s 4h 5s 5h 6s 6h"),
    *("3s 3h 3c", "8s 8h 8c 9s", "3s 3h 3c 4s 4h 4c", "7s 7h 7c 8s 8h 8c 9s", "3s 3h 3c 4s 4h 4c 5s 5h 5c"),
    *("3s 3h 3c 3d 4s", "9s 9h 9c 9d 4s 5s 6s"),
    *SPECIALS_UPWARDS,
]


def check_against_the_book(cards):
    found = read(" ".join(cards))
    assert as_in_the_book(standing(found, 0)) == by_the_book.stands(cards, None), cards
    for trick in TRICKS:
        fast = standing(read(trick), 0)
        plain = by_the_book.stands(trick.split(" "), None)
        assert as_in_the_book(standing(found, fast)) == by_the_book.stands(cards, plain), (trick, cards)


@pytest.mark.parametrize("count", [1, 2, 3])
def test_bb_23__every_few_cards_lead_as_by_the_book(count):
    leads = combinations(PACK, count)

    wrong = [c for c in leads if as_in_the_book(standing(read(" ".join(c)), 0)) != by_the_book.stands(list(c), None)]

    assert wrong == []


@st.composite
def clumps(draw):
    """Cards that lie close together in rank or suit, so that most of them are some combination."""
    ranks = draw(st.lists(st.integers(0, 11), min_size=1, max_size=5))
    copies = draw(st.integers(1, 4))
    row = draw(st.integers(1, 8))
    cards = {
        rank + suit
        for first in ranks[:1]
        for rank in by_the_book.ORDER[first : first + row]
        for suit in "shcd"[:copies]
    }
    cards |= set(draw(st.lists(st.sampled_from(PACK), max_size=5)))
    return sorted(draw(st.permutations(sorted(cards & set(PACK))))[:17])


@given(clumps())
def test_bb_23__any_cards_stand_over_any_trick_as_by_the_book(cards):
    check_against_the_book(cards)


@pytest.mark.parametrize("suit", "shcd")
@pytest.mark.parametrize("length", range(5, 13))
def test_bb_20__every_row_of_one_suit_is_a_straight_flush_and_with_one_other_card_a_straight(suit, length):
    ranks = by_the_book.ORDER[:12]
    rows = [[rank + suit for rank in ranks[low : low + length]] for low in range(13 - length)]

    for row in rows:
        other = [row[0][0] + ("h" if suit == "s" else "s"), *row[1:]]

        assert kind_of(read(" ".join(row))[0]) in SUITED_KINDS
        assert kind_of(read(" ".join(other))[0]) is Kind.STRAIGHT
        check_against_the_book(row)
