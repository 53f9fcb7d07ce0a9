"""What waits for the writer: bounded, and taken one transaction at a time.

Queue and batch are bounded in commands and in bytes; beyond the queue callers are refused at once instead of waiting
longer and longer.
"""

from collections import deque
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

from zhangfang.application import Answer
from zhangfang.domain.commands import Command
from zhangfang.errors import Reason, Refusal, Status

BATCH_COMMANDS_MAX = 512
BATCH_BYTES_MAX = 8 * 1024 * 1024
QUEUE_COMMANDS_MAX = 4096
QUEUE_BYTES_MAX = 128 * 1024 * 1024

Tell = Callable[[Answer], Any]
"""What the caller of a command is told of its answer, e.g. an encoded response; one of a module's own functions."""


class Promise(Protocol):
    """Where the answer to a command goes. Both are called by who writes, ``settle`` once and only if taken."""

    def take(self) -> bool:
        """Whether anybody still wants it; from then on the command is finished whoever waits for it."""

    def settle(self, told: Any) -> None:
        """The command was done, and this is what is told of it; or it got a Refusal."""


class Ticket(NamedTuple):
    """A command that waits, what is told of its answer, and whom."""

    command: Command
    tell: Tell
    promise: Promise


class Queue:
    """Tickets in their order.

    Args:
        commands_max: how many may wait.
        bytes_max: how long their requests may be together; one alone may be longer.
    """

    def __init__(self, commands_max: int = QUEUE_COMMANDS_MAX, bytes_max: int = QUEUE_BYTES_MAX) -> None:
        self._commands_max = commands_max
        self._bytes_max = bytes_max
        self._tickets: deque[Ticket] = deque()
        self._bytes = 0

    def __len__(self) -> int:
        return len(self._tickets)

    def add(self, ticket: Ticket) -> None:
        """One more waits.

        Raises:
            Refusal: QUEUE_FULL; nothing was promised then.
        """
        after = self._bytes + ticket.command.request.byte_count
        if len(self) >= self._commands_max or (self._tickets and after > self._bytes_max):
            raise Refusal(
                Status.RESOURCE_EXHAUSTED,
                Reason.QUEUE_FULL,
                f"{len(self)} commands are waiting already; try again later",
                {"queue_max": str(self._commands_max)},
            )
        self._tickets.append(ticket)
        self._bytes = after

    def take(self) -> list[Ticket]:
        """The next batch: at least one command if any waits, and no more than one transaction should hold."""
        batch: list[Ticket] = []
        byte_count = 0
        while self._tickets and len(batch) < BATCH_COMMANDS_MAX:
            byte_count += self._tickets[0].command.request.byte_count
            if batch and byte_count > BATCH_BYTES_MAX:
                break
            batch.append(self._tickets.popleft())
            self._bytes -= batch[-1].command.request.byte_count
        return batch


def wanted(batch: list[Ticket]) -> list[Ticket]:
    """Those whose callers are still there; one who has gone before his command was taken never asked."""
    return [ticket for ticket in batch if ticket.promise.take()]
