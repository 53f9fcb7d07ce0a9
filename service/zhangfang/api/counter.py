"""The counter between the event loop and the threads that touch the database."""

import asyncio
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import structlog

from zhangfang.application import Answer, CountingHouse
from zhangfang.domain.commands import Command
from zhangfang.errors import Reason, Refusal
from zhangfang.metrics import Metrics
from zhangfang.store.outages import explained
from zhangfang.writer.desk import Desk
from zhangfang.writer.queue import Ticket

log = structlog.get_logger()

Read = TypeVar("Read")
Told = TypeVar("Told")

Awaited = asyncio.Future[Any]
"""What is told of a command that was begun, or its Refusal."""

PAGE_READERS = 2

OF_STREAMS = "go on with another one, or try again"
"""What the callers of streams can do when the server drains."""


class Counter:
    """Hands commands to the writer and questions to reading threads, and waits without blocking the loop.

    A caller who goes away before his command was taken has never asked; one that was taken is finished, and the retry
    gets its answer. ``stopping`` is set when the server begins to drain: streams without an end of their own end then.
    """

    def __init__(self, house: CountingHouse, desk: Desk, metrics: Metrics, reader_count: int) -> None:
        self.house = house
        self.metrics = metrics
        self.stopping = asyncio.Event()
        self._desk = desk
        self._trouble = ""
        self._post = Post(asyncio.get_running_loop())
        self._readers = ThreadPoolExecutor(reader_count, thread_name_prefix="reader")
        self._page_readers = ThreadPoolExecutor(PAGE_READERS, thread_name_prefix="page-reader")

    async def submit(self, command: Command, tell: Callable[[Answer], Told]) -> Told:
        """What is told of the writer's answer to a command; ``tell`` runs where the writer is, see ``Ticket``.

        Raises:
            Refusal: the writer's.
        """
        told: Told = await self.wait_for(self.begin(command, tell))
        return told

    def begin(self, command: Command, tell: Callable[[Answer], Any]) -> Awaited:
        """Hands a command to the writer, without waiting for its answer; cancelled before it is taken it is dropped.

        Raises:
            Refusal: if the writer takes none.
        """
        letter = Letter(self._post)
        self._desk.submit(Ticket(command, tell, letter))
        return letter.answered

    async def wait_for(self, answered: Awaited) -> Any:
        """What is told of a command that was begun; who stops waiting for it cancels it.

        Raises:
            Refusal: the writer's.
        """
        told = await answered
        if isinstance(told, Refusal):
            raise told
        return told

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


class Post:
    """Carries answers from the writer's thread to the event loop, those of one batch in one errand.

    Waking the loop for each of them costs about as much as deciding a command.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self._letters: deque[Letter] = deque()
        self._is_on_its_way = False

    def bring(self, letter: "Letter") -> None:
        """Takes a letter along; called by whoever writes."""
        self._letters.append(letter)
        if not self._is_on_its_way:
            self._is_on_its_way = True
            try:
                self.loop.call_soon_threadsafe(self._hand_out)
            except RuntimeError:  # the loop is closed: nobody waits any more
                self._letters.clear()

    def _hand_out(self) -> None:
        # Before the letters are looked at: one that comes from now on sends another errand, perhaps for nothing.
        self._is_on_its_way = False
        while self._letters:
            letter = self._letters.popleft()
            if not letter.answered.done():  # otherwise who waited has gone
                letter.answered.set_result(letter.told)


class Letter:
    """What the writer was promised an answer by: one that reaches the event loop by post."""

    __slots__ = ("_post", "answered", "told")

    told: Any

    def __init__(self, post: Post) -> None:
        self._post = post
        self.answered: Awaited = post.loop.create_future()

    def take(self) -> bool:
        """Whether anybody still waits."""
        return not self.answered.done()

    def settle(self, told: Any) -> None:
        """Sends the answer."""
        self.told = told
        self._post.bring(self)
