"""A server whose commands are written by a process beside it answers and counts as one that writes itself."""

import os
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from typing import Any

import grpc
import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests import dealer as dealing
from tests.bookkeeping import assert_sound, balances
from tests.conftest import STORES
from tests.dealer import Dealer
from tests.deploy.busy_evening import Evening
from tests.refusals import refusal
from tests.samples import SIMPLE
from tests.serving import RunningServer
from zhangfang.errors import Reason
from zhangfang.store.database import Database
from zhangfang.wire.v1 import accounts_pb2 as accounts
from zhangfang.wire.v1 import audit_pb2 as audit
from zhangfang.wire.v1 import settlement_pb2 as pb

HANDS = 400

COUNTED = (
    "zhangfang_batch_commands_sum",
    "zhangfang_judge_seconds_count",
    "zhangfang_log_position",
    "zhangfang_money",
    "zhangfang_money_position",
)
"""What is the same whoever writes, beside the counters."""


@pytest.fixture(params=STORES)
def server(request: pytest.FixtureRequest) -> Iterator[RunningServer]:
    """A server with a process that writes."""
    url = request.getfixturevalue("postgresql_url") if request.param == "postgresql" else ""
    with RunningServer(url, writer="process") as running:
        assert writers(running) == 1
        yield running


def writers(server: RunningServer) -> float:
    """How many processes write for it."""
    return samples(server)["zhangfang_writer_processes", ()]


def samples(server: RunningServer) -> dict[tuple[str, tuple[Any, ...]], float]:
    """All its metrics, by name and labels."""
    families = text_string_to_metric_families(server.scrape())
    return {
        (each.name, tuple(sorted(each.labels.items()))): each.value for family in families for each in family.samples
    }


def test_an_evening_is_answered_logged_and_counted_as_by_a_server_that_writes_itself(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    events, counted = {}, {}
    for writer in ("process", "thread"):
        monkeypatch.setattr(dealing, "_numbers", count(1))  # the same ids for both
        with RunningServer(writer=writer) as server:
            Evening(server).play_round()
            events[writer] = [without_times(each) for each in Dealer(server).events()]
            counted[writer] = {
                (name, labels): value
                for (name, labels), value in samples(server).items()
                if name in COUNTED or (name.startswith("zhangfang_") and name.endswith("_total"))
            }

    assert len(events["thread"]) > 50
    assert events["process"] == events["thread"]
    assert counted["process"] == counted["thread"]


def without_times(event: audit.Event) -> audit.Event:
    """An event of the log without what no two logs have in common."""
    plain = audit.Event()
    plain.CopyFrom(event)
    for field in ("recorded_at", "hash"):
        plain.ClearField(field)
    return plain


def test_a_hand_opened_in_pieces_a_bank_and_a_transfer_are_told_as_they_stand(server: RunningServer) -> None:
    dealer = Dealer(server)
    sample = SIMPLE["er_ren_dou_di_zhu"]
    table_id, prefix = dealer.seat(sample)
    hand_id = dealer.open_hand(sample, table_id, prefix)

    settled = dealer.play_out(sample, hand_id, prefix)
    fetched = server.settlement.GetHand(pb.GetHandRequest(hand_id=hand_id)).hand
    closed = server.settlement.CloseTable(pb.CloseTableRequest(request_id=dealing.new_id("close"), table_id=table_id))
    poor = refusal(lambda: dealer.withdraw(sample.players(prefix)[0], 2**40))

    assert settled == fetched
    assert settled.state == pb.HAND_STATE_SETTLED
    assert closed.table == server.settlement.GetTable(pb.GetTableRequest(table_id=table_id)).table
    assert poor.reason is Reason.INSUFFICIENT_SILVER
    assert poor.metadata["available"] == str(dealer.balance(sample.players(prefix)[0]))


def test_who_follows_hears_of_what_the_process_wrote(server: RunningServer) -> None:
    following = server.audit.StreamEvents(audit.StreamEventsRequest(follow=True))

    Dealer(server).register("someone")

    assert next(iter(following)).event.position == 1
    following.cancel()


def test_no_hand_is_lost_or_settled_twice_when_the_process_is_killed(server: RunningServer) -> None:
    dealer = Dealer(server)
    sample = SIMPLE["bi_ji"]
    table_id, prefix = dealer.seat(sample)
    requests = [dealer.another(sample, table_id, prefix) for _ in range(HANDS)]

    def settle(request: pb.SettleHandRequest) -> pb.Hand:
        while True:
            try:
                return server.settlement.SettleHand(request).hand
            except grpc.RpcError as error:
                if error.code() is not grpc.StatusCode.UNAVAILABLE:
                    raise

    with ThreadPoolExecutor(16) as callers:
        hands = []
        for index, hand in enumerate(callers.map(settle, requests)):
            hands.append(hand)
            if index == HANDS // 4:
                os.kill(writer_pid(server), signal.SIGKILL)

    positions = [hand.position for hand in hands]
    assert len(set(positions)) == HANDS
    assert [server.settlement.SettleHand(each).hand.position for each in requests] == positions
    assert writers(server) == 0
    assert samples(server)["zhangfang_log_position", ()] == dealer.position()
    winner = max(sample.net, key=lambda player: sample.net[player])
    assert (
        dealer.balance(f"{prefix}{winner}") == sample.silver(prefix)[f"{prefix}{winner}"] + HANDS * sample.net[winner]
    )
    server.stop()
    database = Database(server.database_url)
    assert_sound(database)
    database.close()


def writer_pid(server: RunningServer) -> int:
    [pid] = server.server._desk.pids
    return pid


def test_a_server_that_is_stopped_under_load_finishes_what_it_took(server: RunningServer) -> None:
    dealer = Dealer(server)
    (player_id,) = dealer.players(1)

    def deposit(number: int) -> bool:
        request = accounts.DepositRequest(request_id=f"stopping-{number}", player_id=player_id, amount=1)
        try:
            server.accounts.Deposit(request)
        except grpc.RpcError as error:
            if error.code() not in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED):
                raise
            return False
        return True

    with ThreadPoolExecutor(16) as callers:
        done = callers.map(deposit, range(HANDS))
        assert next(done)
        server.stop()
        acknowledged = 1 + sum(done)

    database = Database(server.database_url)
    assert_sound(database)
    assert balances(database, player_id)[0] >= acknowledged
    database.close()
