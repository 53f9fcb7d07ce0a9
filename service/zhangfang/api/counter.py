"""The counter between the event loop and the threads that touch the database."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from zhangfang.application import Answer, CountingHouse
from zhangfang.domain.commands import Command
from zhangfang.errors import Reason, Refusal, Status
from zhangfang.metrics import Metrics
from zhangfang.writer import Writer

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
        self._readers = ThreadPoolExecutor(reader_count, thread_name_prefix="reader")
        self._page_readers = ThreadPoolExecutor(PAGE_READERS, thread_name_prefix="page-reader")

    async def submit(self, command: Command) -> Answer:
        """The writer's answer to a command.

        Raises:
            Refusal: the writer's.
        """
        answered = self._writer.submit(command)
        # Counted by the writer's thread: what was done is counted whether or not the caller still waits for it.
        answered.add_done_callback(self._count)
        return await asyncio.wrap_future(answered)

    async def read(self, question: Callable[[], Read]) -> Read:
        """The answer to a question, found in a thread that may wait for the database."""
        return await asyncio.get_running_loop().run_in_executor(self._readers, question)

    async def read_much(self, question: Callable[[], Read]) -> Read:
        """The answer to a question that takes long, in threads of its own: short ones do not wait behind it."""
        return await asyncio.get_running_loop().run_in_executor(self._page_readers, question)

    def close(self) -> None:
        """Ends the reading threads."""
        self._readers.shutdown(cancel_futures=True)
        self._page_readers.shutdown(cancel_futures=True)

    def _count(self, answered: "Future[Answer]") -> None:
        if not answered.cancelled() and answered.exception() is None:
            self.metrics.answered(answered.result())


def shutting_down() -> Refusal:
    """What the callers of streams are told when the server drains."""
    return Refusal(
        Status.UNAVAILABLE, Reason.SHUTTING_DOWN, "the service is shutting down; go on with another one, or try again"
    )
