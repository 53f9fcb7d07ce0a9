"""A store that fails: everybody is told to try again, nothing is lost or done twice, and it is used again."""

from concurrent.futures import wait
from threading import Event

import pytest

from tests.bookkeeping import assert_sound, balances
from tests.callers import deposit, done, register, seat
from tests.postgresql import PostgreSQL, name_in
from tests.writer.watching import SHORT, Watcher, ask, refusal_of, stalled, writing
from zhangfang.application import Answer, CountingHouse
from zhangfang.domain.commands import Command
from zhangfang.errors import Reason, Refusal, Status
from zhangfang.store.database import Database
from zhangfang.writer.thread import Writer


def test_a_store_that_is_locked_for_too_long_is_unavailable_and_then_used_again(
    house: CountingHouse, database_url: str
) -> None:
    database, watcher = Database(database_url, SHORT), Watcher()
    commands = [deposit("A", 1), deposit("A", 2)]

    with writing(CountingHouse(database), watcher) as writer:
        with stalled(database_url):
            failed = [refusal_of(future) for future in [ask(writer, command) for command in commands]]
        answers = [ask(writer, command).result() for command in commands]
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
        failed = [refusal_of(future) for future in [ask(writer, command) for command in commands]]
        limit_pages(database, "1000000")
        answers = [ask(writer, command).result() for command in commands]
    assert_sound(database)
    assert balances(database, "A") == [200]
    database.close()

    assert {refusal.text for refusal in failed} == {"the store does not answer: its disk is full; try again"}
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
        refusal = refusal_of(ask(writer, register("A")))
    database.close()

    assert (refusal.status, refusal.reason) == (Status.UNAVAILABLE, Reason.STORE_UNAVAILABLE)
    assert "it takes no changes now" in refusal.text
    assert watcher.failures == 1


def test_who_holds_the_head_and_does_nothing_is_broken_off_for_who_waits(postgresql_url: str) -> None:
    stuck, database = Database(postgresql_url, SHORT), Database(postgresql_url)
    house = CountingHouse(database)

    with pytest.raises(Refusal) as refused:
        hold_too_long(stuck, house)
    stuck.close()
    answer = done(house, register("B"))[0]
    database.close()

    assert "a transaction stood still for too long" in refused.value.text
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
        before = ask(writer, first).result()
        postgresql.stop(mode)
        try:
            while_away = [refusal_of(ask(writer, command)) for command in (second, second)]
        finally:
            postgresql.start()
        back = _first_answer(writer, second)
        again = ask(writer, first).result()
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
        futures = [ask(writer, command) for command in commands]
        futures[100].add_done_callback(lambda _: acknowledged.set())
        acknowledged.wait()
        postgresql.stop("immediate")
        try:
            wait(futures)
        finally:
            postgresql.start()
        answers = {index: future.result() for index, future in enumerate(futures) if not future.exception()}
        on_disk = _first_answer(writer, commands[0])
        retried = [ask(writer, command) for command in commands]
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
        future = ask(writer, command)
        error = future.exception()
        if error is None:
            return future.result()
        assert isinstance(error, Refusal)
        assert error.status is Status.UNAVAILABLE, error
