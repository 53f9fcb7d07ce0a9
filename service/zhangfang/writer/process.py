"""A process beside the server that writes: commands come over a socket, what is told of their answers goes back.

It has an interpreter to itself, where a writer that is only a thread and the server's event loop get in each other's
way. It ends when the server does; what the server had not been told by then is not begun any more.
"""

import os
import socket
from collections.abc import Sequence
from threading import Lock
from typing import Any, NamedTuple

import structlog

from zhangfang import logs
from zhangfang.application import Answer, CountingHouse
from zhangfang.beside import digest_of_code, messages_of, pack, server_of_this_process
from zhangfang.collecting import collecting_seldom
from zhangfang.config import Settings
from zhangfang.domain.commands import Command, Judged, Request, SettleHand
from zhangfang.errors import Refusal
from zhangfang.rules.verdict import Ended, Obligation
from zhangfang.store.database import Database, Timeouts
from zhangfang.tally import Tally, tally_of, timed
from zhangfang.writer.queue import Ticket
from zhangfang.writer.thread import Writer

log = structlog.get_logger()

CODE = digest_of_code()

PING: tuple[Any, ...] = ()
"""What the server says to hear whether the process still lives, also while a transaction takes its time."""


class News(NamedTuple):
    """What the process says: what happened since it spoke last, and what is told of answers, by their numbers.

    ``judged`` are the games of hands that were judged inside a transaction, and the seconds that took; ``failures`` how
    often the store did not answer.
    """

    tallies: Sequence[Tally] = ()
    judged: Sequence[tuple[str, float]] = ()
    failures: int = 0
    told: Sequence[tuple[int, Any]] = ()


def flatten(command: Command) -> Any:
    """A command as it is sent; a finished hand's as plain tuples, which travel in a tenth of the time.

    The outcome of a hand that was judged beforehand stays: no bank passes by it.
    """
    if not isinstance(command, SettleHand) or command.judged is None:
        return command
    ended, seats, obligations, _, stake, encoded = command.judged
    judged = (ended.value, seats, [tuple(each) for each in obligations], stake, encoded)
    return (
        tuple(command.request),
        command.hand_id,
        command.table_id,
        command.game,
        command.players,
        judged,
        command.replaces_hand_id,
    )


def restore(flat: Any) -> Command:
    """The command that was flattened."""
    if isinstance(flat, Command):
        return flat
    request, hand_id, table_id, game, players, (ended, seats, owed, stake, encoded), replaces = flat
    obligations = tuple([Obligation._make(each) for each in owed])
    return SettleHand(
        request=Request._make(request),
        hand_id=hand_id,
        table_id=table_id,
        game=game,
        players=players,
        record=None,
        judged=Judged(Ended(ended), seats, obligations, None, stake, encoded),
        replaces_hand_id=replaces,
    )


class Outbox:
    """What the server is to hear: collected while a batch is written, and sent in one message.

    The server's bundles are the writer's batches: both are bounded alike.

    Args:
        server: where it goes.
    """

    def __init__(self, server: socket.socket) -> None:
        self._server = server
        self._sending = Lock()
        self._tallies: list[Tally] = []
        self._judged: list[tuple[str, float]] = []
        self._failures = 0
        self._told: list[tuple[int, Any]] = []
        self._owed = 0
        self.is_over = False

    def say(self, news: Any) -> None:
        """Tells the server; nobody hears it when the server has ended. What cannot be told ends this process."""
        try:
            message = pack(news)
        except Exception:
            log.exception("news_not_told")
            os._exit(1)
        try:
            with self._sending:
                self._server.sendall(message)
        except ConnectionError:
            self.is_over = True

    def owe(self) -> None:
        """One more answer belongs to the batch."""
        self._owed += 1

    def tell(self, number: int, told: Any) -> None:
        """What is told of one answer; the last one of a batch takes all of them along."""
        self._told.append((number, told))
        if len(self._told) == self._owed:
            self.say(tuple(News(self._tallies, self._judged, self._failures, self._told)))
            self._tallies, self._judged, self._failures, self._told, self._owed = [], [], 0, [], 0

    def batch_committed(self, answers: Sequence[Answer | Refusal], seconds: float) -> None:
        """A batch was committed."""
        self._tallies.append(tally_of(answers, seconds))

    def store_failed(self) -> None:
        """The store did not answer."""
        self._failures += 1

    def judged(self, game: str, seconds: float) -> None:
        """A hand was judged inside a transaction."""
        self._judged.append((game, seconds))


class Slip:
    """A promise to the server, by the number it gave the command."""

    __slots__ = ("_number", "_outbox")

    def __init__(self, number: int, outbox: Outbox) -> None:
        self._number = number
        self._outbox = outbox

    def take(self) -> bool:
        """Whether the server is there to be told."""
        if not self._outbox.is_over:
            self._outbox.owe()
        return not self._outbox.is_over

    def settle(self, told: Any) -> None:
        """Tells it."""
        self._outbox.tell(self._number, told)


def serve(server: socket.socket) -> None:
    """Writes what the server asks for, until it ends."""
    messages = messages_of(server)
    settings: Settings | None = next(messages, None)
    if settings is None:
        return
    logs.set_up(settings, process="writer")
    outbox = Outbox(server)
    database = Database(settings.database_url, Timeouts(statement=settings.statement_seconds), reader_count=1)
    house = CountingHouse(database, referee=timed(outbox.judged))
    writer = Writer(house, outbox)
    try:
        outbox.say(CODE)
        with collecting_seldom():
            for bundle in messages:
                if bundle:
                    writer.submit(*[Ticket(restore(flat), tell, Slip(number, outbox)) for number, flat, tell in bundle])
                elif writer.is_alive:
                    outbox.say(tuple(News()))
    except ConnectionError:
        pass  # as good as an end
    finally:
        outbox.is_over = True
        writer.close()
        database.close()


if __name__ == "__main__":
    serve(server_of_this_process())
