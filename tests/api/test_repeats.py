"""Repeats: every mutating call sent again gets its first answer, byte for byte, also after a restart and in a crowd."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf.message import Message

from tests.conftest import STORES
from tests.dealer import ACTOR, Dealer, new_id, request_to_add
from tests.pieces import opening_players, take_apart
from tests.refusals import refusal
from tests.samples import SIMPLE
from tests.serving import Client, RunningServer
from zhangfang.api.forms import fingerprint
from zhangfang.application import CountingHouse
from zhangfang.contract.games import CODECS
from zhangfang.contract.judging import WireScribe
from zhangfang.domain.commands import Judged, SettleHand
from zhangfang.domain.commands import Request as HouseRequest
from zhangfang.errors import Reason
from zhangfang.store.database import Database
from zhangfang.wire.games.v1.jiu_dian_ban_pb2 import JiuDianBanRules
from zhangfang.wire.v1 import accounts_pb2 as accounts
from zhangfang.wire.v1 import settlement_pb2 as pb

Request = tuple[str, str, Any]
"""A service, a method and its request."""


def send(client: Client, request: Request) -> bytes:
    """The answer, as bytes."""
    service, method, message = request
    answer: Message = getattr(getattr(client, service), method)(message, metadata=ACTOR)
    return answer.SerializeToString(deterministic=True)


def settled(name: str, message: Any) -> Request:
    """A request to the settlement service."""
    return "settlement", name, message


def of_accounts(dealer: Dealer) -> list[Request]:
    """A player's life."""
    player_id = new_id("player")
    return [
        (
            "accounts",
            "RegisterPlayer",
            accounts.RegisterPlayerRequest(request_id=new_id("r"), player_id=player_id, display_name="x"),
        ),
        ("accounts", "Deposit", accounts.DepositRequest(request_id=new_id("r"), player_id=player_id, amount=9)),
        ("accounts", "Withdraw", accounts.WithdrawRequest(request_id=new_id("r"), player_id=player_id, amount=4)),
    ]


def of_tables(dealer: Dealer) -> list[Request]:
    """A table of 九點半 with a list of bankers, from its opening to its closing."""
    first, second = dealer.players(2, silver=100)
    table_id = new_id("table")
    rules = JiuDianBanRules(banker_mode=JiuDianBanRules.BANKER_MODE_QUEUE)

    def change(player_id: str, action: pb.BankerAction) -> Request:
        return settled(
            "ChangeBanker",
            pb.ChangeBankerRequest(request_id=new_id("r"), table_id=table_id, player_id=player_id, action=action),
        )

    return [
        settled(
            "OpenTable",
            pb.OpenTableRequest(
                request_id=new_id("r"), table_id=table_id, rules=pb.GameRules(jiu_dian_ban=rules), stake=1
            ),
        ),
        change(first, pb.BANKER_ACTION_APPLY),
        change(second, pb.BANKER_ACTION_APPLY),
        change(second, pb.BANKER_ACTION_LEAVE),
        change(first, pb.BANKER_ACTION_STEP_DOWN),
        settled("CloseTable", pb.CloseTableRequest(request_id=new_id("r"), table_id=table_id)),
    ]


def of_open_hands(game: str) -> Callable[[Dealer], list[Request]]:
    """A hand that comes piece by piece."""

    def requests(dealer: Dealer) -> list[Request]:
        sample = SIMPLE[game]
        table_id, prefix = dealer.seat(sample)
        hand_id = new_id("hand")
        opened = pb.OpenHandRequest(
            request_id=new_id("r"), hand_id=hand_id, table_id=table_id, players=opening_players(sample, prefix)
        )
        pieces = [settled(*request_to_add(hand_id, piece)) for piece in take_apart(sample, prefix)]
        return [settled("OpenHand", opened), *pieces]

    return requests


def of_settled_hands(dealer: Dealer) -> list[Request]:
    """A hand settled, reversed and settled again, and one that is voided before it comes."""
    sample = SIMPLE["ban_bian_tian_zha"]
    table_id, prefix = dealer.seat(sample, table_fee=1)
    first, second, third = (dealer.another(sample, table_id, prefix) for _ in range(3))
    second.replaces_hand_id = first.hand_id
    third.replaces_hand_id = first.hand_id

    def reverse(hand_id: str) -> Request:
        return settled("ReverseHand", pb.ReverseHandRequest(request_id=new_id("r"), hand_id=hand_id, reason="mistake"))

    return [
        settled("SettleHand", first),
        reverse(first.hand_id),
        settled("SettleHand", second),
        reverse(second.hand_id),
        settled("SettleHand", third),
        settled("VoidHand", pb.VoidHandRequest(request_id=new_id("r"), hand_id=new_id("hand"), reason="cancelled")),
    ]


STORIES: dict[str, Callable[[Dealer], list[Request]]] = {
    "accounts": of_accounts,
    "tables": of_tables,
    "settled hands": of_settled_hands,
    **{f"an open hand of {game}": of_open_hands(game) for game in SIMPLE},
}


@pytest.mark.parametrize("story", STORIES)
def test_each_request_of_a_story_sent_again_at_its_end_gets_its_first_answer(dealer: Dealer, story: str) -> None:
    requests = STORIES[story](dealer)
    first = [send(dealer.client, request) for request in requests]
    position = dealer.position()

    again = [send(dealer.client, request) for request in requests]

    assert again == first
    assert len(set(first)) == len(first)
    assert dealer.position() == position


@pytest.mark.parametrize("story", STORIES)
def test_another_body_under_the_same_id_is_refused(dealer: Dealer, story: str) -> None:
    requests = STORIES[story](dealer)
    for request in requests:
        send(dealer.client, request)
    position = dealer.position()

    for service, method, message in requests:
        message.occurred_at.GetCurrentTime()
        refused = refusal(lambda: send(dealer.client, (service, method, message)))  # noqa: B023

        assert (refused.code, refused.reason) == (grpc.StatusCode.ALREADY_EXISTS, Reason.REQUEST_ID_REUSED)
        assert refused.metadata == {"request_id": message.request_id}
    assert dealer.position() == position


def test_an_id_is_used_up_for_every_other_method_too(dealer: Dealer) -> None:
    (player_id,) = dealer.players(1)
    request = accounts.DepositRequest(request_id=new_id("r"), player_id=player_id, amount=9)
    dealer.client.accounts.Deposit(request)
    same = accounts.WithdrawRequest(request_id=request.request_id, player_id=player_id, amount=9)

    refused = refusal(lambda: dealer.client.accounts.Withdraw(same))

    assert refused.reason is Reason.REQUEST_ID_REUSED
    assert dealer.balance(player_id) == 9


def test_an_error_uses_no_id_up(dealer: Dealer) -> None:
    request = dealer.request_to_settle(SIMPLE["bi_ji"])
    cards = request.record.bi_ji.layouts[0].groups[0]
    request.record.bi_ji.layouts[0].groups[0] = "Ah Ah Ah"
    assert refusal(lambda: dealer.client.settlement.SettleHand(request)).reason is Reason.HAND_FAULTY

    request.record.bi_ji.layouts[0].groups[0] = cards
    hand = dealer.client.settlement.SettleHand(request).hand

    assert hand.state == pb.HAND_STATE_SETTLED


@pytest.mark.parametrize("store", STORES)
def test_after_a_restart_every_repeat_still_gets_its_first_answer(
    request: pytest.FixtureRequest, tmp_path: Path, store: str
) -> None:
    url = request.getfixturevalue("postgresql_url") if store == "postgresql" else f"sqlite:///{tmp_path / 'kept.db'}"
    with RunningServer(url) as server:
        stories = [story(Dealer(server)) for story in STORIES.values()]
        first = [[send(server, request) for request in requests] for requests in stories]

    with RunningServer(url) as server:
        again = [[send(server, request) for request in requests] for requests in stories]

    assert again == first


@pytest.mark.parametrize("game", SIMPLE)
def test_sixty_four_callers_with_the_same_new_hand_get_one_answer(
    server: RunningServer, dealer: Dealer, game: str
) -> None:
    request = dealer.request_to_settle(SIMPLE[game])
    position = dealer.position()

    with ThreadPoolExecutor(64) as callers:
        answers = list(callers.map(lambda _: send(server, settled("SettleHand", request)), range(64)))

    assert len(set(answers)) == 1
    assert dealer.position() == position + 1


def test_sixty_four_callers_with_ids_of_their_own_settle_one_hand_once(server: RunningServer, dealer: Dealer) -> None:
    request = dealer.request_to_settle(SIMPLE["bi_ji"])
    requests = []
    for _ in range(64):
        own = pb.SettleHandRequest()
        own.CopyFrom(request)
        own.request_id = new_id("settle")
        requests.append(own)

    def settle(own: pb.SettleHandRequest) -> str:
        try:
            server.settlement.SettleHand(own)
        except grpc.RpcError as error:
            return str(error.code().name)
        return "OK"

    with ThreadPoolExecutor(64) as callers:
        answers = list(callers.map(settle, requests))

    assert sorted(answers) == ["ALREADY_EXISTS"] * 63 + ["OK"]


@pytest.mark.parametrize("others", ["VoidHand", "FinishHand"])
def test_of_many_who_end_a_hand_at_once_exactly_one_does(server: RunningServer, dealer: Dealer, others: str) -> None:
    sample = SIMPLE["jiu_dian_ban"]
    table_id, prefix = dealer.seat(sample)
    hand_id = dealer.open_hand(sample, table_id, prefix)
    *bets, ending = take_apart(sample, prefix)
    dealer.add_all(hand_id, bets)

    def end(number: int) -> bool:
        finishing = settled(*request_to_add(hand_id, ending))
        voiding = settled("VoidHand", pb.VoidHandRequest(request_id=new_id("r"), hand_id=hand_id, reason="race"))
        try:
            send(server, finishing if number % 2 or others == "FinishHand" else voiding)
        except grpc.RpcError as error:
            assert error.code() is grpc.StatusCode.FAILED_PRECONDITION  # noqa: PT017
            return False
        return True

    with ThreadPoolExecutor(32) as callers:
        ended = list(callers.map(end, range(32)))

    assert ended.count(True) == 1
    balances = [dealer.balance(player) for player in sample.players(prefix)]
    assert sum(balances) == sum(sample.silver().values())
    assert all(dealer.player(player).held == 0 for player in sample.players(prefix))


def test_unknown_fields_of_a_newer_client_are_part_of_the_body(dealer: Dealer, server: RunningServer) -> None:
    request = dealer.request_to_settle(SIMPLE["bi_ji"])
    newer = request.SerializeToString() + b"\x9a\x06\x03new"
    path = "/zhangfang.v1.SettlementService/SettleHand"

    first = server.channel.unary_unary(path)(newer)
    again = server.channel.unary_unary(path)(newer)
    refused = refusal(lambda: dealer.client.settlement.SettleHand(request))

    assert again == first
    assert refused.reason is Reason.REQUEST_ID_REUSED


def test_a_hand_that_an_older_version_accepted_keeps_its_first_answer(dealer: Dealer, server: RunningServer) -> None:
    """Given a settled hand in which today's code finds a fault."""
    sample = SIMPLE["ban_bian_tian_zha"]
    legal = dealer.request_to_settle(sample)
    faulty = pb.SettleHandRequest()
    faulty.CopyFrom(legal)
    del faulty.record.ban_bian_tian_zha.plays[-1]
    codec = CODECS["ban_bian_tian_zha"]
    record = codec.read_hand(legal.record.ban_bian_tian_zha)
    database = Database(server.database_url)
    house = CountingHouse(database)
    table = house.table(legal.table_id)
    assert table
    verdict = codec.game.judge(record, table.house_rules, table.stake, {})
    encoded = WireScribe().judgement(table.game, table.stake, table.house_rules, record, verdict)
    accepted = SettleHand(
        request=HouseRequest(faulty.request_id, fingerprint(faulty)),
        hand_id=faulty.hand_id,
        table_id=faulty.table_id,
        game=table.game,
        players=record.players,
        record=record,
        judged=Judged.of(verdict, table.stake, encoded),
    )
    house.execute([accepted])
    database.close()

    answer = server.settlement.SettleHand(faulty)
    other = pb.SettleHandRequest()
    other.CopyFrom(faulty)
    other.request_id = new_id("r")
    refused = refusal(lambda: server.settlement.SettleHand(other))

    assert answer.hand.state == pb.HAND_STATE_SETTLED
    assert refused.reason == Reason.HAND_FAULTY
