"""What the tests of the writer's desk share: a desk in an event loop, and those who ask there."""

import asyncio
import os
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import uvloop

from tests.writer.watching import Watcher
from zhangfang.application import Answer, CountingHouse
from zhangfang.config import Settings
from zhangfang.domain.commands import Command
from zhangfang.errors import Refusal
from zhangfang.store.database import Database
from zhangfang.tally import Tally
from zhangfang.writer.desk import Desk
from zhangfang.writer.line import Line
from zhangfang.writer.queue import Tell, Ticket


class Books(Watcher):
    """Remembers what the desk told, in numbers or not."""

    def __init__(self) -> None:
        super().__init__()
        self.tallies: list[Tally] = []
        self.judgings: list[str] = []

    def count(self, tally: Tally) -> None:
        self.tallies.append(tally)

    def judged(self, game: str, seconds: float) -> None:
        assert seconds > 0
        self.judgings.append(game)


class Caller:
    """A promise in the event loop: ``told`` is what it is told."""

    def __init__(self) -> None:
        loop = asyncio.get_running_loop()
        self.told: asyncio.Future[Any] = loop.create_future()
        self._loop = loop

    def take(self) -> bool:
        return not self.told.done()

    def settle(self, told: Any) -> None:
        self._loop.call_soon_threadsafe(self.told.set_result, told)


def place(answer: Answer) -> tuple[int, bool]:
    """Tells where the answer's event is, and whether it was told before."""
    return answer.event.position, answer.is_repeat


def ask(desk: Desk, command: Command, tell: Tell = place) -> "asyncio.Future[Any]":
    """Submits a command; the future has what is told of it, or its Refusal."""
    caller = Caller()
    desk.submit(Ticket(command, tell, caller))
    return caller.told


def ask_all(desk: Desk, commands: Sequence[Command]) -> "asyncio.Future[list[Any]]":
    """Submits commands; the future has what is told of each."""
    return asyncio.gather(*[ask(desk, command) for command in commands])


def reasons(told: Sequence[Any]) -> list[Any]:
    """Why those that were refused were."""
    return [each.reason for each in told if isinstance(each, Refusal)]


def at_desk(
    url: str, work: Callable[[Desk], Awaitable[None]], *, beside: bool = True, books: Any = None, **settings: Any
) -> None:
    """Does some work at the desk of a house, by default with a process that writes."""

    async def run() -> None:
        database = Database(url)
        desk = Desk(CountingHouse(database), books or Books(), Settings(database_url=url, **settings))
        await desk.open(beside=beside)
        try:
            await work(desk)
        finally:
            await desk.close()
            database.close()
        assert desk.pids == []

    uvloop.run(run())


def line_of(desk: Desk) -> Line:
    """The line to the process that writes."""
    assert desk._line
    return desk._line


def pid_of(desk: Desk) -> int:
    """The process that writes."""
    return line_of(desk).pid


async def until(is_so: Callable[[], bool]) -> None:
    """Gives way until something is so."""
    while not is_so():
        await asyncio.to_thread(os.sched_yield)
