"""A process that calls a server as fast as it answers: closed-loop load of so many callers at once.

``python -m zhangfang.bench.load TARGET SEED`` reads orders from standard input, one JSON object a line, and answers
each with a line of what happened. The requests are bytes made beforehand and the answers are not looked into, so that
the client takes little of the CPU it shares with the server.
"""

import asyncio
import json
import subprocess
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass
from itertools import count
from time import perf_counter, process_time
from typing import Any, Self

import grpc
import uvloop

from zhangfang.bench.cast import Cast, in_batch, in_stream, with_ids
from zhangfang.bench.figures import PERCENTILES, percentile

SETTLE_HAND = "/zhangfang.v1.SettlementService/SettleHand"
SETTLE_HANDS = "/zhangfang.v1.SettlementService/SettleHands"
BATCH_SETTLE_HANDS = "/zhangfang.v1.SettlementService/BatchSettleHands"
BATCH_HANDS = 100


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a burst of load did: answers, wall and client CPU time, latencies in milliseconds by percentile."""

    answers: int
    seconds: float
    client_cpu_seconds: float
    milliseconds: dict[int, float]

    @property
    def rate(self) -> float:
        """Answers a second."""
        return self.answers / self.seconds


class LoadProcess:
    """A load generator in a process of its own, while the ``with`` block runs."""

    def __init__(self, target: str, seed: int, prefix: str) -> None:
        self._process = subprocess.Popen(  # noqa: S603 - our own module
            [sys.executable, "-m", __name__, target, str(seed), prefix],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        assert self._process.stdin  # noqa: S101 - it was asked for
        assert self._process.stdout  # noqa: S101 - it was asked for
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()

    def order(self, kind: str, concurrency: int, seconds: float, hands: int = 0) -> None:
        """Begins a burst of ``unary`` or ``batch`` calls or of a ``stream``; it ends after so many seconds or hands."""
        assert self._process.stdin  # noqa: S101 - it was asked for
        print(json.dumps([kind, concurrency, seconds, hands]), file=self._process.stdin, flush=True)

    def outcome(self) -> Outcome:
        """What the burst did, when it is over."""
        assert self._process.stdout  # noqa: S101 - it was asked for
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError("the load generator ended: a call failed")
        answers, seconds, cpu, milliseconds = json.loads(line)
        return Outcome(answers, seconds, cpu, dict(zip(PERCENTILES, milliseconds, strict=True)))

    def run(self, kind: str, concurrency: int, seconds: float, hands: int = 0) -> Outcome:
        """A burst, from its order to its end."""
        self.order(kind, concurrency, seconds, hands)
        return self.outcome()


class Caller:
    """Makes requests and calls."""

    def __init__(self, target: str, seed: int, prefix: str) -> None:
        options = [("grpc.max_receive_message_length", -1), ("grpc.use_local_subchannel_pool", 1)]
        self._channels = [grpc.aio.insecure_channel(target, options=[*options, ("n", each)]) for each in range(4)]
        self._bodies = Cast.of_seed(seed).settle_bodies()
        self._prefix = prefix
        self._numbers = count()

    def next_request(self) -> bytes:
        """One more hand to settle."""
        number = next(self._numbers)
        return with_ids(self._bodies[number % len(self._bodies)], f"{self._prefix}-{number}")

    async def unary(self, concurrency: int, seconds: float, hands: int) -> list[float]:
        """Calls SettleHand; returns the seconds each call took."""
        latencies: list[float] = []
        end = perf_counter() + seconds

        async def call_on(channel: Any) -> None:
            call = channel.unary_unary(SETTLE_HAND)
            while perf_counter() < end and (not hands or len(latencies) < hands):
                request = self.next_request()
                started = perf_counter()
                await call(request)
                latencies.append(perf_counter() - started)

        channels = self._channels
        await asyncio.gather(*[call_on(channels[each % len(channels)]) for each in range(concurrency)])
        return latencies

    async def stream(self, concurrency: int, seconds: float, hands: int) -> list[float]:
        """One SettleHands stream with so many hands under way; returns the seconds each answer took."""
        latencies: list[float] = []
        sent: list[float] = []
        end = perf_counter() + seconds
        free = asyncio.Semaphore(concurrency)

        async def requests() -> AsyncIterator[bytes]:
            while perf_counter() < end and (not hands or len(sent) < hands):
                await free.acquire()
                sent.append(perf_counter())
                yield in_stream(self.next_request())

        async for _ in self._channels[0].stream_stream(SETTLE_HANDS, None, None)(requests()):
            latencies.append(perf_counter() - sent[len(latencies)])
            free.release()
        return latencies

    async def batch(self, concurrency: int, seconds: float, hands: int) -> list[float]:
        """Calls BatchSettleHands with a hundred hands each; returns the seconds each hand waited for its call."""
        latencies: list[float] = []
        end = perf_counter() + seconds

        async def call_on(channel: Any) -> None:
            call = channel.unary_unary(BATCH_SETTLE_HANDS)
            while perf_counter() < end and (not hands or len(latencies) < hands):
                request = b"".join([in_batch(self.next_request()) for _ in range(BATCH_HANDS)])
                started = perf_counter()
                await call(request)
                latencies.extend([perf_counter() - started] * BATCH_HANDS)

        channels = self._channels
        await asyncio.gather(*[call_on(channels[each % len(channels)]) for each in range(concurrency)])
        return latencies


async def take_orders(target: str, seed: int, prefix: str) -> None:
    """Does what standard input says until it ends."""
    caller = Caller(target, seed, prefix)
    loop = asyncio.get_running_loop()
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        kind, concurrency, seconds, hands = json.loads(line)
        work = {"unary": caller.unary, "stream": caller.stream, "batch": caller.batch}[kind]
        started, cpu = perf_counter(), process_time()
        latencies = await work(concurrency, seconds, hands)
        spent = [len(latencies), perf_counter() - started, process_time() - cpu]
        print(json.dumps([*spent, [percentile(latencies, each) * 1000 for each in PERCENTILES]]), flush=True)


if __name__ == "__main__":
    uvloop.run(take_orders(sys.argv[1], int(sys.argv[2]), sys.argv[3]))
