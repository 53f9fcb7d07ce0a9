"""The counter between the event loop and the threads that touch the database."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from zhangfang.application import Answer, CountingHouse
from zhangfang.domain.commands import Command
from zhangfang.metrics import Metrics
from zhangfang.writer import Writer

Read = TypeVar("Read")


class Counter:
    """Hands commands to the writer and questions to reading threads, and waits without blocking the loop.

    A caller who goes away before his command was taken has never asked; one that was taken is finished, and the retry
    gets its answer.
    """

    def __init__(self, house: CountingHouse, writer: Writer, metrics: Metrics, reader_count: int) -> None:
        self.house = house
        self.metrics = metrics
        self._writer = writer
        self._readers = ThreadPoolExecutor(reader_count, thread_name_prefix="reader")

    async def submit(self, command: Command) -> Answer:
        """The writer's answer to a command.

        Raises:
            Refusal: the writer's.
        """
        return await asyncio.wrap_future(self._writer.submit(command))

    async def read(self, question: Callable[[], Read]) -> Read:
        """The answer to a question, found in a thread that may wait for the database."""
        return await asyncio.get_running_loop().run_in_executor(self._readers, question)

    def close(self) -> None:
        """Ends the reading threads."""
        self._readers.shutdown(cancel_futures=True)
