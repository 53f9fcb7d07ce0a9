"""The counter between the event loop and the threads that touch the database."""

import asyncio
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

import structlog

from zhangfang.application import Answer, CountingHouse
from zhangfang.domain.commands import Command
from zhangfang.errors import Reason, Refusal, Status
from zhangfang.metrics import Metrics
from zhangfang.store.outages import explained
from zhangfang.writer import Writer

log = structlog.get_logger()

Read = TypeVar("Read")

PAGE_READERS = 2


class Counter:
    """Hands commands to the writer and questions to reading threads, and waits without blocking the loop.

    A caller who goes away before his command was taken has never asked; one that was taken is finished, and the retry
    gets its answer. ``stopping`` is set when the server begins to drain: streams without an end of their own end then.
    """

    def __init__(self, house: CountingHouse, writer: Writer, metrics: Metrics, reader_count: int) -> None:
        self.house = house
        self.metrics = metrics
        self.stopping = asyncio.Event()
        self._writer = writer
        self._trouble = ""
        self._post = Post(asyncio.get_running_loop())
        self._readers = ThreadPoolExecutor(reader_count, thread_name_prefix="reader")
        self._page_readers = ThreadPoolExecutor(PAGE_READERS, thread_name_prefix="page-reader")

    async def submit(self, command: Command) -> Answer:
        """The writer's answer to a command.

        Raises:
            Refusal: the writer's.
        """
        return await self.wait_for(self.begin(command))

    def begin(self, command: Command) -> "Future[Answer]":
        """Hands a command to the writer, without waiting for its answer.

        Raises:
            Refusal: if the writer takes none.
        """
        answered = self._writer.submit(command)
        # Counted by the writer's thread: what was done is counted whether or not the caller still waits for it.
        answered.add_done_callback(self._count)
        return answered

    async def wait_for(self, answered: "Future[Answer]") -> Answer:
        """The answer to a command that was begun.

        Raises:
            Refusal: the writer's.
        """
        return answered.result() if answered.done() else await self._post.wait_for(answered)

    async def read(self, question: Callable[[], Read]) -> Read:
        """The answer to a question, found in a thread that may wait for the database."""
        return await self._ask(self._readers, question)

    async def read_much(self, question: Callable[[], Read]) -> Read:
        """The answer to a question that takes long, in threads of its own: short ones do not wait behind it."""
        return await self._ask(self._page_readers, question)

    async def _ask(self, readers: ThreadPoolExecutor, question: Callable[[], Read]) -> Read:
        try:
            answer = await asyncio.get_running_loop().run_in_executor(readers, question)
        except Refusal as refusal:
            if refusal.reason is Reason.STORE_UNAVAILABLE:
                self._note(explained(refusal))
            raise
        self._note("")
        return answer

    def _note(self, trouble: str) -> None:
        """Writes to the log what is wrong with the store, and when nothing is any more; not each time somebody asks."""
        if trouble != self._trouble:
            self._trouble = trouble
            if trouble:
                log.error("store_unavailable", error=trouble)
            else:
                log.info("store_available")

    def close(self) -> None:
        """Ends the reading threads."""
        self._readers.shutdown(cancel_futures=True)
        self._page_readers.shutdown(cancel_futures=True)

    def _count(self, answered: "Future[Answer]") -> None:
        if not answered.cancelled() and answered.exception() is None:
            self.metrics.answered(answered.result())


class Post:
    """Carries answers from the writer's thread to the event loop, those of one batch in one errand.

    Waking the loop for each of them costs about as much as deciding a command.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._letters: deque[tuple[asyncio.Future[Answer], Future[Answer]]] = deque()
        self._is_on_its_way = False

    async def wait_for(self, answered: "Future[Answer]") -> Answer:
        """What a future of another thread comes to; who stops waiting cancels it, if it has not begun."""
        awaited: asyncio.Future[Answer] = self._loop.create_future()
        answered.add_done_callback(lambda done: self._bring(awaited, done))
        try:
            return await awaited
        except asyncio.CancelledError:
            answered.cancel()
            raise

    def _bring(self, awaited: "asyncio.Future[Answer]", answered: "Future[Answer]") -> None:
        self._letters.append((awaited, answered))
        if not self._is_on_its_way:
            self._is_on_its_way = True
            try:
                self._loop.call_soon_threadsafe(self._hand_out)
            except RuntimeError:  # the loop is closed: nobody waits any more
                self._letters.clear()

    def _hand_out(self) -> None:
        # Before the letters are looked at: one that comes from now on sends another errand, perhaps for nothing.
        self._is_on_its_way = False
        while self._letters:
            awaited, answered = self._letters.popleft()
            if awaited.done():  # who waited has gone
                continue
            error = answered.exception()
            if error is None:
                awaited.set_result(answered.result())
            else:
                awaited.set_exception(error)


def shutting_down() -> Refusal:
    """What the callers of streams are told when the server drains."""
    return Refusal(
        Status.UNAVAILABLE, Reason.SHUTTING_DOWN, "the service is shutting down; go on with another one, or try again"
    )
