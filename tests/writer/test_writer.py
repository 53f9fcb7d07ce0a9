"""The writer batches what waits, refuses what it cannot take, and answers everybody."""

from concurrent.futures import wait
from dataclasses import replace
from threading import Thread

import pytest

from tests.bookkeeping import assert_sound, balances
from tests.callers import deposit, done, three_pots
from tests.writer.watching import Watcher, ask, refusal_of, stalled, until, writing
from zhangfang.application import CountingHouse
from zhangfang.domain.commands import Command
from zhangfang.errors import Reason, Refusal, Status
from zhangfang.writer.queue import BATCH_BYTES_MAX, BATCH_COMMANDS_MAX
from zhangfang.writer.thread import Writer


def test_what_gathers_while_a_batch_commits_is_the_next_batch(house: CountingHouse, database_url: str) -> None:
    watcher = Watcher()

    with writing(house, watcher) as writer:
        with stalled(database_url):
            first = ask(writer, deposit("A", 1))
            until(first.running)
            others = [ask(writer, deposit("A", 1)) for _ in range(100)]
            waiting = writer.queue_length
        positions = [future.result().event.position for future in (first, *others)]

    assert waiting == 100
    assert watcher.batches == [1, 100]
    assert watcher.positions == [positions[0], positions[-1]]
    assert positions == list(range(positions[0], positions[0] + 101))
    assert balances(house.database, "A") == [1101]


def test_a_batch_is_bounded(house: CountingHouse, database_url: str) -> None:
    watcher = Watcher()

    with writing(house, watcher) as writer:
        with stalled(database_url):
            first = ask(writer, deposit("A", 1))
            until(first.running)
            others = [ask(writer, deposit("A", 1)) for _ in range(BATCH_COMMANDS_MAX + 1)]
        wait(others)

    assert watcher.batches == [1, BATCH_COMMANDS_MAX, 1]
    assert_sound(house.database)


def of_length(byte_count: int) -> Command:
    """A deposit of 1 silver whose request is so long."""
    command = deposit("A", 1)
    return replace(command, request=command.request._replace(byte_count=byte_count))


def test_a_batch_is_bounded_in_bytes_and_holds_at_least_one_command(house: CountingHouse, database_url: str) -> None:
    watcher = Watcher()
    lengths = [BATCH_BYTES_MAX + 1, BATCH_BYTES_MAX - 1, 1, 1]

    with writing(house, watcher) as writer:
        with stalled(database_url):
            first = ask(writer, deposit("A", 1))
            until(first.running)
            others = [ask(writer, of_length(byte_count)) for byte_count in lengths]
        wait(others)

    assert watcher.batches == [1, 1, 2, 1]
    assert balances(house.database, "A") == [1005]


def test_more_bytes_than_may_wait_are_refused_at_once_and_taken_later(house: CountingHouse, database_url: str) -> None:
    with writing(house, queue_bytes_max=100) as writer:
        with stalled(database_url):
            first = ask(writer, deposit("A", 1))
            until(first.running)
            alone = ask(writer, of_length(101))
            with pytest.raises(Refusal) as refused:
                ask(writer, of_length(1))
        alone.result()
        waited = [ask(writer, of_length(50)).result() for _ in range(3)]

    assert (refused.value.status, refused.value.reason) == (Status.RESOURCE_EXHAUSTED, Reason.QUEUE_FULL)
    assert len(waited) == 3
    assert balances(house.database, "A") == [1005]


def test_a_batch_of_refusals_tells_no_position(house: CountingHouse) -> None:
    watcher = Watcher()

    with writing(house, watcher) as writer:
        refusal = refusal_of(ask(writer, deposit("nobody", 1)))

    assert refusal.reason is Reason.UNKNOWN_PLAYER
    assert (watcher.batches, watcher.positions) == ([1], [0])


def test_more_than_may_wait_is_refused_at_once_and_taken_later(house: CountingHouse, database_url: str) -> None:
    with writing(house, queue_max=3) as writer:
        with stalled(database_url):
            first = ask(writer, deposit("A", 1))
            until(first.running)
            waiting = [ask(writer, deposit("A", 1)) for _ in range(3)]
            with pytest.raises(Refusal) as refused:
                ask(writer, deposit("A", 1))
        wait(waiting)
        later = ask(writer, deposit("A", 1)).result()

    assert (refused.value.status, refused.value.reason) == (Status.RESOURCE_EXHAUSTED, Reason.QUEUE_FULL)
    assert later.is_repeat is False
    assert balances(house.database, "A") == [1005]


def test_a_command_cancelled_before_it_was_taken_never_was(house: CountingHouse, database_url: str) -> None:
    with writing(house) as writer:
        with stalled(database_url):
            first = ask(writer, deposit("A", 1))
            until(first.running)
            given_up, other = ask(writer, deposit("A", 100)), ask(writer, deposit("A", 10))
            assert given_up.cancel()
        wait([other])

    assert given_up.cancelled()
    assert balances(house.database, "A") == [1011]


def test_a_batch_of_cancelled_commands_is_no_append(house: CountingHouse, database_url: str) -> None:
    watcher = Watcher()

    with writing(house, watcher) as writer:
        with stalled(database_url):
            first = ask(writer, deposit("A", 1))
            until(first.running)
            assert ask(writer, deposit("A", 100)).cancel()
        first.result()
        until(lambda: writer.queue_length == 0)
        ask(writer, deposit("A", 10)).result()

    assert sum(watcher.batches) == 2
    assert balances(house.database, "A") == [1011]


def test_a_command_cancelled_after_it_was_taken_is_done_and_its_retry_gets_the_answer(
    house: CountingHouse, database_url: str
) -> None:
    command = deposit("A", 100)

    with writing(house) as writer:
        with stalled(database_url):
            taken = ask(writer, command)
            until(taken.running)
            assert not taken.cancel()
        retried = ask(writer, command).result()

    assert retried.is_repeat
    assert retried.event == taken.result().event
    assert balances(house.database, "A") == [1100]


def test_closing_finishes_what_waits_and_takes_nothing_more(house: CountingHouse, database_url: str) -> None:
    writer = Writer(house)
    closer = Thread(target=writer.close)

    with stalled(database_url):
        first = ask(writer, deposit("A", 1))
        until(first.running)
        waiting = [ask(writer, deposit("A", 1)) for _ in range(10)]
        closer.start()
        until(lambda: _is_refused(writer))
    closer.join()

    assert all(future.done() for future in (first, *waiting))
    assert balances(house.database, "A") == [1011]
    writer.close()


def _is_refused(writer: Writer) -> bool:
    try:
        # Nobody waits for this one: it is dropped if it was queued.
        ask(writer, deposit("nobody", 1)).cancel()
    except Refusal as refusal:
        return (refusal.status, refusal.reason) == (Status.UNAVAILABLE, Reason.SHUTTING_DOWN)
    return False


def test_a_repeat_and_its_original_may_wait_together(house: CountingHouse, database_url: str) -> None:
    done(house, deposit("A", 1))
    command = deposit("B", 5)

    with writing(house) as writer:
        with stalled(database_url):
            first = ask(writer, three_pots("h", "AB"))
            until(first.running)
            futures = [ask(writer, command) for _ in range(5)]
        answers = [future.result() for future in futures]

    assert [answer.is_repeat for answer in answers] == [False, True, True, True, True]
    assert len({answer.event.position for answer in answers}) == 1
