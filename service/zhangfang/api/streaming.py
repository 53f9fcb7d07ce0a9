"""Answering a stream of requests: many at work at once, answers in the order of the requests."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TypeVar

Asked = TypeVar("Asked")
Answered = TypeVar("Answered")


async def answer_in_order(
    requests: AsyncIterator[Asked],
    answer: Callable[[Asked], Awaitable[Answered]],
    in_flight_max: int,
    stopping: asyncio.Event,
) -> AsyncIterator[Answered]:
    """Answers each request as soon as those before it are answered; at most ``in_flight_max`` are at work.

    Once ``stopping`` is set no more requests are taken, and the answers end after those that were. When the caller
    goes away, requests that the writer has not taken yet are dropped.
    """
    running: asyncio.Queue[asyncio.Future[Answered] | None] = asyncio.Queue()
    slots = asyncio.Semaphore(in_flight_max)

    async def take() -> None:
        try:
            async for request in requests:
                await slots.acquire()
                running.put_nowait(asyncio.ensure_future(answer(request)))
        finally:
            running.put_nowait(None)

    taking = asyncio.create_task(take())
    stop = asyncio.create_task(stopping.wait())
    stop.add_done_callback(lambda _: taking.cancel())
    try:
        while (task := await running.get()) is not None:
            yield await task
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
