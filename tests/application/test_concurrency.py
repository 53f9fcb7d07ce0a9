"""Many at once: one of those who race wins, nobody is forgotten, and no follower misses anything, on both stores."""

import multiprocessing
import os
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import Barrier

import pytest

from tests.application import processes
from tests.bookkeeping import assert_sound, balances, new_house
from tests.callers import (
    bet,
    deposit,
    done,
    finish,
    lost_bet,
    open_hand,
    register,
    reverse,
    seat,
    three_pots,
    void,
    withdraw,
)
from tests.postgresql import PostgreSQL, name_in
from tests.writer.watching import ask
from zhangfang.application import Answer, CountingHouse
from zhangfang.domain.commands import Command
from zhangfang.errors import Reason, Refusal, Status
from zhangfang.store.database import Database
from zhangfang.store.log import read_head
from zhangfang.writer.thread import Writer

CALLERS = 64
WRITERS = 8
EVENT_COUNT = int(os.environ.get("ZHANGFANG_TEST_EVENTS", "20000"))
"""How many events the processes append; a million takes minutes and is asked for by name."""


@pytest.fixture
def houses(house: CountingHouse, database_url: str) -> Iterator[list[CountingHouse]]:
    """Two houses on one store, as in two processes."""
    other = new_house(database_url)
    yield [house, other]
    other.database.close()


def at_once(houses: Sequence[CountingHouse], commands: Sequence[Command]) -> list[Answer | Refusal]:
    """Every command from a thread of its own, all at the same moment, at the houses in turn."""
    barrier = Barrier(len(commands))

    def call(index: int) -> Answer | Refusal:
        barrier.wait()
        return houses[index % len(houses)].execute([commands[index]])[0]

    with ThreadPoolExecutor(len(commands)) as callers:
        return list(callers.map(call, range(len(commands))))


def reasons(answers: Sequence[Answer | Refusal]) -> Counter[str]:
    """How many were done, told again, or refused for which reason."""
    return Counter(
        answer.reason.value if isinstance(answer, Refusal) else "told again" if answer.is_repeat else "done"
        for answer in answers
    )


def test_many_callers_of_one_new_hand_get_one_settlement(houses: list[CountingHouse]) -> None:
    command = three_pots("h", "ABC")

    answers = at_once(houses, [command] * CALLERS)

    assert reasons(answers) == {"done": 1, "told again": CALLERS - 1}
    told = [answer._replace(is_repeat=False) for answer in answers if isinstance(answer, Answer)]
    assert all(answer == told[0] for answer in told)
    assert balances(houses[0].database, "A", "B", "C") == [990, 970, 1040]
    assert_sound(houses[0].database)


def test_many_callers_of_one_new_hand_at_the_writer_get_one_settlement(house: CountingHouse) -> None:
    command = three_pots("h", "ABC")
    writer, barrier = Writer(house), Barrier(CALLERS)

    def call(_: int) -> Answer:
        barrier.wait()
        return ask(writer, command).result()

    with ThreadPoolExecutor(CALLERS) as callers:
        answers = list(callers.map(call, range(CALLERS)))
    writer.close()

    assert reasons(answers) == {"done": 1, "told again": CALLERS - 1}
    assert len({answer.event.position for answer in answers}) == 1
    assert_sound(house.database)


def test_many_callers_with_requests_of_their_own_for_one_hand_get_one_settlement(houses: list[CountingHouse]) -> None:
    answers = at_once(houses, [three_pots("h", "ABC") for _ in range(CALLERS)])

    assert reasons(answers) == {"done": 1, Reason.HAND_EXISTS: CALLERS - 1}
    assert_sound(houses[0].database)


def test_different_requests_under_one_id_get_one_answer(houses: list[CountingHouse]) -> None:
    answers = at_once(houses, [deposit("A", amount, request_id="r") for amount in range(1, CALLERS + 1)])

    assert reasons(answers) == {"done": 1, Reason.REQUEST_ID_REUSED: CALLERS - 1}
    assert_sound(houses[0].database)


RACES: dict[str, tuple[list[Command], Callable[[int], Command], set[Reason]]] = {
    "finish": ([open_hand("h", "Z"), bet("h", "A", 5)], lambda _: finish("h"), {Reason.HAND_NOT_OPEN}),
    "void": ([open_hand("h", "Z"), bet("h", "A", 5)], lambda _: void("h"), {Reason.HAND_VOIDED}),
    "finish_or_void": (
        [open_hand("h", "Z"), bet("h", "A", 5)],
        lambda number: finish("h") if number % 2 else void("h"),
        {Reason.HAND_NOT_OPEN, Reason.HAND_VOIDED},
    ),
    "reverse": ([three_pots("h", "AB")], lambda _: reverse("h"), {Reason.HAND_ALREADY_REVERSED}),
    "replace": (
        [three_pots("h", "AB"), reverse("h")],
        lambda number: three_pots(f"i{number}", "AB", replaces="h"),
        {Reason.REPLACED_HAND_NOT_REVERSED},
    ),
    "void_or_settle_what_is_unknown": (
        [],
        lambda number: void("h") if number % 2 else lost_bet("h", "A", "Z", 5),
        {Reason.HAND_NOT_OPEN, Reason.HAND_VOIDED, Reason.HAND_EXISTS},
    ),
    "register": ([], lambda _: register("D"), {Reason.PLAYER_EXISTS}),
    "withdraw_everything": ([], lambda _: withdraw("A", 1000), {Reason.INSUFFICIENT_SILVER}),
}


@pytest.mark.parametrize(("before", "make", "lost"), RACES.values(), ids=RACES.keys())
def test_exactly_one_of_those_who_race_wins(
    houses: list[CountingHouse], before: list[Command], make: Callable[[int], Command], lost: set[Reason]
) -> None:
    done(houses[0], *before)

    answers = at_once(houses, [make(number) for number in range(16)])

    assert reasons(answers)["done"] == 1
    assert {answer.reason for answer in answers if isinstance(answer, Refusal)} <= lost
    assert_sound(houses[0].database)


def test_racing_bets_never_hold_more_than_there_is(houses: list[CountingHouse]) -> None:
    done(houses[0], open_hand("h", "Z"))

    answers = at_once(houses, [bet("h", "A", 130) for _ in range(24)])

    assert reasons(answers) == {"done": 7, Reason.CHOICE_REFUSED: 17}
    done(houses[0], finish("h"))
    assert balances(houses[0].database, "A", "Z") == [90, 1910]
    assert_sound(houses[0].database)


def test_no_lock_error_surfaces_with_many_clients_at_once(houses: list[CountingHouse]) -> None:
    answers = at_once(houses, [deposit("A", 1) for _ in range(CALLERS)])

    assert reasons(answers) == {"done": CALLERS}
    assert balances(houses[0].database, "A") == [1000 + CALLERS]
    assert_sound(houses[0].database)


def test_appends_through_two_houses_wake_the_follower_of_each(houses: list[CountingHouse]) -> None:
    start = houses[0].recorder.max_notification_id()
    with (
        houses[0].recorder.subscribe(gt=start) as of_first,
        houses[1].recorder.subscribe(gt=start, topics=["SilverDeposited"]) as of_second,
    ):
        done(houses[0], deposit("A", 1), register("D"))
        done(houses[1], deposit("A", 2))

        seen = [next(of_first).topic for _ in range(3)]
        filtered = [next(of_second).topic for _ in range(2)]

    assert seen == ["SilverDeposited", "PlayerRegistered", "SilverDeposited"]
    assert filtered == ["SilverDeposited", "SilverDeposited"]


@pytest.mark.timeout(600 + EVENT_COUNT / 200)
@pytest.mark.parametrize("store", ["sqlite", "postgresql"])
def test_a_follower_misses_nothing_that_many_processes_append(store: str, request: pytest.FixtureRequest) -> None:
    url = request.getfixturevalue(f"{store}_url")
    database = Database(url)
    each = EVENT_COUNT // WRITERS // processes.BATCH_COMMANDS * processes.BATCH_COMMANDS
    names = [f"P{number}" for number in range(WRITERS)]
    seat(CountingHouse(database), **dict.fromkeys(names, 0))
    last_position = WRITERS + each * WRITERS
    context = multiprocessing.get_context("spawn")
    start = context.Barrier(WRITERS + 1).wait

    running = [context.Process(target=processes.append, args=(url, name, each, start)) for name in names]
    running.append(context.Process(target=processes.follow, args=(url, last_position, start)))
    for process in running:
        process.start()
    for process in running:
        process.join()

    assert [process.exitcode for process in running] == [0] * len(running)
    assert balances(database, *names) == [each] * WRITERS
    if EVENT_COUNT <= 100_000:
        assert_sound(database)
    with database.read() as connection:
        assert read_head(connection).position == last_position
    database.close()


def test_a_writer_whose_process_is_killed_leaves_whole_batches(postgresql_url: str) -> None:
    database = Database(postgresql_url)
    house = CountingHouse(database)
    seat(house, P=0)
    context = multiprocessing.get_context("spawn")
    start = context.Event()
    process = context.Process(target=processes.append, args=(postgresql_url, "P", 1_000_000, start.set))
    process.start()

    with house.recorder.subscribe(gt=500) as subscription:
        next(subscription)
    process.kill()
    process.join()

    answers = done(house, deposit("P", 1))
    assert (answers[0].event.position - 2) % processes.BATCH_COMMANDS == 0
    assert_sound(database)
    database.close()


def test_a_repeat_is_a_repeat_after_a_backup_was_restored(store_copy: Callable[[], str], house: CountingHouse) -> None:
    command = three_pots("h", "AB")
    first = done(house, command)[0]

    restored = new_house(store_copy())
    again = done(restored, command)[0]
    other = restored.execute([replace(command, request=command.request._replace(fingerprint=b"other"))])[0]
    assert_sound(restored.database)
    restored.database.close()

    assert again == first._replace(is_repeat=True)
    assert isinstance(other, Refusal)
    assert (other.status, other.reason) == (Status.ALREADY_EXISTS, Reason.REQUEST_ID_REUSED)


@pytest.fixture
def store_copy(
    database: Database, database_url: str, request: pytest.FixtureRequest, tmp_path: Path
) -> Iterator[Callable[[], str]]:
    """Makes a copy of the store as a backup would, and says where it is."""
    copies: list[str] = []

    def copy_postgresql() -> str:
        server: PostgreSQL = request.getfixturevalue("postgresql")
        database.close()
        copies.append(server.create(template=name_in(database_url)))
        return copies[-1]

    def copy_sqlite() -> str:
        source, copy = sqlite3.connect(database.sqlite_path), sqlite3.connect(tmp_path / "restored.db")
        source.backup(copy)
        source.close()
        copy.close()
        return f"sqlite:///{tmp_path / 'restored.db'}"

    yield copy_sqlite if database.is_sqlite else copy_postgresql
    for url in copies:
        request.getfixturevalue("postgresql").drop(url)
