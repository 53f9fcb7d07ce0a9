"""Streams end to end: thousands of hands in flight, followers of every speed, and callers who vanish."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2
from prometheus_client.parser import text_string_to_metric_families

from tests.conftest import STORES
from tests.dealer import ACTOR, Dealer
from tests.samples import SIMPLE
from tests.serving import RunningServer
from zhangfang.wire.v1 import audit_pb2 as audit
from zhangfang.wire.v1 import settlement_pb2 as pb

SAMPLE = SIMPLE["bi_ji"]
HANDS = 2000


@pytest.fixture(params=STORES)
def server(request: pytest.FixtureRequest) -> Iterator[RunningServer]:
    """A server for each test: on PostgreSQL with a process beside it that writes, on SQLite without."""
    url = request.getfixturevalue("postgresql_url") if request.param == "postgresql" else ""
    with RunningServer(url, writer="process" if url else "thread") as running:
        yield running


@pytest.fixture
def dealer(server: RunningServer) -> Dealer:
    """A caller of it."""
    return Dealer(server)


def gauge(server: RunningServer, name: str, **labels: str) -> float:
    """A metric's value now."""
    for family in text_string_to_metric_families(server.scrape()):
        for sample in family.samples:
            if sample.name == name and sample.labels == labels:
                return sample.value
    return 0.0


def until(is_so: Callable[[], bool]) -> None:
    """Asks until it is so; the time limit of the test is the only one."""
    while not is_so():
        pass


def hands_of(dealer: Dealer, number: int) -> list[pb.SettleHandsRequest]:
    """Requests for so many hands at one table."""
    table_id, prefix = dealer.seat(SAMPLE)
    return [pb.SettleHandsRequest(settle_hand=dealer.another(SAMPLE, table_id, prefix)) for _ in range(number)]


def test_thousands_of_hands_in_flight_are_answered_in_the_order_of_the_requests(
    server: RunningServer, dealer: Dealer
) -> None:
    requests = hands_of(dealer, HANDS)
    bad = HANDS // 2
    requests[bad].settle_hand.record.bi_ji.layouts[0].groups[0] = "Ah Ah Ah"
    start = dealer.position()

    answers = list(server.settlement.SettleHands(iter(requests), metadata=ACTOR))

    assert [answer.hand_id for answer in answers] == [request.settle_hand.hand_id for request in requests]
    assert [answer.request_id for answer in answers] == [request.settle_hand.request_id for request in requests]
    assert [index for index, answer in enumerate(answers) if answer.WhichOneof("result") == "error"] == [bad]
    assert answers[bad].error.reason == "HAND_FAULTY"
    assert answers[bad].error.faults.total > 0
    assert sorted(answer.hand.position for answer in answers if answer.hand.position) == list(
        range(start + 1, start + HANDS)
    )
    assert {answer.hand.actor for answer in answers if answer.hand.position} == {"dealer"}


def test_a_broken_stream_loses_nothing_that_was_answered_and_the_rest_is_sent_again(
    server: RunningServer, dealer: Dealer
) -> None:
    requests = hands_of(dealer, 600)
    client = server.new_client()
    answered: list[pb.SettleHandsResponse] = []

    call = client.settlement.SettleHands(iter(requests))
    for answer in call:
        answered.append(answer)
        if len(answered) == 200:
            break
    client.channel.close()
    again = list(server.settlement.SettleHands(iter(requests)))

    assert again[: len(answered)] == answered
    settled = dealer.events(topics=["HandSettled"])
    assert len(settled) == len({event.hand_settled.hand_id for event in settled}) == len(requests)


def test_a_stream_takes_no_more_hands_at_once_than_configured() -> None:
    with RunningServer(stream_in_flight_max=1) as server:
        requests = hands_of(Dealer(server), 50)

        answers = list(server.settlement.SettleHands(iter(requests)))

    assert [answer.hand_id for answer in answers] == [request.settle_hand.hand_id for request in requests]


def test_an_empty_stream_has_no_answers(server: RunningServer) -> None:
    assert list(server.settlement.SettleHands(iter(()))) == []


def test_a_follower_sees_what_is_there_and_then_what_comes(server: RunningServer, dealer: Dealer) -> None:
    dealer.players(3)
    following = server.audit.StreamEvents(audit.StreamEventsRequest(follow=True))
    seen = [next(following).event.position for _ in range(3)]

    dealer.settle(SAMPLE)

    seen += [next(following).event.position for _ in range(dealer.position() - 3)]
    following.cancel()
    assert seen == list(range(1, dealer.position() + 1))


def test_a_follower_who_resumes_misses_nothing_and_sees_nothing_twice(server: RunningServer, dealer: Dealer) -> None:
    requests = hands_of(dealer, 400)
    total = dealer.position() + len(requests)
    seen: list[int] = []

    def follow() -> None:
        while len(seen) < total:
            after = seen[-1] if seen else 0
            following = server.audit.StreamEvents(audit.StreamEventsRequest(after_position=after, follow=True))
            seen.extend([next(following).event.position for _ in range(min(37, total - len(seen)))])
            following.cancel()

    follower = threading.Thread(target=follow)
    follower.start()
    list(server.settlement.SettleHands(iter(requests)))
    follower.join()

    assert seen == list(range(1, total + 1))


def test_a_filtered_follower_gets_only_his_own(server: RunningServer, dealer: Dealer) -> None:
    wanted, other = dealer.request_to_settle(SAMPLE), dealer.request_to_settle(SAMPLE)
    following = server.audit.StreamEvents(audit.StreamEventsRequest(follow=True, table_id=wanted.table_id))
    assert next(following).event.topic == "TableOpened"

    server.settlement.SettleHand(other)
    server.settlement.SettleHand(wanted)

    event = next(following).event
    assert (event.topic, event.hand_settled.hand_id) == ("HandSettled", wanted.hand_id)
    following.cancel()


def test_a_follower_who_does_not_read_holds_nobody_up(server: RunningServer, dealer: Dealer) -> None:
    idle = server.new_client()
    not_read = [idle.audit.StreamEvents(audit.StreamEventsRequest(follow=True)) for _ in range(4)]
    brisk = server.audit.StreamEvents(audit.StreamEventsRequest(follow=True))
    requests = hands_of(dealer, 1000)
    total = dealer.position() + len(requests)

    answers = list(server.settlement.SettleHands(iter(requests)))
    seen = [next(brisk).event.position for _ in range(total)]

    assert len(answers) == len(requests)
    assert seen == list(range(1, total + 1))
    late = [next(not_read[0]).event.position for _ in range(total)]
    assert late == seen
    brisk.cancel()
    idle.channel.close()
    until(lambda: gauge(server, "zhangfang_followers") == 0)


def test_two_hundred_followers_and_watchers_do_not_starve_settlements(server: RunningServer, dealer: Dealer) -> None:
    (player_id,) = dealer.players(1)
    crowd = server.new_client()
    start = dealer.position()
    followers = [
        crowd.audit.StreamEvents(audit.StreamEventsRequest(follow=True, after_position=start)) for _ in range(200)
    ]
    watchers = [crowd.health.Watch(health_pb2.HealthCheckRequest()) for _ in range(200)]
    assert {next(watcher).status for watcher in watchers} == {health_pb2.HealthCheckResponse.SERVING}
    until(lambda: gauge(server, "zhangfang_followers") == 200)
    requests = [dealer.request_to_settle(SAMPLE) for _ in range(20)]

    with ThreadPoolExecutor(8) as callers:
        hands = list(callers.map(lambda request: server.settlement.SettleHand(request).hand, requests))

    assert {hand.state for hand in hands} == {pb.HAND_STATE_SETTLED}
    end = dealer.position()
    for follower in followers:
        assert [next(follower).event.position for _ in range(end - start)] == list(range(start + 1, end + 1))
    crowd.channel.close()
    until(lambda: gauge(server, "zhangfang_followers") == 0)
    until(lambda: gauge(server, "zhangfang_rpcs_in_flight", method="StreamEvents") == 0)
    assert dealer.balance(player_id) == 0


def test_callers_who_vanish_leave_nothing_behind(server: RunningServer, dealer: Dealer) -> None:
    requests = hands_of(dealer, 300)
    total = dealer.position() + len(requests)
    go_on = threading.Event()

    def endless() -> Iterator[Any]:
        yield from requests
        go_on.wait()

    for _ in range(5):
        vanishing = server.new_client()
        following = vanishing.audit.StreamEvents(audit.StreamEventsRequest(follow=True))
        next(following)
        settling = vanishing.settlement.SettleHands(endless())
        next(settling)
        vanishing.audit.VerifyLog(audit.VerifyLogRequest())
        vanishing.channel.close()

    for method in ("StreamEvents", "SettleHands", "VerifyLog"):
        until(lambda method=method: gauge(server, "zhangfang_rpcs_in_flight", method=method) == 0)  # type: ignore[misc]
    go_on.set()
    assert gauge(server, "zhangfang_followers") == 0
    assert gauge(server, "zhangfang_refusals_total", reason="INTERNAL") == 0
    list(server.settlement.SettleHands(iter(requests)))
    assert dealer.position() == total


def test_a_call_whose_time_is_up_is_done_or_not_and_the_retry_says_which(server: RunningServer, dealer: Dealer) -> None:
    table_id, prefix = dealer.seat(SAMPLE)
    player_id = prefix + next(iter(SAMPLE.net))
    before = dealer.balance(player_id)
    requests = [dealer.another(SAMPLE, table_id, prefix) for _ in range(100)]

    for number, request in enumerate(requests):
        call = server.settlement.SettleHand.future(request, timeout=number / 20_000)
        if number % 3 == 0:
            call.cancel()
        call.exception() if not call.cancelled() else None
    hands = [server.settlement.SettleHand(request).hand for request in requests]

    assert len({hand.position for hand in hands}) == len(requests)
    assert [server.settlement.SettleHand(request).hand for request in requests] == hands
    assert dealer.balance(player_id) == before + sum(
        posting.amount for hand in hands for posting in hand.postings if posting.account == f"player/{player_id}"
    )
    until(lambda: gauge(server, "zhangfang_rpcs_in_flight", method="SettleHand") == 0)
    assert gauge(server, "zhangfang_hands_settled_total", game=SAMPLE.game) == len(requests)


def test_a_server_on_a_taken_port_refuses_to_start(server: RunningServer) -> None:
    from zhangfang.api.server import CannotStartError

    with pytest.raises(CannotStartError, match="is taken"), RunningServer(port=server.server.port):
        pass
    with (
        pytest.raises(CannotStartError, match="metrics port"),
        RunningServer(metrics_port=server.server.metrics_port),
    ):
        pass
    with pytest.raises(grpc.RpcError) as caught:
        server.channel.unary_unary("/zhangfang.v1.SettlementService/NoSuchCall")(b"")
    assert caught.value.code() is grpc.StatusCode.UNIMPLEMENTED


def test_a_follower_who_does_not_read_cannot_hold_up_the_end(tmp_path: Path) -> None:
    with RunningServer(f"sqlite:///{tmp_path / 'kept.db'}", drain_seconds=1) as server:
        list(server.settlement.SettleHands(iter(hands_of(Dealer(server), 500))))
        idle = server.audit.StreamEvents(audit.StreamEventsRequest(follow=True))
        until(lambda: gauge(server, "zhangfang_followers") == 1)

        server.stop()

        received: list[int] = []
        with pytest.raises(grpc.RpcError):
            received.extend(each.event.position for each in idle)

    assert received == list(range(1, len(received) + 1))
