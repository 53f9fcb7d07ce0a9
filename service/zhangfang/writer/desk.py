"""The writer's desk: where a server hands in commands, whether a process beside it writes or a thread of its own.

The process is better, as the event loop then has the server's interpreter to itself. If it cannot be started, dies or
hangs, the server writes in a thread from then on, until it is started again. What the process had been given by then is
answered with UNAVAILABLE: it may be on disk or not, and whoever sends it again gets its answer.
"""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import count
from typing import Any, Protocol

import structlog

from zhangfang.application import CountingHouse
from zhangfang.config import Settings
from zhangfang.errors import Reason, Refusal, Status, shutting_down
from zhangfang.tally import Tally
from zhangfang.writer.line import Line
from zhangfang.writer.process import News, flatten
from zhangfang.writer.queue import Queue, Ticket, wanted
from zhangfang.writer.thread import Writer, WriterObserver, mistaken

log = structlog.get_logger()


class Accountant(WriterObserver, Protocol):
    """Who wants to know how the writer is doing, wherever it is."""

    def count(self, tally: Tally) -> None:
        """As ``batch_committed``, in numbers."""

    def judged(self, game: str, seconds: float) -> None:
        """A hand was judged inside a transaction."""


class Desk:
    """Takes commands in the event loop; bounded as the thread's queue is.

    Args:
        house: decides and appends if a thread writes; what follows its log is woken by either.
        accountant: told of every batch.
        settings: what the process opens, and how many commands may wait.
        on_loss: called in a thread when the process was lost: it may not have told how the books stand.
    """

    def __init__(
        self,
        house: CountingHouse,
        accountant: Accountant,
        settings: Settings,
        on_loss: Callable[[], None] = lambda: None,
    ) -> None:
        self._house = house
        self._accountant = accountant
        self._settings = settings
        self._on_loss = on_loss
        self._queue = Queue(settings.queue_max)
        self._given: dict[int, Ticket] = {}
        self._numbers = count()
        self._will_hand_in = False
        self._is_closing = False
        self._moved = asyncio.Event()
        self._line: Line | None = None
        self._thread: Writer | None = None
        self._looking: asyncio.Task[None] | None = None

    @property
    def queue_length(self) -> int:
        """How many commands wait to be taken."""
        return self._thread.queue_length if self._thread else len(self._queue)

    @property
    def pids(self) -> list[int]:
        """The process beside the server that writes, if there is one."""
        return [self._line.pid] if self._line and self._line.is_alive else []

    async def open(self, *, beside: bool) -> None:
        """Begins to write, in a process ``beside`` the server or in a thread; returns when commands can be taken."""
        if not beside:
            self._write_in_thread()
            return
        self._line = Line(self._hear, self._lose)
        try:
            await self._line.start(self._settings)
        except OSError as error:
            log.error("no_writer_process", error=repr(error))
            self._write_in_thread()

    def submit(self, ticket: Ticket) -> None:
        """Queues a command; it is dropped if nobody wants its answer any more when it is taken.

        Raises:
            Refusal: QUEUE_FULL or SHUTTING_DOWN; nothing was promised then.
        """
        if self._thread:
            self._thread.submit(ticket)
            return
        if self._is_closing:
            raise shutting_down()
        self._queue.add(ticket)
        if not self._will_hand_in:  # commands of one turn of the event loop travel together
            self._will_hand_in = True
            asyncio.get_running_loop().call_soon(self._hand_in)

    async def close(self) -> None:
        """Takes no more commands, finishes those it has, and ends."""
        self._is_closing = True
        while not self._thread and (self._queue or self._given):
            self._moved.clear()
            await self._moved.wait()
        if self._line:
            await self._line.end()
        if self._looking:
            await self._looking
        if self._thread:
            await asyncio.to_thread(self._thread.close)

    def _hand_in(self) -> None:
        """Gives the process one transaction's commands when it is done with those before; meanwhile they gather."""
        self._will_hand_in = False
        if not self._line or not self._line.is_alive or self._given:
            return
        while self._queue and not self._given:  # a batch of which everybody has gone is none
            given = {next(self._numbers): ticket for ticket in wanted(self._queue.take())}
            self._given.update(given)
            if given:
                self._send(self._line, [(number, flatten(each.command), each.tell) for number, each in given.items()])
        self._moved.set()

    def _send(self, line: Line, bundle: list[Any]) -> None:
        try:
            line.send(bundle)
        except Exception:  # a mistake of this program: nothing was sent
            log.exception("bundle_not_sent", commands=len(bundle))
            for number, _, _ in bundle:
                self._given.pop(number).promise.settle(mistaken())

    def _hear(self, news: Any) -> None:
        tallies, judged, failures, told = News._make(news)
        try:
            self._account_for(tallies, judged, failures)
        except Exception:  # nobody is kept from his answer
            log.exception("writer_not_observed")
        if any(tally.last_position for tally in tallies):
            self._house.recorder.wakeup.notify()
        for number, each in told:
            self._given.pop(number).promise.settle(each)
        self._hand_in()

    def _account_for(self, tallies: Sequence[Tally], judged: Sequence[tuple[str, float]], failures: int) -> None:
        for tally in tallies:
            self._accountant.count(tally)
        for game, seconds in judged:
            self._accountant.judged(game, seconds)
        for _ in range(failures):
            self._accountant.store_failed()

    def _lose(self) -> None:
        """The process has ended; what it was not given yet is written here."""
        self._accountant.store_failed()
        for ticket in self._given.values():
            ticket.promise.settle(_perhaps_done())
        self._given.clear()
        self._write_in_thread()
        self._looking = asyncio.get_running_loop().create_task(self._look_again())

    async def _look_again(self) -> None:
        with suppress(Refusal):  # the store is away
            await asyncio.to_thread(self._on_loss)

    def _write_in_thread(self) -> None:
        thread = Writer(self._house, self._accountant, self._settings.queue_max)
        while batch := self._queue.take():
            thread.submit(*batch)
        self._thread = thread
        self._moved.set()


def _perhaps_done() -> Refusal:
    text = "the process that writes has ended, and may have done this or not; send it again"
    return Refusal(Status.UNAVAILABLE, Reason.STORE_UNAVAILABLE, text)
