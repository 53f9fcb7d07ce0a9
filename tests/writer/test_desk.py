"""The writer's desk: a process beside the server writes as a thread of it would, and is not missed when it is gone."""

import asyncio
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace

import pytest
import uvloop

from tests.bookkeeping import assert_sound, balances
from tests.callers import deposit, open_table, register, three_pots, withdraw
from tests.judges.test_pool import is_running
from tests.writer.desks import Books, ask, ask_all, at_desk, line_of, pid_of, reasons, until
from tests.writer.watching import stalled
from zhangfang.application import Answer, CountingHouse
from zhangfang.beside import LENGTH, messages_of, pack, unpack
from zhangfang.config import Settings
from zhangfang.domain.commands import Judged
from zhangfang.errors import Reason, Refusal
from zhangfang.rules.verdict import Ended, Obligation
from zhangfang.store.database import Database
from zhangfang.tally import Tally
from zhangfang.writer import line
from zhangfang.writer import process as writing
from zhangfang.writer.desk import Desk
from zhangfang.writer.line import Line
from zhangfang.writer.thread import BATCH_COMMANDS_MAX

MANY = 3 * BATCH_COMMANDS_MAX


@pytest.fixture(params=["process", "thread"])
def beside(request: pytest.FixtureRequest) -> bool:
    """Whether a process beside the server writes."""
    return bool(request.param == "process")


@pytest.fixture(autouse=True)
def _path(monkeypatch: pytest.MonkeyPatch) -> None:
    """The process is to know what these tests tell."""
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(map(os.path.abspath, sys.path)))


@pytest.fixture
def sound(house: CountingHouse) -> Iterator[Database]:
    """The database of the house, which has to be in order after all."""
    yield house.database
    assert_sound(house.database)


def test_many_commands_are_done_in_their_order_and_told_to_who_asked(
    sound: Database, database_url: str, *, beside: bool
) -> None:
    async def work(desk: Desk) -> None:
        told = await ask_all(desk, [deposit("A", 1) for _ in range(MANY)])
        assert [position for position, _ in told] == list(range(told[0][0], told[0][0] + MANY))
        assert desk.queue_length == 0

    at_desk(database_url, work, beside=beside)
    assert balances(sound, "A") == [1000 + MANY]


def test_a_refusal_arrives_whole_and_a_repeat_gets_the_first_answer(
    sound: Database, database_url: str, *, beside: bool
) -> None:
    command = deposit("A", 5)

    async def work(desk: Desk) -> None:
        first, poor, again = await ask_all(desk, [command, withdraw("A", 10_000), command])
        assert again == (first[0], True)
        assert isinstance(poor, Refusal)
        assert poor.reason is Reason.INSUFFICIENT_SILVER
        assert poor.metadata["available"] == "1005"
        assert "1005" in str(poor)

    at_desk(database_url, work, beside=beside)


def test_what_was_done_is_counted(sound: Database, database_url: str) -> None:
    books = Books()

    async def work(desk: Desk) -> None:
        await ask_all(desk, [deposit("A", 5), deposit("B", 6)])
        await ask(desk, register("C"))

    at_desk(database_url, work, books=books)
    assert sum(tally.counts.get(("silver_deposited", ""), 0) for tally in books.tallies) == 11
    assert sum(tally.commands for tally in books.tallies) == 3
    assert books.tallies[-1].last_position == CountingHouse(sound).recorder.max_notification_id()
    assert all(tally.seconds > 0 for tally in books.tallies)


def test_who_follows_the_log_is_woken(house: CountingHouse, database_url: str) -> None:
    rung: list[bool] = []

    async def work(desk: Desk) -> None:
        desk._house.recorder.wakeup.notify = lambda: rung.append(True)  # type: ignore[method-assign]
        await ask(desk, deposit("A", 1))

    at_desk(database_url, work)
    assert rung


def failing_to_tell(answer: Answer) -> None:
    """A mistake in telling."""
    raise ZeroDivisionError(answer)


def test_a_mistake_in_telling_is_an_internal_error_of_one_answer(
    sound: Database, database_url: str, *, beside: bool
) -> None:
    async def work(desk: Desk) -> None:
        mistaken, other = await asyncio.gather(ask(desk, deposit("A", 1), failing_to_tell), ask(desk, deposit("A", 1)))
        assert mistaken.reason is Reason.INTERNAL
        assert other[1] is False

    at_desk(database_url, work, beside=beside)
    assert balances(sound, "A") == [1002]


def test_who_has_gone_before_his_command_is_taken_has_never_asked(sound: Database, database_url: str) -> None:
    async def work(desk: Desk) -> None:
        with stalled(database_url):
            taken = ask(desk, deposit("A", 1))
            await until(lambda: bool(desk._given))
            gone, neighbour = ask(desk, deposit("A", 10)), ask(desk, deposit("A", 100))
            gone.cancel()
        assert await taken
        assert await neighbour

    at_desk(database_url, work)
    assert balances(sound, "A") == [1101]


def test_beyond_the_queue_callers_are_refused_at_once(sound: Database, database_url: str) -> None:
    async def work(desk: Desk) -> None:
        with stalled(database_url):
            taken = ask(desk, deposit("A", 1))
            await until(lambda: bool(desk._given))
            waiting = [ask(desk, deposit("A", 1)) for _ in range(3)]
            with pytest.raises(Refusal) as refused:
                ask(desk, deposit("A", 1))
            assert desk.queue_length == 3
        await asyncio.gather(taken, *waiting)
        assert refused.value.reason is Reason.QUEUE_FULL
        assert refused.value.metadata == {"queue_max": "3"}

    at_desk(database_url, work, queue_max=3)
    assert balances(sound, "A") == [1004]


def test_closing_finishes_what_was_asked_and_takes_no_more(sound: Database, database_url: str, *, beside: bool) -> None:
    async def work(desk: Desk) -> None:
        told = ask_all(desk, [deposit("A", 1) for _ in range(MANY)])
        await desk.close()
        assert reasons(await told) == []
        with pytest.raises(Refusal) as refused:
            ask(desk, deposit("A", 1))
        assert refused.value.reason is Reason.SHUTTING_DOWN

    at_desk(database_url, work, beside=beside)
    assert balances(sound, "A") == [1000 + MANY]


def test_a_store_that_takes_its_time_is_no_reason_to_give_the_process_up(
    sound: Database, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(line, "PATIENCE_SECONDS", 2)
    signs_of_life: list[bool] = []

    async def work(desk: Desk) -> None:
        process = line_of(desk)
        monkeypatch.setattr(process, "_be_patient", lambda: (signs_of_life.append(True), Line._be_patient(process)))
        with stalled(database_url):
            slow = ask(desk, deposit("A", 1))
            await until(lambda: len(signs_of_life) == 3)
        assert await slow
        assert desk.pids

    at_desk(database_url, work)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP], ids=["killed", "stopped"])
def test_when_the_process_is_lost_a_thread_writes_and_nothing_is_lost_or_done_twice(
    sound: Database, database_url: str, number: signal.Signals, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(line, "PATIENCE_SECONDS", 1)
    books = Books()

    async def work(desk: Desk) -> None:
        with stalled(database_url):
            given = [deposit("A", 1) for _ in range(5)]
            under_way = ask_all(desk, given)
            await until(lambda: bool(desk._given))
            waiting = ask_all(desk, [deposit("A", 1) for _ in range(7)])
            os.kill(pid_of(desk), number)
            told = await under_way
        assert reasons(told) == [Reason.STORE_UNAVAILABLE] * 5
        assert reasons(await waiting) == []
        assert desk.pids == []
        assert desk.queue_length == 0
        assert reasons(await ask_all(desk, given)) == []

    at_desk(database_url, work, books=books)
    assert balances(sound, "A") == [1012]
    assert books.failures == 1


def test_a_process_that_is_killed_under_load_does_everything_once(sound: Database, database_url: str) -> None:
    commands = [deposit("A", 1) for _ in range(MANY)]

    async def work(desk: Desk) -> None:
        told = [ask(desk, command) for command in commands]
        await told[0]
        os.kill(pid_of(desk), signal.SIGKILL)
        lost = [command for command, each in zip(commands, told, strict=True) if isinstance(await each, Refusal)]
        assert len(lost) <= BATCH_COMMANDS_MAX
        assert reasons(await ask_all(desk, lost)) == []

    at_desk(database_url, work)
    assert balances(sound, "A") == [1000 + MANY]


def test_a_process_that_is_lost_while_the_server_drains_keeps_nothing_from_being_finished(
    sound: Database, database_url: str
) -> None:
    async def work(desk: Desk) -> None:
        with stalled(database_url):
            under_way = ask(desk, deposit("A", 1))
            await until(lambda: bool(desk._given))
            waiting = ask(desk, deposit("A", 10))
            closing = asyncio.create_task(desk.close())
            await until(lambda: desk._is_closing)
            os.kill(pid_of(desk), signal.SIGKILL)
            assert (await under_way).reason is Reason.STORE_UNAVAILABLE
        await closing
        assert (await waiting)[1] is False

    at_desk(database_url, work)
    assert balances(sound, "A") in ([1010], [1011])


def test_a_process_that_does_not_end_is_ended(
    house: CountingHouse, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(line, "PATIENCE_SECONDS", 1)
    pids: list[int] = []

    async def work(desk: Desk) -> None:
        pids.append(pid_of(desk))
        os.kill(pids[0], signal.SIGSTOP)

    at_desk(database_url, work)
    assert not is_running(pids[0])


def test_a_process_that_runs_other_code_is_not_asked(
    sound: Database, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing, "CODE", b"other")

    async def work(desk: Desk) -> None:
        assert desk.pids == []
        assert await ask(desk, deposit("A", 1))

    at_desk(database_url, work)
    assert balances(sound, "A") == [1001]


def test_where_no_process_can_be_started_a_thread_writes(
    sound: Database, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")

    async def work(desk: Desk) -> None:
        assert desk.pids == []
        assert await ask(desk, deposit("A", 1))

    at_desk(database_url, work)


def test_a_hand_that_is_judged_inside_a_transaction_is_timed_where_it_is_counted(
    sound: Database, database_url: str
) -> None:
    books = Books()

    async def work(desk: Desk) -> None:
        assert reasons(await ask_all(desk, [open_table("T"), three_pots("h", "AB")])) == []

    at_desk(database_url, work, books=books)
    assert books.judgings == ["bi_ji"]
    assert sum(tally.counts.get(("hands_settled", "bi_ji"), 0) for tally in books.tallies) == 1


def test_a_hand_that_was_judged_beforehand_arrives_as_it_was_but_for_its_outcome() -> None:
    judged = Judged(Ended.NORMAL, ("A", "B"), (Obligation("A", "B", 5),), "outcome", 10, b"encoded")
    hand = replace(three_pots("h", "AB"), record=None, judged=judged)

    there = writing.restore(unpack(pack(writing.flatten(hand))[LENGTH.size :]))

    assert there == replace(hand, judged=judged._replace(outcome=None))


KILLED_SERVER = """
import asyncio, sys
from zhangfang.application import CountingHouse
from zhangfang.config import Settings
from zhangfang.metrics import Metrics
from zhangfang.store.database import Database
from zhangfang.tally import Tally
from zhangfang.writer.desk import Desk
from zhangfang.writer.line import Line

async def run():
    desk = Desk(CountingHouse(Database(sys.argv[1])), Metrics(), Settings(database_url=sys.argv[1]))
    await desk.open(beside=True)
    print("writer", *desk.pids, flush=True)
    await asyncio.Event().wait()

asyncio.run(run())
"""


def test_the_process_ends_with_a_server_that_is_killed(house: CountingHouse, database_url: str) -> None:
    command = [sys.executable, "-c", KILLED_SERVER, database_url]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout
        try:
            line = next(line for line in server.stdout if line.startswith("writer "))
        finally:
            server.kill()

    while is_running(int(line.split()[1])):
        pass


def test_signals_to_the_whole_group_are_the_servers_to_act_on(sound: Database, database_url: str) -> None:
    async def work(desk: Desk) -> None:
        for number in (signal.SIGINT, signal.SIGTERM):
            os.kill(pid_of(desk), number)
        assert await ask(desk, deposit("A", 1))
        assert desk.pids

    at_desk(database_url, work)


def test_one_look_that_sees_no_sign_of_life_is_not_enough(sound: Database, database_url: str) -> None:
    """When a machine that stood still goes on, clocks have run out before anything is heard."""

    async def work(desk: Desk) -> None:
        process = line_of(desk)
        process._was_heard = False
        process._look(line.LOOKS)
        assert await ask(desk, deposit("A", 1))
        process._look(1)
        assert await ask(desk, deposit("A", 1))
        assert desk.pids

    at_desk(database_url, work)


class Careless(Books):
    """Fails at every number."""

    def count(self, tally: Tally) -> None:
        raise ZeroDivisionError(tally)


def test_an_accountant_who_fails_keeps_nobody_from_his_answer(sound: Database, database_url: str) -> None:
    async def work(desk: Desk) -> None:
        assert await ask(desk, deposit("A", 1))
        assert await ask(desk, deposit("A", 1))
        assert desk.pids

    at_desk(database_url, work, books=Careless())


def untold(_answer: Answer) -> object:
    """Tells what cannot be sent."""
    return lambda: None


def test_a_process_that_cannot_tell_ends_and_a_thread_writes(sound: Database, database_url: str) -> None:
    async def work(desk: Desk) -> None:
        told = await asyncio.gather(ask(desk, deposit("A", 1), untold), ask(desk, deposit("A", 1)))
        assert reasons(told) == [Reason.STORE_UNAVAILABLE] * 2
        assert await ask(desk, deposit("A", 1))
        assert desk.pids == []

    at_desk(database_url, work)
    assert balances(sound, "A") == [1003]


def test_closing_while_the_process_starts_ends_it(house: CountingHouse, database_url: str) -> None:
    async def work(desk: Desk) -> None:
        starting = asyncio.create_task(desk.open(beside=True))
        await until(lambda: desk._line is not None and desk._line._transport is not None)
        pid = pid_of(desk)
        starting.cancel()
        await desk.close()
        assert not is_running(pid)
        assert desk._thread is None

    async def run() -> None:
        desk = Desk(house, Books(), Settings(database_url=database_url))
        await work(desk)

    uvloop.run(run())


def test_how_the_books_stand_is_looked_at_again_when_the_process_was_lost(
    house: CountingHouse, database_url: str
) -> None:
    looked: list[bool] = []

    async def run() -> None:
        desk = Desk(house, Books(), Settings(database_url=database_url), lambda: looked.append(True))
        await desk.open(beside=True)
        os.kill(pid_of(desk), signal.SIGKILL)
        await until(lambda: bool(looked))
        await desk.close()

    uvloop.run(run())


def test_a_message_that_breaks_off_is_none() -> None:
    server, process = socket.socketpair()
    with process:
        with server:
            server.sendall(pack("whole") + pack("broken off")[:-1])
        assert list(messages_of(process)) == ["whole"]


def test_a_command_that_cannot_be_sent_is_an_internal_error(sound: Database, database_url: str) -> None:
    async def work(desk: Desk) -> None:
        refused = await ask(desk, deposit("A", 1), lambda answer: answer)
        assert refused.reason is Reason.INTERNAL
        assert await ask(desk, deposit("A", 1))
        assert desk.pids

    at_desk(database_url, work)
    assert balances(sound, "A") == [1001]
