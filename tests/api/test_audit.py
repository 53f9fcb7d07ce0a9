"""The log over the wire: streamed, filtered, verified, and summed up."""

import hashlib
import sqlite3
from typing import Any

import grpc
import pytest

from tests.dealer import Dealer, new_id
from tests.refusals import refusal
from tests.samples import SIMPLE
from tests.serving import RunningServer
from zhangfang.errors import Reason
from zhangfang.wire.v1 import audit_pb2 as pb
from zhangfang.wire.v1 import settlement_pb2


def test_the_stream_is_the_whole_log_without_gaps_and_its_hashes_follow(dealer: Dealer) -> None:
    dealer.settle(SIMPLE["bi_ji"])

    events = dealer.events(include_stored_bytes=True)

    assert [event.position for event in events] == list(range(1, dealer.position() + 1))
    previous = bytes(32)
    for event in events:
        previous = hash_of(previous, event)
        assert event.hash == previous
        assert event.WhichOneof("body")
    times = [event.recorded_at.ToMicroseconds() for event in events]
    assert times == sorted(set(times))
    head = dealer.client.audit.GetLogHead(pb.GetLogHeadRequest())
    assert (head.position, head.hash, head.recorded_at) == (len(events), previous, events[-1].recorded_at)


def hash_of(previous: bytes, event: pb.Event) -> bytes:
    """The chained hash as events.proto defines it."""
    numbers = (event.position, event.version, event.recorded_at.ToMicroseconds())
    hashed = previous + b"".join(number.to_bytes(8, "big") for number in numbers)
    for text in (event.stream, event.topic):
        hashed += len(text.encode()).to_bytes(4, "big") + text.encode()
    return hashlib.sha256(hashed + event.stored_bytes).digest()


def test_stored_bytes_come_only_when_asked_for(dealer: Dealer) -> None:
    dealer.players(1)

    with_bytes = dealer.events(include_stored_bytes=True)[-1]
    without = dealer.events()[-1]

    assert with_bytes.stored_bytes
    assert not without.stored_bytes
    with_bytes.ClearField("stored_bytes")
    assert with_bytes == without


def test_a_stream_goes_on_after_a_position(dealer: Dealer) -> None:
    dealer.players(3)
    end = dealer.position()

    assert [event.position for event in dealer.events(after_position=end - 2)] == [end - 1, end]
    assert dealer.events(after_position=end) == []
    assert dealer.events(after_position=2**63 - 1) == []


def test_events_are_filtered_by_table_player_hand_game_and_topic(dealer: Dealer) -> None:
    sample = SIMPLE["jiu_dian_ban"]
    start = dealer.position()
    table_id, prefix = dealer.seat(sample)
    hand_id = dealer.open_hand(sample, table_id, prefix)
    dealer.play_out(sample, hand_id, prefix)
    dealer.reverse(hand_id, "mistake")
    other = dealer.settle(SIMPLE["bi_ji"])
    dealer.client.settlement.CloseTable(settlement_pb2.CloseTableRequest(request_id=new_id("close"), table_id=table_id))

    def topics(**wanted: Any) -> list[str]:
        return [event.topic for event in dealer.events(after_position=start, **wanted)]

    of_hand = ["HandOpened", *["ChoiceMade"] * 3, "HandSettled", "HandReversed"]
    assert topics(hand_id=hand_id) == of_hand
    assert topics(table_id=table_id) == ["TableOpened", *of_hand, "TableClosed"]
    assert topics(game="jiu_dian_ban") == ["TableOpened", *of_hand, "TableClosed"]
    assert topics(player_id=prefix + "P1") == [
        "PlayerRegistered",
        "SilverDeposited",
        "ChoiceMade",
        "HandSettled",
        "HandReversed",
    ]
    assert topics(topics=["HandReversed", "TableClosed"]) == ["HandReversed", "TableClosed"]
    assert topics(hand_id=other.hand_id, topics=["HandReversed"]) == []
    assert topics(game="bi_ji", topics=["HandSettled"]) == ["HandSettled"]


def test_the_log_verifies_and_says_how_far_it_is(dealer: Dealer) -> None:
    dealer.settle(SIMPLE["er_ren_dou_di_zhu"])

    steps = list(dealer.client.audit.VerifyLog(pb.VerifyLogRequest()))

    assert all(not step.HasField("finding") for step in steps[:-1])
    finding = steps[-1].finding
    assert finding.is_sound, finding
    head = dealer.client.audit.GetLogHead(pb.GetLogHeadRequest())
    assert (finding.event_count, finding.head_hash) == (head.position, head.hash)


def test_who_leaves_a_verification_does_not_hold_up_the_next(dealer: Dealer, server: RunningServer) -> None:
    for _ in range(5):
        abandoned = dealer.client.audit.VerifyLog(pb.VerifyLogRequest())
        abandoned.cancel()

    finding = None
    while finding is None:  # the abandoned one may still be at its last step
        try:
            finding = list(dealer.client.audit.VerifyLog(pb.VerifyLogRequest()))[-1].finding
        except grpc.RpcError as error:
            assert error.code() is grpc.StatusCode.RESOURCE_EXHAUSTED  # noqa: PT017

    assert finding.is_sound
    assert 'zhangfang_refusals_total{reason="INTERNAL"} 0.0' in server.scrape()


def test_the_trial_balance_sums_to_zero(dealer: Dealer) -> None:
    sample = SIMPLE["ban_bian_tian_zha"]
    hand = dealer.settle(sample, table_fee=1)

    summed = dealer.client.audit.GetTrialBalance(pb.GetTrialBalanceRequest())
    full = dealer.client.audit.GetTrialBalance(pb.GetTrialBalanceRequest(include_players=True))

    for balance in (summed, full):
        assert balance.balance_sum == 0
        assert balance.position == dealer.position()
        assert sum(account.balance for account in balance.accounts) == 0
        names = [account.account for account in balance.accounts]
        assert names == sorted(names)
        assert all(each.credits - each.debits == each.balance for each in balance.accounts)
    assert "player/*" in [account.account for account in summed.accounts]
    of_player = {account.account: account.balance for account in full.accounts}
    assert of_player[f"player/{hand.players[0].player_id}"] == hand.players[0].balance_after


def test_a_receipt_is_read_again_at_its_position(dealer: Dealer) -> None:
    dealer.players(1)
    receipt = dealer.client.audit.GetLogHead(pb.GetLogHeadRequest())
    dealer.players(1)

    then = dealer.client.audit.GetLogHead(pb.GetLogHeadRequest(position=receipt.position))
    unknown = refusal(lambda: dealer.client.audit.GetLogHead(pb.GetLogHeadRequest(position=2**62)))

    assert then == receipt
    assert (unknown.code, unknown.reason) == (grpc.StatusCode.NOT_FOUND, Reason.UNKNOWN_POSITION)


def test_an_empty_log_has_a_head_of_zeros_and_verifies() -> None:
    with RunningServer() as server:
        head = server.audit.GetLogHead(pb.GetLogHeadRequest())
        finding = list(server.audit.VerifyLog(pb.VerifyLogRequest()))[-1].finding
        balance = server.audit.GetTrialBalance(pb.GetTrialBalanceRequest())
        refused = refusal(lambda: server.audit.GetLogHead(pb.GetLogHeadRequest(position=1)))

    assert (head.position, head.hash) == (0, bytes(32))
    assert not head.HasField("recorded_at")
    assert (finding.is_sound, finding.event_count, finding.head_hash) == (True, 0, bytes(32))
    assert balance.balance_sum == 0
    assert refused.reason is Reason.UNKNOWN_POSITION


@pytest.mark.parametrize("service", ["", "zhangfang.v1.SettlementService", "zhangfang.v1.AuditService"])
def test_health_answers_for_the_house_and_each_service(server: RunningServer, service: str) -> None:
    from grpc_health.v1 import health_pb2

    status = server.health.Check(health_pb2.HealthCheckRequest(service=service)).status
    watched = server.health.Watch(health_pb2.HealthCheckRequest(service=service))

    assert status == next(watched).status == health_pb2.HealthCheckResponse.SERVING
    watched.cancel()
    with pytest.raises(grpc.RpcError) as caught:
        server.health.Check(health_pb2.HealthCheckRequest(service="nobody"))
    assert caught.value.code() is grpc.StatusCode.NOT_FOUND
    assert next(server.health.Watch(health_pb2.HealthCheckRequest(service="nobody"))).status == (
        health_pb2.HealthCheckResponse.SERVICE_UNKNOWN
    )


def test_a_forged_log_is_found_and_shown_to_operators() -> None:
    with RunningServer() as server:
        dealer = Dealer(server)
        (player_id,) = dealer.players(1, silver=5)
        forger = sqlite3.connect(server.database_url.removeprefix("sqlite:///"))
        with forger:
            forger.execute("UPDATE accounts SET balance = 6 WHERE account = ?", (f"player/{player_id}",))
            forger.execute("UPDATE events SET recorded_at_us = recorded_at_us + 1 WHERE position = 1")
        forger.close()

        finding = list(server.audit.VerifyLog(pb.VerifyLogRequest()))[-1].finding

        assert not finding.is_sound
        assert (finding.discrepancies[0].position, finding.discrepancies[0].place) == (1, "log")
        assert "accounts" in {discrepancy.place for discrepancy in finding.discrepancies}
        number = float(len(finding.discrepancies))
        assert f"zhangfang_verified_discrepancies {number}" in server.scrape()
        assert "zhangfang_verified_timestamp_seconds 0.0" in server.scrape()


def test_health_lists_every_service(server: RunningServer) -> None:
    from grpc_health.v1 import health_pb2

    statuses = server.health.List(health_pb2.HealthListRequest()).statuses

    assert {status.status for status in statuses.values()} == {health_pb2.HealthCheckResponse.SERVING}
    assert set(statuses) == {"", *(f"zhangfang.v1.{name}Service" for name in ("Settlement", "Account", "Audit"))}
