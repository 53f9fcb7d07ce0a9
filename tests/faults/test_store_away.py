"""The store goes away and comes back: callers are told to try again, followers wait, and nothing is lost."""

from contextlib import ExitStack

import grpc
import pytest
from structlog.testing import capture_logs

from tests.bookkeeping import balances
from tests.callers import deposit, done, seat
from tests.dealer import Dealer, new_id
from tests.faults.load import followed
from tests.postgresql import PostgreSQL
from tests.refusals import read_refusal, refusal
from tests.samples import SIMPLE
from tests.serving import RunningServer
from zhangfang.application import CountingHouse
from zhangfang.errors import Reason
from zhangfang.store.database import Database
from zhangfang.wire.v1 import accounts_pb2 as accounts
from zhangfang.wire.v1 import audit_pb2 as audit
from zhangfang.wire.v1 import settlement_pb2 as pb

CONNECTIONS = 5


def test_while_the_store_is_away_callers_are_told_to_try_again_and_then_go_on(own_postgresql: PostgreSQL) -> None:
    with capture_logs() as logged, RunningServer(own_postgresql.create()) as server:
        dealer = Dealer(server)
        (player_id,) = dealer.players(1, silver=5)
        request = dealer.request_to_settle(SIMPLE["bi_ji"])
        deposit = accounts.DepositRequest(request_id=new_id("deposit"), player_id=player_id, amount=7)
        following = followed(server)
        seen = [next(following) for _ in range(dealer.position())]

        own_postgresql.stop("immediate")
        refused = [
            refusal(lambda: server.accounts.Deposit(deposit)),
            refusal(lambda: server.settlement.SettleHand(request)),
            refusal(lambda: dealer.player(player_id)),
            refusal(dealer.events),
            refusal(lambda: dealer.client.settlement.GetHand(pb.GetHandRequest(hand_id="x"))),
        ]
        streamed = list(server.settlement.SettleHands(iter([pb.SettleHandsRequest(settle_hand=request)])))
        own_postgresql.start()

        assert {(each.code, each.reason) for each in refused} == {
            (grpc.StatusCode.UNAVAILABLE, Reason.STORE_UNAVAILABLE)
        }
        told = "".join(each.text for each in refused) + streamed[0].error.message
        assert "socket" not in told  # what the driver says of hosts and files
        assert [answer.error.reason for answer in streamed] == ["STORE_UNAVAILABLE"]
        assert server.accounts.Deposit(deposit).transfer.balance_after == 12
        assert server.settlement.SettleHand(request).hand.state == pb.HAND_STATE_SETTLED
        seen += [next(following) for _ in range(dealer.position() - len(seen))]
        assert seen == list(range(1, dealer.position() + 1))
        following.close()

    written = [each for each in logged if each["event"].startswith("store_")]
    assert {each["event"] for each in written} == {"store_failed", "store_unavailable", "store_available"}
    assert any("socket" in each.get("error", "") for each in written)


def test_a_hand_in_flight_when_the_store_crashes_is_there_or_not_and_the_retry_says_which(
    own_postgresql: PostgreSQL,
) -> None:
    with RunningServer(own_postgresql.create()) as server:
        dealer = Dealer(server)
        table_id, prefix = dealer.seat(SIMPLE["bi_ji"])
        requests = [dealer.another(SIMPLE["bi_ji"], table_id, prefix) for _ in range(200)]
        calls = [server.settlement.SettleHand.future(request) for request in requests]
        acknowledged = {requests[0].hand_id: calls[0].result().hand}

        own_postgresql.stop("immediate")
        for request, call in zip(requests, calls, strict=True):
            error = call.exception()
            if error is None:
                acknowledged[request.hand_id] = call.result().hand
            else:
                assert read_refusal(error).reason is Reason.STORE_UNAVAILABLE
        own_postgresql.start()
        hands = {request.hand_id: server.settlement.SettleHand(request).hand for request in requests}

        assert {hand_id: hands[hand_id] for hand_id in acknowledged} == acknowledged
        assert len(dealer.events(topics=["HandSettled"])) == len(requests)
        assert list(server.audit.VerifyLog(audit.VerifyLogRequest()))[-1].finding.is_sound


@pytest.mark.parametrize("mode", ["fast", "immediate"])
def test_the_first_questions_and_the_first_command_after_a_restart_are_answered(
    postgresql: PostgreSQL, postgresql_url: str, mode: str
) -> None:
    database = Database(postgresql_url)
    house = CountingHouse(database)
    seat(house, A=5)
    with ExitStack() as connected:
        for _ in range(CONNECTIONS):
            connected.enter_context(database.read())

    postgresql.stop(mode)
    postgresql.start()
    read = balances(database, "A")
    done(house, deposit("A", 7))
    with ExitStack() as connected:
        for _ in range(CONNECTIONS):
            reader = connected.enter_context(database.read())
            assert reader.exec_driver_sql("SELECT position FROM log_head").scalar_one() == 3
    database.close()

    assert read == [5]
