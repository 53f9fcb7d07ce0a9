"""Mistakes of this program, of those who watch it and of its callers: each fails alone."""

from collections.abc import Iterator, Sequence
from typing import Any

import pytest
import structlog

from tests.bookkeeping import assert_sound, balances
from tests.callers import deposit, register, request
from tests.writer.watching import SHORT, Answered, Watcher, as_it_is, ask, refusal_of, stalled, until, writing
from zhangfang.application import Answer, CountingHouse
from zhangfang.domain.books import Books
from zhangfang.domain.commands import Command
from zhangfang.domain.decide import DECIDERS
from zhangfang.domain.events import PlayerRegistered, SilverDeposited
from zhangfang.domain.value import named_value
from zhangfang.errors import Reason, Refusal, Status
from zhangfang.store.database import Database
from zhangfang.writer.queue import Ticket


@named_value
class Poison(Command):
    """A command on which the service makes a mistake."""


@named_value
class Unwritable(Command):
    """A command whose event cannot be written down."""


def make_a_mistake(_books: Books, _command: Poison) -> list[Any]:
    raise ZeroDivisionError


def decide_the_unwritable(books: Books, command: Unwritable) -> list[SilverDeposited]:
    return [
        SilverDeposited(
            originator_id=f"transfer/{command.request.request_id}",
            originator_version=1,
            metadata=books.metadata(command.request),
            player_id="A",
            amount=2**64,
            note="",
            postings=(),
            held=0,
        )
    ]


@named_value
class Clash(Command):
    """A command whose event takes a place in a stream that is taken."""


def decide_a_clash(books: Books, command: Clash) -> list[PlayerRegistered]:
    return [
        PlayerRegistered(
            originator_id="player/A",
            originator_version=1,
            metadata=books.metadata(command.request),
            player_id="A",
            display_name="",
        )
    ]


@pytest.fixture
def _deciders() -> Iterator[None]:
    mistakes: dict[type[Command], Any] = {
        Poison: make_a_mistake,
        Unwritable: decide_the_unwritable,
        Clash: decide_a_clash,
    }
    DECIDERS.update(mistakes)
    yield
    for kind in mistakes:
        del DECIDERS[kind]


@pytest.mark.usefixtures("_deciders")
@pytest.mark.parametrize("kind", [Poison, Unwritable, Clash])
def test_a_command_the_service_fails_on_fails_alone(
    house: CountingHouse, database_url: str, kind: type[Command]
) -> None:
    watcher = Watcher()

    with writing(house, watcher) as writer:
        with stalled(database_url):
            first = ask(writer, deposit("A", 1))
            until(first.running)
            before, poison, after = (
                ask(writer, command)
                for command in (deposit("A", 10), kind(request=request(kind.__name__)), deposit("A", 100))
            )
        refusal = refusal_of(poison)
        assert not before.result().is_repeat
        assert not after.result().is_repeat
        assert ask(writer, register("C")).result().event.position > 0

    assert (refusal.status, refusal.reason) == (Status.INTERNAL, Reason.INTERNAL)
    assert balances(house.database, "A") == [1111]
    assert watcher.failures == 0
    assert_sound(house.database)


class BrokenWatcher:
    """An observer that fails whatever it is told."""

    def batch_committed(self, answers: Sequence[Answer | Refusal], seconds: float) -> None:
        raise ZeroDivisionError(answers, seconds)

    def store_failed(self) -> None:
        raise ZeroDivisionError


def test_an_observer_that_fails_keeps_nobody_from_his_answer(house: CountingHouse, database_url: str) -> None:
    database = Database(database_url, SHORT)
    with writing(CountingHouse(database), BrokenWatcher()) as writer:
        first = ask(writer, deposit("A", 1)).result()
        with stalled(database_url):
            refusal = refusal_of(ask(writer, deposit("A", 1)))
        last = ask(writer, deposit("A", 1)).result()
    database.close()

    assert last.event.position == first.event.position + 1
    assert refusal.reason is Reason.STORE_UNAVAILABLE


class BrokenPromise(Answered):
    """One that cannot be kept."""

    def settle(self, answer: Answer | Refusal) -> None:
        raise ZeroDivisionError(answer)


def test_a_promise_that_cannot_be_kept_keeps_nobody_from_his_answer(house: CountingHouse, database_url: str) -> None:
    with writing(house) as writer:
        with stalled(database_url):
            first = ask(writer, deposit("A", 1))
            until(first.running)
            writer.submit(Ticket(deposit("A", 10), as_it_is, BrokenPromise()))
            neighbour = ask(writer, deposit("A", 100))
        assert neighbour.result()
        assert ask(writer, deposit("A", 1000)).result()

    assert balances(house.database, "A") == [2111]


class Overhearing(Watcher):
    """Notes what is bound to the lines of the log where the writer is."""

    def batch_committed(self, answers: Sequence[Answer | Refusal], seconds: float) -> None:
        super().batch_committed(answers, seconds)
        self.bound = structlog.contextvars.get_contextvars()


def test_the_writers_lines_in_the_log_say_whose_they_are(house: CountingHouse) -> None:
    watcher = Overhearing()
    with structlog.contextvars.bound_contextvars(worker=3), writing(house, watcher) as writer:
        assert ask(writer, deposit("A", 1)).result()

    assert watcher.bound == {"worker": 3}
