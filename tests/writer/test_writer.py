"""The writer batches what waits, refuses what it cannot take, and answers everybody whatever happens."""

from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager
from dataclasses import dataclass
from os import sched_yield
from threading import Event, Thread
from typing import Any

import pytest

from tests.bookkeeping import assert_sound, balances
from tests.callers import deposit, done, register, request, seat, three_pots
from tests.postgresql import PostgreSQL, name_in
from zhangfang.application import Answer, CountingHouse
from zhangfang.domain.books import Books
from zhangfang.domain.commands import Command
from zhangfang.domain.decide import DECIDERS
from zhangfang.domain.events import PlayerRegistered, SilverDeposited
from zhangfang.errors import Reason, Refusal, Status
from zhangfang.store.database import Database, Timeouts
from zhangfang.writer import BATCH_COMMANDS_MAX, Writer

SHORT = Timeouts(connection=2, lock=1, statement=1)


class Watcher:
    """Remembers what the writer told."""

    def __init__(self) -> None:
        self.batches: list[int] = []
        self.positions: list[int] = []
        self.failures = 0

    def batch_committed(self, command_count: int, seconds: float, position: int) -> None:
        assert seconds > 0
        self.batches.append(command_count)
        self.positions.append(position)

    def store_failed(self) -> None:
        self.failures += 1


@contextmanager
def writing(house: CountingHouse, observer: Any = None, **options: int) -> Iterator[Writer]:
    writer = Writer(house, observer, **options)
    try:
        yield writer
    finally:
        writer.close()


@contextmanager
def stalled(url: str) -> Iterator[None]:
    """Somebody else holds the log's head: whatever is taken waits."""
    other = Database(url)
    with other.write() as connection:
        connection.exec_driver_sql("UPDATE log_head SET position = position")
        yield
    other.close()


def until(is_so: Callable[[], bool]) -> None:
    """Gives way to other threads until something is so."""
    while not is_so():
        sched_yield()


def refusal_of(future: "Future[Answer]") -> Refusal:
    error = future.exception()
    assert isinstance(error, Refusal), error
    return error


@pytest.fixture
def house(database: Database) -> CountingHouse:
    counting_house = CountingHouse(database)
    seat(counting_house, A=1000, B=1000)
    return counting_house


def test_what_gathers_while_a_batch_commits_is_the_next_batch(house: CountingHouse, database_url: str) -> None:
    watcher = Watcher()

    with writing(house, watcher) as writer:
        with stalled(database_url):
            first = writer.submit(deposit("A", 1))
            until(first.running)
            others = [writer.submit(deposit("A", 1)) for _ in range(100)]
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
            first = writer.submit(deposit("A", 1))
            until(first.running)
            others = [writer.submit(deposit("A", 1)) for _ in range(BATCH_COMMANDS_MAX + 1)]
        wait(others)

    assert watcher.batches == [1, BATCH_COMMANDS_MAX, 1]
    assert_sound(house.database)


def test_a_batch_of_refusals_tells_no_position(house: CountingHouse) -> None:
    watcher = Watcher()

    with writing(house, watcher) as writer:
        refusal = refusal_of(writer.submit(deposit("nobody", 1)))

    assert refusal.reason is Reason.UNKNOWN_PLAYER
    assert (watcher.batches, watcher.positions) == ([1], [0])


def test_more_than_may_wait_is_refused_at_once_and_taken_later(house: CountingHouse, database_url: str) -> None:
    with writing(house, queue_max=3) as writer:
        with stalled(database_url):
            first = writer.submit(deposit("A", 1))
            until(first.running)
            waiting = [writer.submit(deposit("A", 1)) for _ in range(3)]
            with pytest.raises(Refusal) as refused:
                writer.submit(deposit("A", 1))
        wait(waiting)
        later = writer.submit(deposit("A", 1)).result()

    assert (refused.value.status, refused.value.reason) == (Status.RESOURCE_EXHAUSTED, Reason.QUEUE_FULL)
    assert later.is_repeat is False
    assert balances(house.database, "A") == [1005]


def test_a_command_cancelled_before_it_was_taken_never_was(house: CountingHouse, database_url: str) -> None:
    with writing(house) as writer:
        with stalled(database_url):
            first = writer.submit(deposit("A", 1))
            until(first.running)
            given_up, other = writer.submit(deposit("A", 100)), writer.submit(deposit("A", 10))
            assert given_up.cancel()
        wait([other])

    assert given_up.cancelled()
    assert balances(house.database, "A") == [1011]


def test_a_batch_of_cancelled_commands_is_no_append(house: CountingHouse, database_url: str) -> None:
    watcher = Watcher()

    with writing(house, watcher) as writer:
        with stalled(database_url):
            first = writer.submit(deposit("A", 1))
            until(first.running)
            assert writer.submit(deposit("A", 100)).cancel()
        first.result()
        until(lambda: writer.queue_length == 0)
        writer.submit(deposit("A", 10)).result()

    assert sum(watcher.batches) == 2
    assert balances(house.database, "A") == [1011]


def test_a_command_cancelled_after_it_was_taken_is_done_and_its_retry_gets_the_answer(
    house: CountingHouse, database_url: str
) -> None:
    command = deposit("A", 100)

    with writing(house) as writer:
        with stalled(database_url):
            taken = writer.submit(command)
            until(taken.running)
            assert not taken.cancel()
        retried = writer.submit(command).result()

    assert retried.is_repeat
    assert retried.event == taken.result().event
    assert balances(house.database, "A") == [1100]


def test_closing_finishes_what_waits_and_takes_nothing_more(house: CountingHouse, database_url: str) -> None:
    writer = Writer(house)
    closer = Thread(target=writer.close)

    with stalled(database_url):
        first = writer.submit(deposit("A", 1))
        until(first.running)
        waiting = [writer.submit(deposit("A", 1)) for _ in range(10)]
        closer.start()
        until(lambda: _is_refused(writer))
    closer.join()

    assert all(future.done() for future in (first, *waiting))
    assert balances(house.database, "A") == [1011]
    writer.close()


def _is_refused(writer: Writer) -> bool:
    try:
        # Nobody waits for this one: it is dropped if it was queued.
        writer.submit(deposit("nobody", 1)).cancel()
    except Refusal as refusal:
        return (refusal.status, refusal.reason) == (Status.UNAVAILABLE, Reason.SHUTTING_DOWN)
    return False


def test_a_store_that_is_locked_for_too_long_is_unavailable_and_then_used_again(
    house: CountingHouse, database_url: str
) -> None:
    database, watcher = Database(database_url, SHORT), Watcher()
    commands = [deposit("A", 1), deposit("A", 2)]

    with writing(CountingHouse(database), watcher) as writer:
        with stalled(database_url):
            failed = [refusal_of(future) for future in [writer.submit(command) for command in commands]]
        answers = [writer.submit(command).result() for command in commands]
    database.close()

    assert {(refusal.status, refusal.reason) for refusal in failed} == {(Status.UNAVAILABLE, Reason.STORE_UNAVAILABLE)}
    assert failed[0] is not failed[1]
    assert watcher.failures >= 1
    assert [answer.is_repeat for answer in answers] == [False, False]
    assert balances(house.database, "A") == [1003]


def test_a_disk_that_is_full_is_unavailable_and_used_again_when_there_is_room(sqlite_url: str) -> None:
    database = Database(sqlite_url)
    house = CountingHouse(database)
    seat(house, A=0)
    commands = [deposit("A", 1) for _ in range(200)]

    limit_pages(database, "(SELECT page_count FROM pragma_page_count)")
    with writing(house) as writer:
        failed = [refusal_of(future) for future in [writer.submit(command) for command in commands]]
        limit_pages(database, "1000000")
        answers = [writer.submit(command).result() for command in commands]
    assert_sound(database)
    assert balances(database, "A") == [200]
    database.close()

    assert {refusal.reason for refusal in failed} == {Reason.STORE_UNAVAILABLE}
    assert not any(answer.is_repeat for answer in answers)


def limit_pages(database: Database, pages: str) -> None:
    """How large the file may become, as the one connection that writes to it sees it."""
    with database.write() as connection:
        count = connection.exec_driver_sql(f"SELECT {pages}").scalar_one()
        connection.exec_driver_sql(f"PRAGMA max_page_count = {count}")


def test_a_postgresql_that_only_reads_is_unavailable(postgresql: PostgreSQL, postgresql_url: str) -> None:
    postgresql.execute(f"ALTER DATABASE {name_in(postgresql_url)} SET default_transaction_read_only = on")
    database, watcher = Database(postgresql_url), Watcher()

    with writing(CountingHouse(database), watcher) as writer:
        refusal = refusal_of(writer.submit(register("A")))
    database.close()

    assert (refusal.status, refusal.reason) == (Status.UNAVAILABLE, Reason.STORE_UNAVAILABLE)
    assert watcher.failures == 1


def test_who_holds_the_head_and_does_nothing_is_broken_off_for_who_waits(postgresql_url: str) -> None:
    stuck, database = Database(postgresql_url, SHORT), Database(postgresql_url)
    house = CountingHouse(database)

    with pytest.raises(Refusal) as refused:
        hold_too_long(stuck, house)
    stuck.close()
    answer = done(house, register("B"))[0]
    database.close()

    assert refused.value.reason is Reason.STORE_UNAVAILABLE
    assert answer.event.position == 2


def hold_too_long(stuck: Database, house: CountingHouse) -> None:
    """Holds the log's head until the server gives it to somebody else, and then wants to go on."""
    with stuck.write() as connection:
        connection.exec_driver_sql("UPDATE log_head SET position = position")
        done(house, register("A"))
        connection.exec_driver_sql("UPDATE log_head SET position = position")


@pytest.mark.parametrize("mode", ["fast", "immediate"])
def test_a_postgresql_that_goes_away_is_unavailable_and_then_used_again(
    postgresql: PostgreSQL, postgresql_url: str, mode: str
) -> None:
    database, watcher = Database(postgresql_url, SHORT), Watcher()
    house = CountingHouse(database)
    seat(house, A=1000)
    first, second = deposit("A", 1), deposit("A", 2)

    with writing(house, watcher) as writer:
        before = writer.submit(first).result()
        postgresql.stop(mode)
        try:
            while_away = [refusal_of(writer.submit(command)) for command in (second, second)]
        finally:
            postgresql.start()
        back = _first_answer(writer, second)
        again = writer.submit(first).result()
    assert_sound(database)
    database.close()

    assert {refusal.reason for refusal in while_away} == {Reason.STORE_UNAVAILABLE}
    assert watcher.failures >= 2
    assert back.is_repeat is False
    assert again.event == before.event


def test_a_crash_of_postgresql_under_load_loses_nothing_that_was_acknowledged(
    postgresql: PostgreSQL, postgresql_url: str
) -> None:
    database = Database(postgresql_url, SHORT)
    house = CountingHouse(database)
    seat(house, A=0)
    commands = [deposit("A", 1) for _ in range(2000)]
    acknowledged = Event()

    with writing(house) as writer:
        futures = [writer.submit(command) for command in commands]
        futures[100].add_done_callback(lambda _: acknowledged.set())
        acknowledged.wait()
        postgresql.stop("immediate")
        try:
            wait(futures)
        finally:
            postgresql.start()
        answers = {index: future.result() for index, future in enumerate(futures) if not future.exception()}
        on_disk = _first_answer(writer, commands[0])
        retried = [writer.submit(command) for command in commands]
        wait(retried)
    assert_sound(database)

    assert on_disk.is_repeat
    assert all(retried[index].result().event == answer.event for index, answer in answers.items())
    assert all(retried[index].result().is_repeat for index in answers)
    assert balances(database, "A") == [2000]
    database.close()


def _first_answer(writer: Writer, command: Command) -> Answer:
    """What a caller gets who sends a command again while it is answered with UNAVAILABLE."""
    while True:
        future = writer.submit(command)
        error = future.exception()
        if error is None:
            return future.result()
        assert isinstance(error, Refusal)
        assert error.status is Status.UNAVAILABLE, error


@dataclass(frozen=True, slots=True, kw_only=True)
class Poison(Command):
    """A command on which the service makes a mistake."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unwritable(Command):
    """A command whose event cannot be written down."""


def make_a_mistake(_books: Books, _command: Poison) -> list[Any]:
    raise ZeroDivisionError


def decide_the_unwritable(books: Books, command: Unwritable) -> list[SilverDeposited]:
    return [
        SilverDeposited(
            originator_id=f"transfer/{command.request.request_id}",
            originator_version=1,
            metadata=books.metadata(command.request),
            player_id="A",
            amount=2**64,
            note="",
            postings=(),
            held=0,
        )
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Clash(Command):
    """A command whose event takes a place in a stream that is taken."""


def decide_a_clash(books: Books, command: Clash) -> list[PlayerRegistered]:
    return [
        PlayerRegistered(
            originator_id="player/A",
            originator_version=1,
            metadata=books.metadata(command.request),
            player_id="A",
            display_name="",
        )
    ]


@pytest.fixture
def _deciders() -> Iterator[None]:
    mistakes: dict[type[Command], Any] = {
        Poison: make_a_mistake,
        Unwritable: decide_the_unwritable,
        Clash: decide_a_clash,
    }
    DECIDERS.update(mistakes)
    yield
    for kind in mistakes:
        del DECIDERS[kind]


@pytest.mark.usefixtures("_deciders")
@pytest.mark.parametrize("kind", [Poison, Unwritable, Clash])
def test_a_command_the_service_fails_on_fails_alone(
    house: CountingHouse, database_url: str, kind: type[Command]
) -> None:
    watcher = Watcher()

    with writing(house, watcher) as writer:
        with stalled(database_url):
            first = writer.submit(deposit("A", 1))
            until(first.running)
            before, poison, after = (
                writer.submit(command)
                for command in (deposit("A", 10), kind(request=request(kind.__name__)), deposit("A", 100))
            )
        refusal = refusal_of(poison)
        assert not before.result().is_repeat
        assert not after.result().is_repeat
        assert writer.submit(register("C")).result().event.position > 0

    assert (refusal.status, refusal.reason) == (Status.INTERNAL, Reason.INTERNAL)
    assert balances(house.database, "A") == [1111]
    assert watcher.failures == 0
    assert_sound(house.database)


class BrokenWatcher:
    """An observer that fails whatever it is told."""

    def batch_committed(self, command_count: int, seconds: float, position: int) -> None:
        raise ZeroDivisionError(command_count, seconds, position)

    def store_failed(self) -> None:
        raise ZeroDivisionError


def test_an_observer_that_fails_keeps_nobody_from_his_answer(house: CountingHouse, database_url: str) -> None:
    database = Database(database_url, SHORT)
    with writing(CountingHouse(database), BrokenWatcher()) as writer:
        first = writer.submit(deposit("A", 1)).result()
        with stalled(database_url):
            refusal = refusal_of(writer.submit(deposit("A", 1)))
        last = writer.submit(deposit("A", 1)).result()
    database.close()

    assert last.event.position == first.event.position + 1
    assert refusal.reason is Reason.STORE_UNAVAILABLE


def test_a_callback_that_fails_keeps_nobody_from_his_answer(house: CountingHouse) -> None:
    def fail(_future: "Future[Answer]") -> None:
        raise ZeroDivisionError

    with writing(house) as writer:
        first = writer.submit(deposit("A", 1))
        first.add_done_callback(fail)
        assert writer.submit(deposit("A", 1)).result()
        assert first.result()


def test_a_repeat_and_its_original_may_wait_together(house: CountingHouse, database_url: str) -> None:
    done(house, deposit("A", 1))
    command = deposit("B", 5)

    with writing(house) as writer:
        with stalled(database_url):
            first = writer.submit(three_pots("h", "AB"))
            until(first.running)
            futures = [writer.submit(command) for _ in range(5)]
        answers = [future.result() for future in futures]

    assert [answer.is_repeat for answer in answers] == [False, True, True, True, True]
    assert len({answer.event.position for answer in answers}) == 1
