"""The fast reading of a play agrees with the rulebook page on every shape there is."""

import hashlib
from collections.abc import Iterator

import pytest

from tests.rules.er_ren_dou_di_zhu import by_the_book
from zhangfang.rules import shedding
from zhangfang.rules.games.er_ren_dou_di_zhu.combinations import (
    RANK_ORDER,
    STRAIGHTS_TO_THE_ACE,
    WEIGHTS,
    Kind,
    read_with_any_wings,
    read_with_distinct_wings,
    reading_name,
)

READERS = {False: read_with_any_wings, True: read_with_distinct_wings}
SHAPES = {distinct: by_the_book.list_readings(distinct=distinct) for distinct in READERS}
LIMITS = (*[4] * 11, 1, 1)

wings = pytest.mark.parametrize("distinct", [pytest.param(False, id="any_wings"), pytest.param(True, id="distinct")])


def read(counts: tuple[int, ...], *, distinct: bool) -> list[by_the_book.Reading]:
    """The fast reading, uncached, in the words of the page."""
    packed = sum([count << 4 * rank for rank, count in enumerate(counts)])
    return [in_words(reading) for reading in READERS[distinct].__wrapped__(packed)]


def in_words(reading: int) -> by_the_book.Reading:
    return Kind(reading >> 16).name.lower(), reading >> 8 & 255, RANK_ORDER[reading & 255]


def read_text(text: str, *, distinct: bool = False) -> list[by_the_book.Reading]:
    """The readings of cards in the rulebook's notation."""
    weight = sum([WEIGHTS[card] for card in text.split()])
    return [in_words(reading) for reading in READERS[distinct](weight >> shedding.COUNTS)]


def all_shapes(cards_max: int, rank: int = 0) -> Iterator[tuple[int, ...]]:
    """The counts of every set of at most so many cards."""
    if rank == len(LIMITS):
        yield ()
        return
    for count in range(min(LIMITS[rank], cards_max) + 1):
        for higher in all_shapes(cards_max - count, rank + 1):
            yield (count, *higher)


def neighbours(counts: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Every shape that one card of another rank makes of this one."""
    for taken in range(len(counts)):
        for given in range(len(counts)):
            if taken != given and counts[taken] and counts[given] < LIMITS[given]:
                changed = list(counts)
                changed[taken] -= 1
                changed[given] += 1
                yield tuple(changed)


@wings
def test_dz_10_to_dz_25__every_combination_there_is_is_read_as_the_page_says(distinct: bool) -> None:
    book = SHAPES[distinct]

    differing = [counts for counts, readings in book.items() if read(counts, distinct=distinct) != readings]

    assert differing == []


@wings
def test_dz_10_to_dz_25__every_set_of_up_to_eight_cards_is_read_as_the_page_says(distinct: bool) -> None:
    book = SHAPES[distinct]

    differing = [
        counts for counts in all_shapes(8) if read(counts, distinct=distinct) != book.get(counts, []) and any(counts)
    ]

    assert differing == []


@wings
def test_dz_24__every_long_combination_with_one_card_changed_is_read_as_the_page_says(distinct: bool) -> None:
    book = SHAPES[distinct]
    long_shapes = [counts for counts in book if sum(counts) > 8]

    changed = {shape for counts in long_shapes for shape in neighbours(counts)}

    assert [counts for counts in changed if read(counts, distinct=distinct) != book.get(counts, [])] == []


@pytest.mark.parametrize(
    ("distinct", "shape_count", "digest"),
    [
        pytest.param(False, 10_268, "7943ce510d8d0351", id="any_wings"),
        pytest.param(True, 4_941, "28ab20d49c42bb51", id="distinct"),
    ],
)
def test_dz_10_to_dz_25__the_list_of_combinations_is_pinned(distinct: bool, shape_count: int, digest: str) -> None:
    lines = [f"{counts} {read(counts, distinct=distinct)}" for counts in sorted(SHAPES[distinct])]

    pinned = hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]

    assert (len(lines), pinned) == (shape_count, digest)


@pytest.mark.parametrize(
    ("cards", "readings"),
    [
        pytest.param("6s 6h 6c 8d", [("triple_with_single", 1, "6")], id="seed_6668"),
        pytest.param("5s 5h 5c 8d 8s", [("triple_with_pair", 1, "5")], id="seed_55588"),
        pytest.param("8s 9h Tc Jd Qs", [("straight", 5, "Q")], id="seed_89TJQ"),
        pytest.param("Ts Th Jc Jd Qs Qh Kc Kd", [("pair_straight", 4, "K")], id="seed_TTJJQQKK"),
        pytest.param("5s 5h 5c 6d 6s 6h", [("airplane", 2, "6")], id="seed_555666"),
        pytest.param("7s 7h 7c 8d 8s 8h 5s 6s", [("airplane_with_singles", 2, "8")], id="seed_777888_and_two"),
        pytest.param("8s 8h 8c 9d 9s 9h 5s 5h Js Jh", [("airplane_with_pairs", 2, "9")], id="seed_888999_and_pairs"),
        pytest.param("8s 8h 8c 9d 9s 9h 5s 5h 2s 2h", [("airplane_with_pairs", 2, "9")], id="a_pair_of_2s_as_wing"),
        pytest.param("8s 8h 8c 9d 9s 9h 5s 5h w W", [], id="a_pair_of_jokers_is_none"),
        pytest.param("5s 5h 5c 6d 6s 6h 7s 8s 8h", [], id="seed_singles_and_pairs_are_not_mixed"),
        pytest.param("6s 6h 6c 6d 8s 9s", [("four_with_singles", 1, "6")], id="seed_666689"),
        pytest.param("6s 6h 6c 6d 8s 8h", [("four_with_singles", 1, "6")], id="the_two_singles_may_be_a_pair"),
        pytest.param("6s 6h 6c 6d w W", [], id="four_with_both_jokers"),
        pytest.param("Js Jh Jc Jd 9s 9h Qs Qh", [("four_with_pairs", 1, "J")], id="seed_JJJJ99QQ"),
        pytest.param("Js Jh Jc Jd 9s 9h 9c 9d", [], id="two_fours"),
        pytest.param("Js Jh Jc Jd", [("bomb", 1, "J")], id="a_bomb_is_no_triple_with_single"),
        pytest.param("w W", [("rocket", 1, "W")], id="rocket"),
        pytest.param("Js Qs Ks As 2s", [], id="no_2_in_a_straight"),
        pytest.param("As As 2s", [], id="no_triple_of_two_ranks"),
        pytest.param("Ks Kh Kc As Ah Ac 2s 2h 2c", [], id="no_2_in_an_airplane"),
        pytest.param("Ks Kh As Ah 2s 2h", [], id="no_2_in_a_pair_straight"),
        pytest.param("2s 2h 2c w", [("triple_with_single", 1, "2")], id="a_joker_as_wing_of_2s"),
        pytest.param(
            "5s 5h 5c 6d 6s 6h 7s 7h 7c 7d 8s 8h 8c 9s 9h 9c",
            [],
            id="no_window_of_four_around_a_bomb",
        ),
        pytest.param(
            "5s 5h 5c 6d 6s 6h 7s 7h 7c 8s 8h 8c 9s 9h 9c W",
            [("airplane_with_singles", 4, "9"), ("airplane_with_singles", 4, "8")],
            id="five_triples_and_a_card_are_four_with_wings",
        ),
        pytest.param("5s 5h 5c 5d 6s 6h 6c 7s", [], id="a_wing_of_the_bodys_rank"),
    ],
)
def test_dz_24__wings(cards: str, readings: list[by_the_book.Reading]) -> None:
    found = read_text(cards)

    assert found == readings


@pytest.mark.parametrize("distinct", [False, True])
def test_dz_10_to_dz_23__what_beats_what_is_what_the_page_says(distinct: bool) -> None:
    lasting = {readings[0] for readings in SHAPES[distinct].values()}
    coded = {
        reading: shedding.reading_of(Kind[reading[0].upper()], reading[1], RANK_ORDER.index(reading[2]))
        for reading in lasting
    }

    differing = [
        (reading, trick)
        for reading in lasting
        for trick in lasting
        if shedding.beats(coded[reading], coded[trick]) != by_the_book.beats(reading, trick)
        and not reading == trick == ("rocket", 1, "W")
    ]

    assert differing == []


def test_dz_25__a_following_play_stands_as_the_highest_of_the_readings_that_beat_the_trick() -> None:
    trick = shedding.reading_of(Kind.AIRPLANE_WITH_SINGLES, 3, RANK_ORDER.index("7"))
    readings = read_with_any_wings(0x3333_0)  # 666 777 888 999

    standing = shedding.standing(readings, trick)

    assert in_words(standing) == ("airplane_with_singles", 3, "9")


def test_dz_26__a_straight_to_the_ace_is_a_tong_tian_shun() -> None:
    straights = [
        reading for readings in map(read_with_any_wings, (0x11111_00000, 0x1111100000 >> 4)) for reading in readings
    ]

    shown = [reading in STRAIGHTS_TO_THE_ACE for reading in straights]

    assert shown == [True, False]


@pytest.mark.parametrize(
    ("cards", "name"),
    [
        pytest.param("w W", "rocket", id="rocket"),
        pytest.param("9s 9h 9c 9d", "bomb of 9", id="one_rank"),
        pytest.param("5s 6s 7s 8s 9s", "straight of 5 up to 9", id="a_row"),
    ],
)
def test_dz_25__a_reading_has_a_name_for_the_sentence_of_a_fault(cards: str, name: str) -> None:
    weight = sum([WEIGHTS[card] for card in cards.split()])

    spoken = reading_name(read_with_any_wings(weight >> shedding.COUNTS)[0])

    assert spoken == name
