"""A request that is sent again gets its first answer, for ever; another body under its id gets none."""

from collections.abc import Callable

import pytest

from tests.bookkeeping import assert_sound, balances, new_house
from tests.callers import (
    bet,
    close_table,
    deposit,
    done,
    finish,
    lost_bet,
    open_hand,
    open_table,
    other_body,
    refused,
    register,
    reverse,
    three_pots,
    void,
    withdraw,
)
from zhangfang.application import Answer, CountingHouse
from zhangfang.domain.commands import Command
from zhangfang.errors import Reason, Refusal, Status

Maker = Callable[[], tuple[list[Command], Command]]

COMMANDS: dict[str, Maker] = {
    "register": lambda: ([], register("D")),
    "deposit": lambda: ([], deposit("A", 5)),
    "withdraw": lambda: ([], withdraw("A", 5)),
    "open_table": lambda: ([], open_table("U")),
    "close_table": lambda: ([], close_table("T")),
    "settle": lambda: ([], three_pots("h", "ABC")),
    "settle_with_bets": lambda: ([], lost_bet("h", "A", "Z", 7)),
    "open_hand": lambda: ([], open_hand("h", "Z")),
    "choose": lambda: ([open_hand("h", "Z")], bet("h", "A", 7)),
    "finish": lambda: ([open_hand("h", "Z"), bet("h", "A", 7)], finish("h")),
    "void": lambda: ([open_hand("h", "Z"), bet("h", "A", 7)], void("h")),
    "void_unknown": lambda: ([], void("h")),
    "reverse": lambda: ([three_pots("h", "AB")], reverse("h")),
    "replace": lambda: ([three_pots("h", "AB"), reverse("h")], three_pots("i", "ABC", replaces="h")),
    "reverse_replacement": lambda: (
        [three_pots("h", "AB"), reverse("h"), three_pots("i", "ABC", replaces="h")],
        reverse("i"),
    ),
}

every_command = pytest.mark.parametrize("make", COMMANDS.values(), ids=COMMANDS.keys())


def told_again(answer: Answer) -> Answer:
    return answer._replace(is_repeat=True)


@every_command
def test_the_same_request_gets_the_same_answer_and_writes_nothing(house: CountingHouse, make: Maker) -> None:
    before, command = make()
    for earlier in before:
        done(house, earlier)
    first = done(house, command)[0]
    position = house.recorder.max_notification_id()

    again = done(house, command)[0]

    assert not first.is_repeat
    assert again == told_again(first)
    assert house.recorder.max_notification_id() == position


@every_command
def test_a_new_process_gives_the_first_answer_too(house: CountingHouse, make: Maker, database_url: str) -> None:
    before, command = make()
    for earlier in before:
        done(house, earlier)
    first = done(house, command)[0]

    restarted = new_house(database_url)
    again = done(restarted, command)[0]
    restarted.database.close()

    assert again == told_again(first)


@every_command
def test_the_first_answer_stands_whatever_happened_since(house: CountingHouse, make: Maker) -> None:
    before, command = make()
    for earlier in before:
        done(house, earlier)
    first = done(house, command)[0]
    for later in (deposit("A", 1), reverse("h"), reverse("i"), void("h"), close_table("U"), finish("h")):
        house.execute([later])

    again = done(house, command)[0]

    assert again == told_again(first)


@every_command
def test_another_body_under_the_same_id_is_refused(house: CountingHouse, make: Maker) -> None:
    before, command = make()
    for earlier in before:
        done(house, earlier)
    done(house, command)
    position = house.recorder.max_notification_id()

    refusal = refused(house, other_body(command))

    assert (refusal.status, refusal.reason) == (Status.ALREADY_EXISTS, Reason.REQUEST_ID_REUSED)
    assert house.recorder.max_notification_id() == position


@every_command
def test_one_batch_may_hold_a_request_many_times(house: CountingHouse, make: Maker) -> None:
    before, command = make()
    for earlier in before:
        done(house, earlier)

    first, second, other, third = house.execute([command, command, other_body(command), command])

    assert isinstance(first, Answer)
    assert second == third == told_again(first)
    assert isinstance(other, Refusal)
    assert other.reason is Reason.REQUEST_ID_REUSED
    assert_sound(house.database)


@every_command
def test_a_whole_story_fits_into_one_batch(house: CountingHouse, make: Maker) -> None:
    before, command = make()

    answers = done(house, *before, command)

    assert len(answers) == len(before) + 1
    assert_sound(house.database)


def test_a_refused_request_does_not_use_up_its_id(house: CountingHouse) -> None:
    too_much = withdraw("A", 1001, request_id="r")
    assert refused(house, too_much).reason is Reason.INSUFFICIENT_SILVER

    done(house, deposit("A", 1))

    assert done(house, too_much)[0].is_repeat is False
    assert balances(house.database, "A") == [0]


def test_an_id_belongs_to_one_kind_of_request(house: CountingHouse) -> None:
    done(house, deposit("A", 5, request_id="r"))

    refusal = refused(house, three_pots("h", "AB", request_id="r"))

    assert refusal.reason is Reason.REQUEST_ID_REUSED


@pytest.mark.parametrize(
    "request_id",
    [
        "-1",
        "7f3c9a52-1111-4222-8333-444455556666",
        "x" * 64,
        "é",
        "e\u0301",
        "😀",
        "\u202eab",
        "a'b",
        "50%",
        "a_b",
        '"',
        "\\",
    ],
    ids=[
        "number",
        "guid",
        "long",
        "nfc",
        "nfd",
        "emoji",
        "rtl",
        "quote",
        "percent",
        "underscore",
        "double",
        "backslash",
    ],
)
def test_ids_are_opaque(house: CountingHouse, request_id: str) -> None:
    first = done(house, deposit("A", 5, request_id=request_id))[0]
    registered = done(house, register(request_id))[0]

    assert done(house, deposit("A", 5, request_id=request_id))[0] == told_again(first)
    assert refused(house, register(request_id)).reason is Reason.PLAYER_EXISTS
    assert registered.event.originator_id == f"player/{request_id}"
    assert_sound(house.database)


def test_composed_and_decomposed_letters_are_different_ids(house: CountingHouse) -> None:
    done(house, register("é"), register("e\u0301"))

    done(house, deposit("é", 1), deposit("e\u0301", 2))

    assert balances(house.database, "é", "e\u0301") == [1, 2]
