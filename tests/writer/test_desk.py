"""The writer's desk: a process beside the server writes as a thread of it would."""

import asyncio
import socket
from dataclasses import replace

import pytest

from tests.bookkeeping import balances
from tests.callers import deposit, open_table, register, three_pots, withdraw
from tests.writer.desks import Books, ask, ask_all, at_desk, reasons, until
from tests.writer.watching import stalled
from zhangfang.application import Answer, CountingHouse
from zhangfang.beside import LENGTH, messages_of, pack, unpack
from zhangfang.domain.commands import Judged
from zhangfang.errors import Reason, Refusal
from zhangfang.rules.verdict import Ended, Obligation
from zhangfang.store.database import Database
from zhangfang.tally import Tally
from zhangfang.writer import process as writing
from zhangfang.writer.desk import Desk
from zhangfang.writer.queue import BATCH_COMMANDS_MAX

MANY = 3 * BATCH_COMMANDS_MAX


@pytest.fixture(params=["process", "thread"])
def beside(request: pytest.FixtureRequest) -> bool:
    """Whether a process beside the server writes."""
    return bool(request.param == "process")


def test_many_commands_are_done_in_their_order_and_told_to_who_asked(
    sound: Database, database_url: str, *, beside: bool
) -> None:
    async def work(desk: Desk) -> None:
        told = await ask_all(desk, [deposit("A", 1) for _ in range(MANY)])
        assert [position for position, _ in told] == list(range(told[0][0], told[0][0] + MANY))
        assert desk.queue_length == 0

    at_desk(database_url, work, beside=beside)
    assert balances(sound, "A") == [1000 + MANY]


def test_a_refusal_arrives_whole_and_a_repeat_gets_the_first_answer(
    sound: Database, database_url: str, *, beside: bool
) -> None:
    command = deposit("A", 5)

    async def work(desk: Desk) -> None:
        first, poor, again = await ask_all(desk, [command, withdraw("A", 10_000), command])
        assert again == (first[0], True)
        assert isinstance(poor, Refusal)
        assert poor.reason is Reason.INSUFFICIENT_SILVER
        assert poor.metadata["available"] == "1005"
        assert "1005" in str(poor)

    at_desk(database_url, work, beside=beside)


def test_what_was_done_is_counted(sound: Database, database_url: str) -> None:
    books = Books()

    async def work(desk: Desk) -> None:
        await ask_all(desk, [deposit("A", 5), deposit("B", 6)])
        await ask(desk, register("C"))

    at_desk(database_url, work, books=books)
    assert sum(tally.counts.get(("silver_deposited", ""), 0) for tally in books.tallies) == 11
    assert sum(tally.commands for tally in books.tallies) == 3
    assert books.tallies[-1].last_position == CountingHouse(sound).recorder.max_notification_id()
    assert all(tally.seconds > 0 for tally in books.tallies)


def test_who_follows_the_log_is_woken(house: CountingHouse, database_url: str) -> None:
    rung: list[bool] = []

    async def work(desk: Desk) -> None:
        desk._house.recorder.wakeup.notify = lambda: rung.append(True)  # type: ignore[method-assign]
        await ask(desk, deposit("A", 1))

    at_desk(database_url, work)
    assert rung


def failing_to_tell(answer: Answer) -> None:
    """A mistake in telling."""
    raise ZeroDivisionError(answer)


def test_a_mistake_in_telling_is_an_internal_error_of_one_answer(
    sound: Database, database_url: str, *, beside: bool
) -> None:
    async def work(desk: Desk) -> None:
        mistaken, other = await asyncio.gather(ask(desk, deposit("A", 1), failing_to_tell), ask(desk, deposit("A", 1)))
        assert mistaken.reason is Reason.INTERNAL
        assert other[1] is False

    at_desk(database_url, work, beside=beside)
    assert balances(sound, "A") == [1002]


def test_who_has_gone_before_his_command_is_taken_has_never_asked(sound: Database, database_url: str) -> None:
    async def work(desk: Desk) -> None:
        with stalled(database_url):
            taken = ask(desk, deposit("A", 1))
            await until(lambda: bool(desk._given))
            gone, neighbour = ask(desk, deposit("A", 10)), ask(desk, deposit("A", 100))
            gone.cancel()
        assert await taken
        assert await neighbour

    at_desk(database_url, work)
    assert balances(sound, "A") == [1101]


def test_beyond_the_queue_callers_are_refused_at_once(sound: Database, database_url: str) -> None:
    async def work(desk: Desk) -> None:
        with stalled(database_url):
            taken = ask(desk, deposit("A", 1))
            await until(lambda: bool(desk._given))
            waiting = [ask(desk, deposit("A", 1)) for _ in range(3)]
            with pytest.raises(Refusal) as refused:
                ask(desk, deposit("A", 1))
            assert desk.queue_length == 3
        await asyncio.gather(taken, *waiting)
        assert refused.value.reason is Reason.QUEUE_FULL
        assert refused.value.metadata == {"queue_max": "3"}

    at_desk(database_url, work, queue_max=3)
    assert balances(sound, "A") == [1004]


def test_closing_finishes_what_was_asked_and_takes_no_more(sound: Database, database_url: str, *, beside: bool) -> None:
    async def work(desk: Desk) -> None:
        told = ask_all(desk, [deposit("A", 1) for _ in range(MANY)])
        await desk.close()
        assert reasons(await told) == []
        with pytest.raises(Refusal) as refused:
            ask(desk, deposit("A", 1))
        assert refused.value.reason is Reason.SHUTTING_DOWN

    at_desk(database_url, work, beside=beside)
    assert balances(sound, "A") == [1000 + MANY]


def test_a_hand_that_is_judged_inside_a_transaction_is_timed_where_it_is_counted(
    sound: Database, database_url: str
) -> None:
    books = Books()

    async def work(desk: Desk) -> None:
        assert reasons(await ask_all(desk, [open_table("T"), three_pots("h", "AB")])) == []

    at_desk(database_url, work, books=books)
    assert books.judgings == ["bi_ji"]
    assert sum(tally.counts.get(("hands_settled", "bi_ji"), 0) for tally in books.tallies) == 1


def test_a_hand_that_was_judged_beforehand_arrives_as_it_was_but_for_its_outcome() -> None:
    judged = Judged(Ended.NORMAL, ("A", "B"), (Obligation("A", "B", 5),), "outcome", 10, b"encoded")
    hand = replace(three_pots("h", "AB"), record=None, judged=judged)

    there = writing.restore(unpack(pack(writing.flatten(hand))[LENGTH.size :]))

    assert there == replace(hand, judged=judged._replace(outcome=None))


class Careless(Books):
    """Fails at every number."""

    def count(self, tally: Tally) -> None:
        raise ZeroDivisionError(tally)


def test_an_accountant_who_fails_keeps_nobody_from_his_answer(sound: Database, database_url: str) -> None:
    async def work(desk: Desk) -> None:
        assert await ask(desk, deposit("A", 1))
        assert await ask(desk, deposit("A", 1))
        assert desk.pids

    at_desk(database_url, work, books=Careless())


def test_a_message_that_breaks_off_is_none() -> None:
    server, process = socket.socketpair()
    with process:
        with server:
            server.sendall(pack("whole") + pack("broken off")[:-1])
        assert list(messages_of(process)) == ["whole"]


def test_a_command_that_cannot_be_sent_is_an_internal_error(sound: Database, database_url: str) -> None:
    async def work(desk: Desk) -> None:
        refused = await ask(desk, deposit("A", 1), lambda answer: answer)
        assert refused.reason is Reason.INTERNAL
        assert await ask(desk, deposit("A", 1))
        assert desk.pids

    at_desk(database_url, work)
    assert balances(sound, "A") == [1001]
