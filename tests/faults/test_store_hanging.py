"""A PostgreSQL that stands still while its connections stay open, as on a frozen machine: nobody waits without end."""

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from typing import Any

import grpc
import pytest
from sqlalchemy import Connection, event

from tests.bookkeeping import assert_sound, balances
from tests.callers import deposit, done, seat
from tests.dealer import Dealer
from tests.faults.load import check_books, followed, prepare
from tests.postgresql import PostgreSQL, stopped
from tests.refusals import read_refusal, refusal
from tests.serving import DEADLINE_SECONDS, RunningServer
from tests.writer.watching import SHORT, Watcher, ask, refusal_of, writing
from zhangfang.application import CountingHouse
from zhangfang.errors import Reason, Status
from zhangfang.store.database import Database, lift_timeouts
from zhangfang.wire.v1 import audit_pb2 as audit
from zhangfang.wire.v1 import settlement_pb2 as pb

HANDS = 40


@contextmanager
def hanging_at(moment: str, database: Database, idle_seconds: int = 600) -> Iterator[None]:
    """The first connection that comes to a moment ("begin", "commit") while the block runs finds its server still.

    After ``idle_seconds`` without a statement the server gives the transaction up when it goes on; what it was sent
    meanwhile is not even read.
    """
    with ExitStack() as thawed:
        first = iter([True])

        def hang(connection: Connection) -> None:
            if next(first, False):
                driver: Any = connection.connection.driver_connection
                driver.execute(f"SET LOCAL idle_in_transaction_session_timeout = '{idle_seconds}s'")
                thawed.enter_context(stopped(driver.info.backend_pid))

        event.listen(database._writer, moment, hang)
        try:
            yield
        finally:
            event.remove(database._writer, moment, hang)


@pytest.fixture
def impatient(postgresql_url: str) -> Iterator[CountingHouse]:
    """A house that waits for its store for a few seconds only."""
    database = Database(postgresql_url, SHORT)
    yield CountingHouse(database)
    database.close()


@pytest.mark.parametrize("is_committed", [True, False], ids=["committed when it went on", "rolled back by itself"])
def test_a_command_whose_commit_was_never_answered_is_unavailable_and_done_once(
    impatient: CountingHouse, *, is_committed: bool
) -> None:
    seat(impatient, A=0)
    first, behind, second = deposit("A", 1), deposit("A", 10), deposit("A", 100)
    watcher = Watcher()

    with writing(impatient, watcher) as writer:
        with hanging_at("commit", impatient.database, idle_seconds=600 if is_committed else 1):
            unknown = refusal_of(ask(writer, first))
            # What hangs has the log's head: others are told so, one after the other.
            locked = [refusal_of(ask(writer, command)) for command in (behind, first)]
        answers = [ask(writer, command).result(DEADLINE_SECONDS) for command in (first, behind, second)]
        assert writer.queue_length == 0

    assert {each.status for each in (unknown, *locked)} == {Status.UNAVAILABLE}
    assert "no answer came in time" in unknown.text
    assert watcher.failures == 3
    assert [answer.is_repeat for answer in answers] == [is_committed, False, False]
    assert balances(impatient.database, "A") == [111]
    assert_sound(impatient.database)


def test_a_command_that_was_not_yet_written_when_the_store_hung_is_done_by_its_retry(impatient: CountingHouse) -> None:
    seat(impatient, A=0)
    first = deposit("A", 1)

    with writing(impatient) as writer:
        with hanging_at("begin", impatient.database):
            refused = refusal_of(ask(writer, first))
            done(impatient, deposit("A", 10))  # the others' connections are well
        answer = ask(writer, first).result(DEADLINE_SECONDS)

    assert refused.reason is Reason.STORE_UNAVAILABLE
    assert not answer.is_repeat
    assert balances(impatient.database, "A") == [11]
    assert_sound(impatient.database)


def test_readers_who_meet_a_connection_that_hangs_are_told_and_the_next_are_answered(impatient: CountingHouse) -> None:
    seat(impatient, A=7)

    def read() -> object:
        return balances(impatient.database, "A")

    with hanging_at("begin", impatient.database), ThreadPoolExecutor(4) as readers:
        outcomes = [outcome_of(reader) for reader in [readers.submit(read) for _ in range(20)]]
        after = read()

    assert [each for each in outcomes if each != [7]] == [Reason.STORE_UNAVAILABLE]
    assert after == [7]


def outcome_of(future: "Future[object]") -> object:
    """What somebody was answered, or the reason why not."""
    error = future.exception(DEADLINE_SECONDS)
    return getattr(error, "reason", error) if error else future.result()


def test_a_transaction_that_may_take_long_is_bounded_too_but_the_next_one_as_always(postgresql_url: str) -> None:
    database = Database(postgresql_url, SHORT)

    with database.read() as connection:
        lift_timeouts(connection, 7)
        lifted = connection.connection.driver_connection.answer_seconds  # type: ignore[union-attr]
    with database.read() as connection:
        as_always = connection.connection.driver_connection.answer_seconds  # type: ignore[union-attr]
    database.close()

    assert (lifted, as_always) == (7, SHORT.answer)


def test_while_the_whole_server_stands_still_everybody_is_told_and_then_all_goes_on(
    own_postgresql: PostgreSQL,
) -> None:
    with RunningServer(own_postgresql.create(), statement_seconds=2) as server:
        load, dealer = prepare(server), Dealer(server)
        settled = server.settlement.SettleHand(load.request()).hand
        following = followed(server)
        seen = [next(following) for _ in range(settled.position)]
        requests = [load.request() for _ in range(HANDS - 1)]

        with own_postgresql.frozen():
            calls = [server.settlement.SettleHand.future(each, timeout=DEADLINE_SECONDS) for each in requests]
            questions = [refusal(ask) for ask in (dealer.events, lambda: dealer.balance(f"{load.prefix}A"))]
            commands = [read_refusal(call.exception()) for call in calls]
        again = [sent_until_answered(server, each).hand for each in requests]

        assert {(each.code, each.reason) for each in (*questions, *commands)} == {
            (grpc.StatusCode.UNAVAILABLE, Reason.STORE_UNAVAILABLE)
        }
        assert len({hand.position for hand in (settled, *again)}) == HANDS
        assert len(dealer.events(topics=["HandSettled"])) == HANDS
        check_books(load, dealer, HANDS)
        assert list(server.audit.VerifyLog(audit.VerifyLogRequest()))[-1].finding.is_sound
        seen += [next(following) for _ in range(dealer.position() - len(seen))]
        assert seen == list(range(1, dealer.position() + 1))
        following.close()


def sent_until_answered(server: RunningServer, request: pb.SettleHandRequest) -> pb.SettleHandResponse:
    """The answer to a request that is sent again while the store does not answer."""
    while True:
        try:
            return server.settlement.SettleHand(request, timeout=DEADLINE_SECONDS)
        except grpc.RpcError as error:
            assert error.code() is grpc.StatusCode.UNAVAILABLE  # noqa: PT017
