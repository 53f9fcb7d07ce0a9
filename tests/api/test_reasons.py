"""Every reason for which the house refuses, met once over the wire, with its status and its details.

Each case leaves the log as it was.
"""

import sqlite3
import threading
from collections.abc import Callable
from typing import Any

import grpc
import pytest

from tests.dealer import ACTOR, Dealer, new_id, request_to_add
from tests.pieces import take_apart
from tests.refusals import Refused, read_refusal, refusal
from tests.samples import SIMPLE
from tests.serving import RunningServer
from zhangfang.errors import Reason
from zhangfang.wire.v1 import accounts_pb2 as accounts
from zhangfang.wire.v1 import audit_pb2 as audit
from zhangfang.wire.v1 import money_pb2
from zhangfang.wire.v1 import settlement_pb2 as pb

Code = grpc.StatusCode
Case = Callable[[Dealer], Callable[[], Any]]
"""Prepares what is needed and returns the call that is to be refused."""

ELSEWHERE = {
    Reason.STORE_UNAVAILABLE: "tests/faults/test_store_away.py",
}

ANY = SIMPLE["bi_ji"]


def page_token_of_another_filter(dealer: Dealer) -> Callable[[], Any]:
    dealer.players(3)
    token = dealer.client.accounts.ListPlayers(accounts.ListPlayersRequest(page_size=1)).next_page_token
    return lambda: dealer.client.settlement.ListTables(pb.ListTablesRequest(page_token=token))


def faulty_hand(dealer: Dealer) -> Callable[[], Any]:
    request = dealer.request_to_settle(ANY)
    request.record.bi_ji.layouts[0].groups[0] = "Ah Ah Ah"
    return lambda: dealer.client.settlement.SettleHand(request)


def hand_of_another_game(dealer: Dealer) -> Callable[[], Any]:
    request = dealer.request_to_settle(ANY)
    request.record.CopyFrom(SIMPLE["jiu_dian_ban"].record())
    return lambda: dealer.client.settlement.SettleHand(request)


def unregistered_player(dealer: Dealer) -> Callable[[], Any]:
    request = dealer.request_to_settle(ANY)
    request.record.bi_ji.players[1] = new_id("nobody")
    return lambda: dealer.client.settlement.SettleHand(request)


def unopened_table(dealer: Dealer) -> Callable[[], Any]:
    request = dealer.request_to_settle(ANY)
    request.table_id = new_id("nowhere")
    return lambda: dealer.client.settlement.SettleHand(request)


def player_registered_twice(dealer: Dealer) -> Callable[[], Any]:
    (player_id,) = dealer.players(1)
    return lambda: dealer.register(player_id)


def table_opened_twice(dealer: Dealer) -> Callable[[], Any]:
    request = pb.OpenTableRequest(table_id=dealer.open_table(ANY), request_id=new_id("r"), rules=ANY.rules, stake=5)
    return lambda: dealer.client.settlement.OpenTable(request)


def hand_settled_twice(dealer: Dealer) -> Callable[[], Any]:
    request = dealer.request_to_settle(ANY)
    dealer.client.settlement.SettleHand(request)
    request.request_id = new_id("again")
    return lambda: dealer.client.settlement.SettleHand(request)


def request_id_for_something_else(dealer: Dealer) -> Callable[[], Any]:
    request = dealer.request_to_settle(ANY)
    dealer.client.settlement.SettleHand(request)
    request.hand_id = new_id("hand")
    return lambda: dealer.client.settlement.SettleHand(request)


def hand_at_a_closed_table(dealer: Dealer) -> Callable[[], Any]:
    request = dealer.request_to_settle(ANY)
    dealer.client.settlement.CloseTable(pb.CloseTableRequest(request_id=new_id("r"), table_id=request.table_id))
    return lambda: dealer.client.settlement.SettleHand(request)


def choice_in_a_settled_hand(dealer: Dealer) -> Callable[[], Any]:
    hand = dealer.settle(ANY)
    piece = take_apart(ANY)[0]
    return lambda: dealer.add(hand.hand_id, piece)


def reversal_of_an_open_hand(dealer: Dealer) -> Callable[[], Any]:
    hand_id = dealer.open_hand(ANY, *dealer.seat(ANY))
    return lambda: dealer.reverse(hand_id, "mistake")


def second_reversal(dealer: Dealer) -> Callable[[], Any]:
    hand = dealer.settle(ANY)
    dealer.reverse(hand.hand_id, "mistake")
    return lambda: dealer.reverse(hand.hand_id, "mistake")


def hand_voided_before_it_came(dealer: Dealer) -> Callable[[], Any]:
    request = dealer.request_to_settle(ANY)
    dealer.void(request.hand_id, "cancelled")
    return lambda: dealer.client.settlement.SettleHand(request)


def replacement_of_a_hand_that_stands(dealer: Dealer) -> Callable[[], Any]:
    table_id, prefix = dealer.seat(ANY)
    first, second = (dealer.another(ANY, table_id, prefix) for _ in range(2))
    dealer.client.settlement.SettleHand(first)
    second.replaces_hand_id = first.hand_id
    return lambda: dealer.client.settlement.SettleHand(second)


def choice_out_of_turn(dealer: Dealer) -> Callable[[], Any]:
    table_id, prefix = dealer.seat(ANY)
    hand_id = dealer.open_hand(ANY, table_id, prefix)
    _, layout, *_ = take_apart(ANY, prefix)
    return lambda: dealer.add(hand_id, layout)


def bank_that_does_not_pass_on(dealer: Dealer) -> Callable[[], Any]:
    (player_id,) = dealer.players(1)
    request = pb.ChangeBankerRequest(
        request_id=new_id("r"), table_id=dealer.open_table(ANY), player_id=player_id, action=pb.BANKER_ACTION_APPLY
    )
    return lambda: dealer.client.settlement.ChangeBanker(request)


def withdrawal_of_too_much(dealer: Dealer) -> Callable[[], Any]:
    (player_id,) = dealer.players(1, silver=3)
    return lambda: dealer.withdraw(player_id, 4)


def deposit_beyond_int64(dealer: Dealer) -> Callable[[], Any]:
    (player_id,) = dealer.players(1, silver=3)
    return lambda: dealer.deposit(player_id, 2**63 - 1)


def bad_settings(dealer: Dealer) -> Callable[[], Any]:
    return lambda: dealer.open_table(ANY, rake_per_mille=1001, shortfall=money_pb2.SHORTFALL_POLICY_OWE)


def get_hand(dealer: Dealer) -> Callable[[], Any]:
    return lambda: dealer.client.settlement.GetHand(pb.GetHandRequest(hand_id=new_id("none")))


CASES: dict[Reason, tuple[Code, Case]] = {
    Reason.INVALID_FIELD: (Code.INVALID_ARGUMENT, lambda dealer: lambda: dealer.deposit("", 1)),
    Reason.INVALID_PAGE_TOKEN: (Code.INVALID_ARGUMENT, page_token_of_another_filter),
    Reason.INVALID_SETTINGS: (Code.INVALID_ARGUMENT, bad_settings),
    Reason.HAND_FAULTY: (Code.INVALID_ARGUMENT, faulty_hand),
    Reason.WRONG_GAME: (Code.INVALID_ARGUMENT, hand_of_another_game),
    Reason.UNKNOWN_PLAYER: (Code.NOT_FOUND, unregistered_player),
    Reason.UNKNOWN_TABLE: (Code.NOT_FOUND, unopened_table),
    Reason.UNKNOWN_HAND: (Code.NOT_FOUND, get_hand),
    Reason.UNKNOWN_ACCOUNT: (
        Code.NOT_FOUND,
        lambda dealer: lambda: dealer.client.accounts.GetBalance(accounts.GetBalanceRequest(account="player/nobody")),
    ),
    Reason.UNKNOWN_POSITION: (
        Code.NOT_FOUND,
        lambda dealer: lambda: dealer.client.audit.GetLogHead(audit.GetLogHeadRequest(position=2**63 - 1)),
    ),
    Reason.PLAYER_EXISTS: (Code.ALREADY_EXISTS, player_registered_twice),
    Reason.TABLE_EXISTS: (Code.ALREADY_EXISTS, table_opened_twice),
    Reason.HAND_EXISTS: (Code.ALREADY_EXISTS, hand_settled_twice),
    Reason.REQUEST_ID_REUSED: (Code.ALREADY_EXISTS, request_id_for_something_else),
    Reason.TABLE_CLOSED: (Code.FAILED_PRECONDITION, hand_at_a_closed_table),
    Reason.HAND_NOT_OPEN: (Code.FAILED_PRECONDITION, choice_in_a_settled_hand),
    Reason.HAND_NOT_SETTLED: (Code.FAILED_PRECONDITION, reversal_of_an_open_hand),
    Reason.HAND_ALREADY_REVERSED: (Code.FAILED_PRECONDITION, second_reversal),
    Reason.HAND_VOIDED: (Code.FAILED_PRECONDITION, hand_voided_before_it_came),
    Reason.REPLACED_HAND_NOT_REVERSED: (Code.FAILED_PRECONDITION, replacement_of_a_hand_that_stands),
    Reason.CHOICE_REFUSED: (Code.FAILED_PRECONDITION, choice_out_of_turn),
    Reason.BANKER_REFUSED: (Code.FAILED_PRECONDITION, bank_that_does_not_pass_on),
    Reason.INSUFFICIENT_SILVER: (Code.FAILED_PRECONDITION, withdrawal_of_too_much),
    Reason.AMOUNT_OUT_OF_RANGE: (Code.OUT_OF_RANGE, deposit_beyond_int64),
}

WITH_FAULTS = {
    Reason.INVALID_SETTINGS,
    Reason.HAND_FAULTY,
    Reason.CHOICE_REFUSED,
    Reason.HAND_NOT_SETTLED,
    Reason.HAND_ALREADY_REVERSED,
    Reason.REPLACED_HAND_NOT_REVERSED,
    Reason.AMOUNT_OUT_OF_RANGE,
}


@pytest.mark.parametrize("reason", CASES, ids=str)
def test_a_reason_comes_with_its_status_and_details_and_changes_nothing(dealer: Dealer, reason: Reason) -> None:
    code, case = CASES[reason]
    call = case(dealer)
    before = dealer.position()

    refused = refusal(call)

    assert (refused.code, refused.reason) == (code, reason)
    assert refused.text
    if code is Code.FAILED_PRECONDITION:
        assert refused.preconditions == (reason,)
    if code in (Code.INVALID_ARGUMENT, Code.OUT_OF_RANGE):
        assert refused.fields
    if reason in WITH_FAULTS:
        assert refused.faults
        assert refused.faults.total == len(refused.faults.faults) > 0
        assert all(fault.rule and fault.text for fault in refused.faults.faults)
    assert dealer.position() == before


def test_a_full_queue_refuses_at_once_and_what_it_took_is_answered() -> None:
    with RunningServer(queue_max=1) as server:
        dealer = Dealer(server)
        (player_id,) = dealer.players(1)
        blocker = sqlite3.connect(server.database_url.removeprefix("sqlite:///"), isolation_level=None)
        blocker.execute("BEGIN IMMEDIATE")

        calls = [
            server.accounts.Deposit.future(
                accounts.DepositRequest(request_id=new_id("deposit"), player_id=player_id, amount=1)
            )
            for _ in range(10)
        ]
        refused: list[Refused] = []
        waiting = threading.Semaphore(0)
        for call in calls:
            call.add_done_callback(lambda _: waiting.release())
        for _ in range(8):  # at most one is at work and one waits
            waiting.acquire()
        blocker.execute("ROLLBACK")
        blocker.close()
        for call in calls:
            error = call.exception()
            if error:
                refused.append(read_refusal(error))

        assert {(each.code, each.reason) for each in refused} == {(Code.RESOURCE_EXHAUSTED, Reason.QUEUE_FULL)}
        assert dealer.balance(player_id) == 10 - len(refused) in (1, 2)


def test_one_verification_runs_at_a_time() -> None:
    with RunningServer() as server:
        dealer = Dealer(server)
        dealer.settle(ANY)
        refused: list[Refused] = []

        while not refused:
            for call in [server.audit.VerifyLog(audit.VerifyLogRequest()) for _ in range(8)]:
                try:
                    list(call)
                except grpc.RpcError as error:
                    refused.append(read_refusal(error))

        expected = {(Code.RESOURCE_EXHAUSTED, Reason.VERIFICATION_RUNNING)}
        assert {(each.code, each.reason) for each in refused} == expected


def test_a_mistake_of_the_service_is_told_as_one_and_its_neighbours_go_on() -> None:
    with RunningServer() as server:
        dealer = Dealer(server)
        hand = dealer.settle(ANY)
        intruder = sqlite3.connect(server.database_url.removeprefix("sqlite:///"))
        with intruder:
            intruder.execute("UPDATE events SET body = x'ffff' WHERE stream = ?", (f"hand/{hand.hand_id}",))
        intruder.close()

        refused = refusal(lambda: server.settlement.GetHand(pb.GetHandRequest(hand_id=hand.hand_id)))

        assert (refused.code, refused.reason) == (Code.INTERNAL, Reason.INTERNAL)
        assert hand.hand_id not in refused.text
        assert dealer.settle(ANY).state == pb.HAND_STATE_SETTLED


def test_streams_are_told_when_the_service_shuts_down() -> None:
    with RunningServer() as server:
        dealer = Dealer(server)
        request = dealer.request_to_settle(ANY)
        go_on = threading.Event()

        def requests() -> Any:
            yield pb.SettleHandsRequest(settle_hand=request)
            go_on.wait()

        following = server.audit.StreamEvents(audit.StreamEventsRequest(follow=True))
        settling = server.settlement.SettleHands(requests(), metadata=ACTOR)
        settled = next(settling)
        for event in following:
            if event.event.topic == "HandSettled":
                break
        server.stop()
        told = [refusal(lambda: list(following)), refusal(lambda: list(settling))]
        go_on.set()

    assert settled.hand.state == pb.HAND_STATE_SETTLED
    assert {(each.code, each.reason) for each in told} == {(Code.UNAVAILABLE, Reason.SHUTTING_DOWN)}


def test_no_reason_is_left_out() -> None:
    here = {Reason.QUEUE_FULL, Reason.VERIFICATION_RUNNING, Reason.INTERNAL, Reason.SHUTTING_DOWN}

    assert {*CASES, *here, *ELSEWHERE} == set(Reason)


def test_a_thousand_faults_are_cut_to_what_a_client_takes_and_counted(dealer: Dealer) -> None:
    request = dealer.request_to_settle(ANY)
    request.record.bi_ji.players.extend(["🀄" * 64] * 1000)

    refused = refusal(lambda: dealer.client.settlement.SettleHand(request))

    assert refused.reason is Reason.HAND_FAULTY
    assert refused.faults
    assert refused.faults.total > 1000 > len(refused.faults.faults) > 1
    assert 0 < len(refused.fields) < 1000


def test_the_longest_ids_fit_into_every_refusal(dealer: Dealer) -> None:
    longest = "🀄" * 60 + "none"
    settlement = dealer.client.settlement

    refusals = [
        refusal(lambda: settlement.GetHand(pb.GetHandRequest(hand_id=longest))),
        refusal(lambda: settlement.GetTable(pb.GetTableRequest(table_id=longest))),
        refusal(lambda: dealer.deposit(longest, 1)),
        refusal(lambda: dealer.deposit("🀄" * 100_000, 1)),
        refusal(lambda: dealer.void(longest, "🀄" * 501)),
        refusal(lambda: dealer.events(topics=["🀄" * 10_000])),
        refusal(lambda: dealer.events(game="🀄" * 10_000)),
    ]
    voided = new_id("hand")
    dealer.void(voided, "🀄" * 500)
    refusals.append(refusal(lambda: dealer.void(voided, "again")))

    assert refusals[0].metadata == {"hand_id": longest}


def test_answers_of_a_stream_have_the_refusal_in_them(dealer: Dealer) -> None:
    good, bad = (dealer.request_to_settle(ANY) for _ in range(2))
    bad.record.bi_ji.players.extend(["x"] * 1000)
    unary = refusal(lambda: dealer.client.settlement.SettleHand(bad))

    requests = [pb.SettleHandsRequest(settle_hand=each) for each in (good, bad)]
    first, second = dealer.client.settlement.SettleHands(iter(requests))

    assert first.hand.state == pb.HAND_STATE_SETTLED
    assert (second.request_id, second.hand_id) == (bad.request_id, bad.hand_id)
    assert (second.error.code, second.error.reason) == (unary.code.value[0], unary.reason)
    assert second.error.message == unary.text
    assert unary.faults
    assert second.error.faults.total == unary.faults.total
    assert len(second.error.faults.faults) >= len(unary.faults.faults)


def test_a_piece_of_the_wrong_game_is_refused_with_both_games(dealer: Dealer) -> None:
    hand_id = dealer.open_hand(ANY, *dealer.seat(ANY))
    name, request = request_to_add(hand_id, pb.Ending(jiu_dian_ban={}))

    refused = refusal(lambda: getattr(dealer.client.settlement, name)(request))

    assert (refused.code, refused.reason) == (Code.INVALID_ARGUMENT, Reason.WRONG_GAME)
    assert refused.metadata == {"hand_id": hand_id, "hand_game": "bi_ji", "game": "jiu_dian_ban"}
