"""Answering a stream of requests: many at work at once, answers in the order of the requests."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TypeVar

Asked = TypeVar("Asked")
Answered = TypeVar("Answered")


async def answer_in_order(
    requests: AsyncIterator[Asked], answer: Callable[[Asked], Awaitable[Answered]], in_flight_max: int
) -> AsyncIterator[Answered]:
    """Answers each request as soon as those before it are answered; at most ``in_flight_max`` are at work.

    When the caller goes away, requests that were not taken yet are dropped.
    """
    running: asyncio.Queue[asyncio.Task[Answered] | None] = asyncio.Queue(in_flight_max)

    async def take() -> None:
        try:
            async for request in requests:
                await running.put(asyncio.ensure_future(answer(request)))
        finally:
            await running.put(None)

    taking = asyncio.create_task(take())
    try:
        while (task := await running.get()) is not None:
            yield await task
        await taking
    finally:
        taking.cancel()
        while not running.empty():
            left = running.get_nowait()
            if left is not None:
                left.cancel()
