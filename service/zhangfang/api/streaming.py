"""Answering a stream of requests: many at work at once, answers in the order of the requests."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Protocol, TypeVar

Asked = TypeVar("Asked")


class Cancellable(Protocol):
    """Work that was begun."""

    def cancel(self) -> None:
        """Nobody waits for it any more."""


Begun = TypeVar("Begun", bound=Cancellable)
Answered = TypeVar("Answered")


async def answer_in_order(
    requests: AsyncIterator[Asked],
    begin: Callable[[Asked], Awaitable[Begun]],
    end: Callable[[Begun], Awaitable[Answered]],
    in_flight_max: int,
    stopping: asyncio.Event,
) -> AsyncIterator[Answered]:
    """Begins each request as it comes and ends them in their order; at most ``in_flight_max`` are at work.

    Once ``stopping`` is set no more requests are taken, and the answers end after those that were. When the caller
    goes away, what was begun and is not ended is cancelled.
    """
    running: asyncio.Queue[Begun | None] = asyncio.Queue()
    slots = asyncio.Semaphore(in_flight_max)

    async def take() -> None:
        try:
            async for request in requests:
                await slots.acquire()
                running.put_nowait(await begin(request))
        finally:
            running.put_nowait(None)

    taking = asyncio.create_task(take())
    stop = asyncio.create_task(stopping.wait())
    stop.add_done_callback(lambda _: taking.cancel())
    try:
        while (begun := await running.get()) is not None:
            yield await end(begun)
            slots.release()
        if not stopping.is_set():
            await taking
    finally:
        stop.cancel()
        taking.cancel()
        while not running.empty():
            left = running.get_nowait()
            if left is not None:
                left.cancel()
