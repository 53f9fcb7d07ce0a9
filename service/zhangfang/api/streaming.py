"""Answering a stream of requests: many at work at once, answers in the order of the requests."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Generic, NamedTuple, Protocol, TypeVar

Asked = TypeVar("Asked")


class Cancellable(Protocol):
    """Work that was begun."""

    def cancel(self) -> None:
        """Nobody waits for it any more."""


Begun = TypeVar("Begun", bound=Cancellable)
Answered = TypeVar("Answered")


class Stages(NamedTuple, Generic[Asked, Begun, Answered]):
    """What is done with each request: all are begun as they come, handed over in their order, and ended in it."""

    begin: Callable[[Asked], Awaitable[Begun]]
    hand_over: Callable[[Begun], Awaitable[Begun]]
    end: Callable[[Begun], Awaitable[Answered]]


async def answer_in_order(
    requests: AsyncIterator[Asked],
    stages: Stages[Asked, Begun, Answered],
    in_flight_max: int,
    stopping: asyncio.Event,
) -> AsyncIterator[Answered]:
    """Answers requests in their order; at most ``in_flight_max`` are at work.

    Once ``stopping`` is set no more requests are taken, and the answers end after those that were. When the caller
    goes away, what was begun and is not ended is cancelled.
    """
    begun: asyncio.Queue[Begun | None] = asyncio.Queue()
    handed_over: asyncio.Queue[Begun | None] = asyncio.Queue()
    slots = asyncio.Semaphore(in_flight_max)

    async def take() -> None:
        try:
            async for request in requests:
                await slots.acquire()
                begun.put_nowait(await stages.begin(request))
        finally:
            begun.put_nowait(None)

    async def hand_over() -> None:
        try:
            while (each := await begun.get()) is not None:
                handed_over.put_nowait(await stages.hand_over(each))
        finally:
            handed_over.put_nowait(None)

    taking, handing_over = asyncio.create_task(take()), asyncio.create_task(hand_over())
    stop = asyncio.create_task(stopping.wait())
    stop.add_done_callback(lambda _: taking.cancel())
    try:
        while (each := await handed_over.get()) is not None:
            yield await stages.end(each)
            slots.release()
        if not stopping.is_set():
            await taking
    finally:
        for task in (stop, taking, handing_over):
            task.cancel()
        for queue in (begun, handed_over):
            while not queue.empty():
                left = queue.get_nowait()
                if left is not None:
                    left.cancel()
