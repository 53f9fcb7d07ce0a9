"""The writer: the one thread of a process that appends, with everything that waits in one transaction.

Natural batching: while a batch commits the next one gathers; nothing lingers to fill up. The queue is bounded; beyond
it callers are refused at once instead of waiting longer and longer.
"""

from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import replace
from threading import Condition, Thread
from time import perf_counter
from typing import Protocol

import structlog

from zhangfang.application import Answer, CountingHouse
from zhangfang.domain.commands import Command
from zhangfang.errors import Reason, Refusal, Status

log = structlog.get_logger()

BATCH_COMMANDS_MAX = 512
QUEUE_COMMANDS_MAX = 4096

Ticket = tuple[Command, "Future[Answer]", float]


class WriterObserver(Protocol):
    """Who wants to know how the writer is doing."""

    def batch_committed(self, command_count: int, seconds: float, position: int) -> None:
        """A batch was committed; ``position`` is the log's last one, 0 if nothing was appended."""

    def store_failed(self) -> None:
        """The store did not answer."""


class Writer:
    """Takes commands from any thread and answers with futures.

    Args:
        house: decides and appends.
        observer: told after every batch.
        queue_max: how many commands may wait.
    """

    def __init__(
        self, house: CountingHouse, observer: WriterObserver | None = None, queue_max: int = QUEUE_COMMANDS_MAX
    ) -> None:
        self._house = house
        self._observer = observer
        self._queue_max = queue_max
        self._queue: deque[Ticket] = deque()
        self._changed = Condition()
        self._is_closing = False
        self._thread = Thread(target=self._run, name="writer", daemon=True)
        self._thread.start()

    @property
    def queue_length(self) -> int:
        """How many commands wait."""
        return len(self._queue)

    def submit(self, command: Command) -> "Future[Answer]":
        """Queues a command; the future has its answer, or raises its Refusal.

        Cancelling the future before the command is taken drops it; after that it is finished all the same.

        Raises:
            Refusal: QUEUE_FULL or SHUTTING_DOWN.
        """
        future: Future[Answer] = Future()
        with self._changed:
            if self._is_closing:
                raise Refusal(Status.UNAVAILABLE, Reason.SHUTTING_DOWN, "the service is shutting down; try again")
            if len(self._queue) >= self._queue_max:
                raise Refusal(
                    Status.RESOURCE_EXHAUSTED,
                    Reason.QUEUE_FULL,
                    f"{self._queue_max} commands are waiting already; try again later",
                    {"queue_max": str(self._queue_max)},
                )
            self._queue.append((command, future, perf_counter()))
            self._changed.notify()
        return future

    def close(self) -> None:
        """Takes no more commands, finishes what is queued, and ends the thread."""
        with self._changed:
            self._is_closing = True
            self._changed.notify()
        self._thread.join()

    def _run(self) -> None:
        while True:
            with self._changed:
                while not self._queue and not self._is_closing:
                    self._changed.wait()
                if not self._queue:
                    return
                count = min(len(self._queue), BATCH_COMMANDS_MAX)
                batch = [self._queue.popleft() for _ in range(count)]
            # A caller who has gone before his command was taken never asked.
            live = [ticket for ticket in batch if ticket[1].set_running_or_notify_cancel()]
            if live:
                self._commit(live)

    def _commit(self, batch: Sequence[Ticket]) -> None:
        started = perf_counter()
        try:
            answers = self._house.execute([command for command, _, _ in batch])
        except Refusal as refusal:
            log.error("store_failed", error=str(refusal), commands=len(batch))
            self._tell(lambda observer: observer.store_failed())
            # One each: an exception that several threads raise collects the traces of all of them.
            _resolve(batch, [replace(refusal) for _ in batch])
        except Exception:  # a mistake of this program: whose command it was shows when they are done one by one
            log.exception("batch_failed", commands=len(batch))
            self._commit_one_by_one(batch)
        else:
            seconds = perf_counter() - started
            position = max((answer.event.position for answer in answers if isinstance(answer, Answer)), default=0)
            self._tell(lambda observer: observer.batch_committed(len(batch), seconds, position))
            _resolve(batch, answers)

    def _commit_one_by_one(self, batch: Sequence[Ticket]) -> None:
        for ticket in batch:
            try:
                answer = self._house.execute([ticket[0]])[0]
            except Refusal as refusal:
                answer = refusal
            except Exception:  # it fails alone; its neighbours are not concerned
                log.exception("command_failed", request_id=ticket[0].request.request_id)
                answer = Refusal(Status.INTERNAL, Reason.INTERNAL, "the service made a mistake; nothing was written")
            _resolve([ticket], [answer])

    def _tell(self, tell: Callable[[WriterObserver], None]) -> None:
        """Tells the observer; one that fails keeps nobody from his answer."""
        if self._observer:
            try:
                tell(self._observer)
            except Exception:  # the writer goes on whatever its observer does
                log.exception("writer_not_observed")


def _resolve(batch: Sequence[Ticket], answers: Sequence[Answer | Refusal]) -> None:
    for (_, future, _), answer in zip(batch, answers, strict=True):
        if isinstance(answer, Refusal):
            future.set_exception(answer)
        else:
            future.set_result(answer)
