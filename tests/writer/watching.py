"""What the tests of the writer share: watching it work, and making the store stand still."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from os import sched_yield
from typing import Any

from zhangfang.application import Answer, CountingHouse
from zhangfang.domain.commands import Command
from zhangfang.errors import Refusal
from zhangfang.store.database import Database, Timeouts
from zhangfang.writer.queue import Ticket
from zhangfang.writer.thread import Writer

SHORT = Timeouts(connection=2, lock=1, statement=1)
"""How long a store waits that is meant to fail."""


class Answered(Future[Answer]):
    """An answer that threads wait for; cancelled before its command is taken, nobody wants it."""

    take = Future.set_running_or_notify_cancel

    def settle(self, answer: Answer | Refusal) -> None:
        if isinstance(answer, Refusal):
            self.set_exception(answer)
        else:
            self.set_result(answer)


def as_it_is(answer: Answer) -> Answer:
    """Tells all of an answer."""
    return answer


def ask(writer: Writer, command: Command) -> Answered:
    """Submits a command; the future has its answer, or raises its Refusal."""
    answered = Answered()
    writer.submit(Ticket(command, as_it_is, answered))
    return answered


class Watcher:
    """Remembers what the writer told."""

    def __init__(self) -> None:
        self.batches: list[int] = []
        self.positions: list[int] = []
        self.failures = 0

    def batch_committed(self, answers: Sequence[Answer | Refusal], seconds: float) -> None:
        assert seconds > 0
        self.batches.append(len(answers))
        self.positions.append(max([each.event.position for each in answers if isinstance(each, Answer)], default=0))

    def store_failed(self) -> None:
        self.failures += 1


@contextmanager
def writing(house: CountingHouse, observer: Any = None, **options: int) -> Iterator[Writer]:
    writer = Writer(house, observer, **options)
    try:
        yield writer
    finally:
        writer.close()


@contextmanager
def stalled(url: str) -> Iterator[None]:
    """Somebody else holds the log's head: whatever is taken waits."""
    other = Database(url)
    with other.write() as connection:
        connection.exec_driver_sql("UPDATE log_head SET position = position")
        yield
    other.close()


def until(is_so: Callable[[], bool]) -> None:
    """Gives way to other threads until something is so."""
    while not is_so():
        sched_yield()


def refusal_of(future: "Future[Answer]") -> Refusal:
    error = future.exception()
    assert isinstance(error, Refusal), error
    return error
