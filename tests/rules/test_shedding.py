"""What the climbing games share, seen in the smallest of games: singles only, ranked 3 … A, 2, big joker."""

from dataclasses import replace

import pytest

from zhangfang.rules.shedding import (
    CARD_BITS,
    ClimbingGame,
    Play,
    Seating,
    beats,
    held_cards,
    play_out,
    reading_of,
    standing,
    stops_early,
    texts_of_one_rank,
    weigh,
    weight_of,
)

WEIGHTS = weigh(range(52), lambda card: (card // 4 - 2) % 13)
SINGLES = ClimbingGame(
    weights=WEIGHTS,
    readings=lambda cards, counts: (reading_of(1, 1, counts.bit_length()),) if cards.bit_count() == 1 else (),
    reading_name=lambda reading: f"single {reading & 255}",
    finishes_trick=True,
    first_lead_rule="X-1",
    turn_rule="X-2",
    lead_rule="X-3",
    end_rule="X-4",
    combination_rule="X-5",
)
ENDS_AT_ONCE = replace(SINGLES, finishes_trick=False)


def seat_two(*hands, limits=(0, 0)):
    return Seating(
        players=("A", "B"),
        hands=tuple(held_cards(WEIGHTS, hand) for hand in hands),
        leaders=(0,),
        sides=((0,), (1,)),
        limits=limits,
        successors=lambda _winner, holding: holding,
    )


@pytest.mark.parametrize(
    ("cards", "count"),
    [("3s", 1), ("3s 4s", 2), ("3s 3s", 0), ("3s 3s 3h", 0), ("3s Zz", 0), ("", 0), ("3s ", 0), ("3s  4s", 0)],
)
def test_cards_are_summed_unless_one_is_foreign_or_twice(cards, count):
    weight = weight_of(WEIGHTS, cards)

    assert (weight & CARD_BITS).bit_count() == count


def test_no_repetition_of_cards_passes_for_others():
    for card in WEIGHTS:
        for copies in range(2, 40):
            assert weight_of(WEIGHTS, " ".join([card] * copies)) == 0


def test_cards_of_one_rank_are_named_in_every_order():
    assert list(texts_of_one_rank(weigh((0, 1, 4), lambda card: card // 4))) == ["As", "Ah", "As Ah", "Ah As", "2s"]


def test_what_is_known_of_one_rank_is_what_a_look_says():
    texts = set(texts_of_one_rank(WEIGHTS))

    assert len(texts) == 13 * (4 + 12 + 24 + 24)
    assert {text: SINGLES.look_at(text) for text in texts} == SINGLES.of_one_rank
    assert all(weight_of(WEIGHTS, text) for text in texts)


@pytest.mark.parametrize(
    ("reading", "trick", "is_higher"),
    [
        (reading_of(1, 1, 5), reading_of(1, 1, 4), True),
        (reading_of(1, 1, 4), reading_of(1, 1, 4), False),
        (reading_of(1, 2, 5), reading_of(1, 1, 4), False),
        (reading_of(2, 1, 5), reading_of(1, 1, 4), False),
        (reading_of(16, 1, 0), reading_of(15, 255, 255), True),
        (reading_of(15, 255, 255), reading_of(16, 1, 0), False),
        (reading_of(17, 1, 0), reading_of(16, 9, 9), True),
    ],
)
def test_like_beats_lower_like_and_a_special_beats_all_below(reading, trick, is_higher):
    assert beats(reading, trick) is is_higher


def test_a_lead_stands_as_its_first_reading_and_a_follower_as_the_highest_that_beats():
    low, high, other = reading_of(1, 1, 5), reading_of(1, 1, 9), reading_of(2, 1, 5)

    stands = [standing((low, high, other), trick) for trick in (0, reading_of(1, 1, 4), reading_of(2, 1, 4), high)]

    assert stands == [low, high, other, 0]
    assert standing((), 0) == 0


@pytest.mark.parametrize(
    ("game", "limits", "plays", "out", "is_over"),
    [
        pytest.param(SINGLES, (0, 0), ["3s", "4h", ""], [], False, id="nobody is out"),
        pytest.param(SINGLES, (0, 0), ["3s", "4h", "5s"], [0], False, id="the trick is still to be finished"),
        pytest.param(SINGLES, (0, 0), ["3s", "4h", "5s", ""], [0], True, id="the trick is finished"),
        pytest.param(ENDS_AT_ONCE, (0, 0), ["3s", "4h", "5s"], [0], True, id="the hand ends at once"),
        pytest.param(ENDS_AT_ONCE, (0, 2), ["3s", "4h"], [1], True, id="with as many cards left as he may keep"),
        pytest.param(ENDS_AT_ONCE, (1, 0), ["3s"], [0], True, id="a leader with as many"),
    ],
)
def test_a_hand_ends_when_a_side_is_out(game, limits, plays, out, is_over):
    seating = seat_two("3s 5s", "4h 6h 7h", limits=limits)

    course = play_out(game, seating, [Play(index % 2, cards) for index, cards in enumerate(plays)])

    assert (course.fault, course.out, course.is_over) == (None, out, is_over)


def test_a_record_that_stops_early_names_who_would_be_next():
    seating = seat_two("3s 5s", "4h")

    fault = stops_early(SINGLES, seating, play_out(SINGLES, seating, [Play(0, "3s")]))

    assert (fault.rule, fault.section, fault.action, fault.player) == ("X-4", "plays", 1, None)
    assert fault.text == "the record stops before play 1, but the hand goes on: B would be next"


@pytest.mark.parametrize(
    ("plays", "rule", "text"),
    [
        pytest.param([(1, "4h")], "X-1", "play 0: B leads, but the lead is with A", id="first lead"),
        pytest.param([(0, "3s"), (0, "5s")], "X-2", "play 1: A acts out of turn, it is the turn of B", id="turn"),
        pytest.param([(0, "")], "X-2", "play 0: A passes, but who leads must play", id="leader passes"),
        pytest.param(
            [(0, "3s 4h 3s Zz")],
            "X-2",
            "play 0: A plays 4h 3s Zz, which is not, or not so often, in his hand",
            id="cards held",
        ),
        pytest.param([(0, "3s"), (1, ""), (1, "4h")], "X-3", "play 2: B leads, but the lead is with A", id="next lead"),
        pytest.param([(0, "3s 5s")], "X-5", "play 0: A plays 3s 5s, no combination", id="combination"),
        pytest.param(
            [(0, "5s"), (1, "4h")],
            "X-5",
            "play 1: B plays 4h, a single 5, which does not beat the single 9",
            id="beats",
        ),
        pytest.param([(5, "3s")], "X-1", "play 0: seat 5 leads, but the lead is with A", id="nobody's seat"),
    ],
)
def test_each_check_of_a_play_cites_its_rule_and_says_what_would_be_right(plays, rule, text):
    seating = seat_two("3s 5s", "4h 6h")

    fault = play_out(SINGLES, seating, plays).fault

    assert (fault.rule, fault.action) == (rule, len(plays) - 1)
    assert fault.text.split(" (")[0] == text


def test_a_wrong_play_of_a_million_cards_has_a_fault_of_one_line():
    seating = seat_two("3s 5s", "4h 6h")

    fault = play_out(SINGLES, seating, [(0, " ".join(["3s"] * 1_000_000))]).fault

    assert len(fault.text) < 300
