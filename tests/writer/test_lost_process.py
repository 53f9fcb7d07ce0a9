"""A process that writes is not missed when it is gone, and ends with its server."""

import asyncio
import os
import signal
import subprocess
import sys

import pytest
import uvloop

from tests.bookkeeping import balances
from tests.callers import deposit
from tests.judges.test_pool import is_running
from tests.writer.desks import Books, ask, ask_all, at_desk, line_of, pid_of, reasons, until
from tests.writer.watching import stalled
from zhangfang.application import Answer, CountingHouse
from zhangfang.config import Settings
from zhangfang.errors import Reason, Refusal
from zhangfang.store.database import Database
from zhangfang.writer import line
from zhangfang.writer import process as writing
from zhangfang.writer.desk import Desk
from zhangfang.writer.line import Line
from zhangfang.writer.queue import BATCH_COMMANDS_MAX

MANY = 3 * BATCH_COMMANDS_MAX


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
