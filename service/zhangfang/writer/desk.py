"""The writer's desk: where a server hands in commands, whether a process beside it writes or a thread of its own.

The process is better, as the event loop then has the server's interpreter to itself. If it cannot be started, dies or
hangs, the server writes in a thread from then on, until it is started again. What the process had been given by then is
answered with UNAVAILABLE: it may be on disk or not, and whoever sends it again gets its answer.
"""

import asyncio
import subprocess
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from typing import Any, Protocol

import structlog

from zhangfang.application import CountingHouse
from zhangfang.beside import Ear, launch, pack
from zhangfang.config import Settings
from zhangfang.errors import Reason, Refusal, Status
from zhangfang.tally import Tally
from zhangfang.writer import process as writing
from zhangfang.writer.process import PING, News, flatten
from zhangfang.writer.thread import (
    BATCH_BYTES_MAX,
    BATCH_COMMANDS_MAX,
    QUEUE_BYTES_MAX,
    Ticket,
    Writer,
    WriterObserver,
    mistaken,
    queue_full,
    shutting_down,
)

log = structlog.get_logger()

START_SECONDS = 30
PATIENCE_SECONDS = 5
"""How long the process may take until it is there, and then for a sign of life, before it is taken for dead."""


class Accountant(WriterObserver, Protocol):
    """Who wants to know how the writer is doing, wherever it is."""

    def count(self, tally: Tally) -> None:
        """As ``batch_committed``, in numbers."""

    def judged(self, game: str, seconds: float) -> None:
        """A hand was judged inside a transaction."""


class Desk(asyncio.Protocol):
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
        self._on_loss = on_loss
        self._house = house
        self._accountant = accountant
        self._settings = settings
        self._queue: deque[Ticket] = deque()
        self._queue_bytes = 0
        self._given: dict[int, Ticket] = {}
        self._numbers = count()
        self._will_hand_in = False
        self._is_closing = False
        self._is_ended = False
        self._ear = Ear()
        self._process: subprocess.Popen[bytes] | None = None
        self._line: asyncio.WriteTransport | None = None
        self._is_alive = False
        self._was_heard = False
        self._patience: asyncio.TimerHandle | None = None
        self._thread: Writer | None = None
        self._settled = asyncio.Event()
        self._burial: asyncio.Task[None] | None = None

    @property
    def queue_length(self) -> int:
        """How many commands wait to be taken."""
        return self._thread.queue_length if self._thread else len(self._queue)

    @property
    def pids(self) -> list[int]:
        """The process beside the server that writes, if there is one."""
        return [self._process.pid] if self._is_alive and self._process else []

    async def open(self, *, beside: bool) -> None:
        """Begins to write, in a process ``beside`` the server or in a thread; returns when commands can be taken."""
        if not beside:
            self._write_in_thread()
            return
        try:
            self._process, ours = launch(writing.__name__)
        except OSError as error:
            log.error("no_writer_process", error=repr(error))
            self._write_in_thread()
            return
        loop = asyncio.get_running_loop()
        self._line, _ = await loop.create_connection(lambda: self, sock=ours)
        self._line.write(pack(self._settings))
        self._patience = loop.call_later(START_SECONDS, self._give_up, "it does not start")
        await self._settled.wait()

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
        queue_bytes = self._queue_bytes + ticket.command.request.byte_count
        if len(self._queue) >= self._settings.queue_max or (self._queue and queue_bytes > QUEUE_BYTES_MAX):
            raise queue_full(len(self._queue), self._settings.queue_max)
        self._queue.append(ticket)
        self._queue_bytes = queue_bytes
        if not self._will_hand_in:  # commands of one turn of the event loop travel together
            self._will_hand_in = True
            asyncio.get_running_loop().call_soon(self._hand_in)

    async def close(self) -> None:
        """Takes no more commands, finishes those it has, and ends."""
        self._is_closing = True
        while self._is_alive and (self._queue or self._given):
            self._settled.clear()
            await self._settled.wait()
        if self._burial:
            await self._burial
        was_alive, self._is_alive, self._is_ended = self._is_alive, False, True
        if self._line:
            self._line.close()
        await self._bury(kill=not was_alive)
        if self._thread:
            await asyncio.to_thread(self._thread.close)

    def data_received(self, data: bytes) -> None:
        """The process speaks. What it says first is what code it runs: other code may understand us otherwise."""
        self._was_heard = True
        for said in self._ear.hear(data):
            if self._is_alive:
                self._hear(said)
            elif said == writing.CODE:
                self._is_alive = True
                self._be_patient()
                self._settled.set()
            else:
                self._give_up("it runs other code than this server: it was changed, and the server not restarted")
                return
        self._hand_in()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - the process's exit code says more
        """The process died, or was given up, or was ended."""
        self._stop_waiting()
        if self._is_ended:
            return
        self._is_alive = False
        self._burial = asyncio.get_running_loop().create_task(self._fall_back())

    def _hand_in(self) -> None:
        """Gives the process one transaction's commands when it is done with those before; meanwhile they gather."""
        self._will_hand_in = False
        if not self._is_alive or not self._line or self._given:
            return
        bundle: list[Any] = []
        bundle_bytes = 0
        while self._queue and len(bundle) < BATCH_COMMANDS_MAX:
            byte_count = self._queue[0].command.request.byte_count
            if bundle and bundle_bytes + byte_count > BATCH_BYTES_MAX:
                break
            ticket = self._queue.popleft()
            self._queue_bytes -= byte_count
            if ticket.promise.take():  # otherwise who asked has gone
                number = next(self._numbers)
                self._given[number] = ticket
                bundle_bytes += byte_count
                bundle.append((number, flatten(ticket.command), ticket.tell))
        if bundle:
            self._send(bundle)

    def _send(self, bundle: list[Any]) -> None:
        assert self._line  # noqa: S101 - the process is alive
        try:
            self._line.write(pack(bundle))
        except Exception:  # a mistake of this program: nothing was sent
            log.exception("bundle_not_sent", commands=len(bundle))
            for number, _, _ in bundle:
                self._given.pop(number).promise.settle(mistaken())

    def _hear(self, news: Any) -> None:
        tallies, judged, failures, told = News._make(news)
        for tally in tallies:
            self._accountant.count(tally)
        for game, seconds in judged:
            self._accountant.judged(game, seconds)
        for _ in range(failures):
            self._accountant.store_failed()
        if any(tally.last_position for tally in tallies):
            self._house.recorder.wakeup.notify()
        for number, each in told:
            self._given.pop(number).promise.settle(each)
        self._settled.set()

    def _be_patient(self) -> None:
        """Waits for a sign of life from now on, and asks for one if there is anything to wait for."""
        self._stop_waiting()
        self._was_heard = False
        if self._line:
            self._line.write(pack(PING))
            self._patience = asyncio.get_running_loop().call_later(PATIENCE_SECONDS, self._look)

    def _look(self) -> None:
        if self._was_heard:
            self._be_patient()
        else:
            self._give_up("it does not answer")

    def _stop_waiting(self) -> None:
        if self._patience:
            self._patience.cancel()
            self._patience = None

    def _give_up(self, why: str) -> None:
        log.error("writer_given_up", writer_pid=self._process and self._process.pid, reason=why)
        self._stop_waiting()
        if self._line:
            self._line.abort()

    async def _fall_back(self) -> None:
        """Ends the process for good; what it was not given yet is written here."""
        process = self._process
        await self._bury(kill=True)
        status = process and process.returncode  # below zero a signal's number, our own SIGKILL's if it was given up
        log.error("writer_died", writer_pid=process and process.pid, exit=status, commands=len(self._given))
        self._accountant.store_failed()
        for ticket in self._given.values():
            ticket.promise.settle(_perhaps_done())
        self._given.clear()
        self._write_in_thread()
        with suppress(Refusal):  # the store is away
            await asyncio.to_thread(self._on_loss)

    async def _bury(self, *, kill: bool) -> None:
        process, self._process = self._process, None
        if process:
            if kill:
                process.kill()
            await asyncio.shield(asyncio.to_thread(_wait_for, process))

    def _write_in_thread(self) -> None:
        thread = Writer(self._house, self._accountant, self._settings.queue_max, QUEUE_BYTES_MAX)
        for ticket in self._queue:
            thread.submit(ticket)
        self._queue.clear()
        self._thread = thread
        self._settled.set()


def _wait_for(process: "subprocess.Popen[bytes]") -> None:
    """Waits for the end of a process that has nothing more to do."""
    try:
        process.wait(PATIENCE_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _perhaps_done() -> Refusal:
    text = "the process that writes has ended, and may have done this or not; send it again"
    return Refusal(Status.UNAVAILABLE, Reason.STORE_UNAVAILABLE, text)
