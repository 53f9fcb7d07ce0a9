"""The writer: the one thread of a process that appends, with everything that waits in one transaction.

Natural batching: while a batch commits the next one gathers; nothing lingers to fill up.
"""

from collections.abc import Callable, Sequence
from contextvars import copy_context
from dataclasses import replace
from threading import Condition, Thread
from time import perf_counter
from typing import Any, Protocol

import structlog

from zhangfang.application import Answer, CountingHouse
from zhangfang.domain.commands import Command
from zhangfang.errors import Reason, Refusal, Status, shutting_down
from zhangfang.store.outages import explained
from zhangfang.writer.queue import QUEUE_BYTES_MAX, QUEUE_COMMANDS_MAX, Queue, Ticket, wanted

log = structlog.get_logger()


class WriterObserver(Protocol):
    """Who wants to know how the writer is doing."""

    def batch_committed(self, answers: Sequence[Answer | Refusal], seconds: float) -> None:
        """A batch was committed. Batches come in the order of the log, each before any of its answers is given."""

    def store_failed(self) -> None:
        """The store did not answer."""


class Writer:
    """Takes commands from any thread and settles what was promised for them.

    Args:
        house: decides and appends.
        observer: told after every batch.
        queue_max: how many commands may wait.
        queue_bytes_max: how long their requests may be together, in bytes; one alone may be longer.
    """

    def __init__(
        self,
        house: CountingHouse,
        observer: WriterObserver | None = None,
        queue_max: int = QUEUE_COMMANDS_MAX,
        queue_bytes_max: int = QUEUE_BYTES_MAX,
    ) -> None:
        self._house = house
        self._observer = observer
        self._queue = Queue(queue_max, queue_bytes_max)
        self._changed = Condition()
        self._is_closing = False
        # What is bound to the lines of the log is bound to its lines too.
        self._thread = Thread(target=copy_context().run, args=(self._run,), name="writer", daemon=True)
        self._thread.start()

    @property
    def queue_length(self) -> int:
        """How many commands wait."""
        return len(self._queue)

    @property
    def is_alive(self) -> bool:
        """Whether its thread runs, as it does until it is closed."""
        return self._thread.is_alive()

    def submit(self, *tickets: Ticket) -> None:
        """Queues commands; each is dropped if nobody wants its answer any more when its turn has come.

        Raises:
            Refusal: QUEUE_FULL or SHUTTING_DOWN; nothing was promised then to the one it is raised for.
        """
        with self._changed:
            if self._is_closing:
                raise shutting_down()
            for ticket in tickets:
                self._queue.add(ticket)
            self._changed.notify()

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
                batch = self._queue.take()
            if live := wanted(batch):
                self._commit(live)

    def _commit(self, batch: Sequence[Ticket]) -> None:
        try:
            answers = self._execute([ticket.command for ticket in batch])
        except Exception:  # a mistake of this program: whose command it was shows when they are done one by one
            log.exception("batch_failed", commands=len(batch))
            answers = [self._execute_alone(ticket.command) for ticket in batch]
        for ticket, answer in zip(batch, answers, strict=True):
            try:
                ticket.promise.settle(answer if isinstance(answer, Refusal) else self._told(ticket, answer))
            except Exception:  # the others get their answers all the same
                log.exception("answer_not_taken", request_id=ticket.command.request.request_id)

    def _told(self, ticket: Ticket, answer: Answer) -> Any:
        try:
            return ticket.tell(answer)
        except Exception:  # it is done, and a repeat is told the same
            log.exception("answer_not_told", request_id=ticket.command.request.request_id)
            return Refusal(Status.INTERNAL, Reason.INTERNAL, "the service made a mistake in its answer")

    def _execute(self, commands: Sequence[Command]) -> Sequence[Answer | Refusal]:
        started = perf_counter()
        try:
            answers = self._house.execute(commands)
        except Refusal as refusal:
            log.error("store_failed", error=explained(refusal), commands=len(commands))
            self._tell(lambda observer: observer.store_failed())
            # One each: an exception that several threads raise collects the traces of all of them.
            return [replace(refusal) for _ in commands]
        seconds = perf_counter() - started
        self._tell(lambda observer: observer.batch_committed(answers, seconds))
        return answers

    def _execute_alone(self, command: Command) -> Answer | Refusal:
        try:
            return self._execute([command])[0]
        except Exception:  # it fails alone; its neighbours are not concerned
            log.exception("command_failed", request_id=command.request.request_id)
            return mistaken()

    def _tell(self, tell: Callable[[WriterObserver], None]) -> None:
        """Tells the observer; one that fails keeps nobody from his answer."""
        if self._observer:
            try:
                tell(self._observer)
            except Exception:  # the writer goes on whatever its observer does
                log.exception("writer_not_observed")


def mistaken() -> Refusal:
    """What a mistake of this program comes to."""
    return Refusal(Status.INTERNAL, Reason.INTERNAL, "the service made a mistake; nothing was written")
