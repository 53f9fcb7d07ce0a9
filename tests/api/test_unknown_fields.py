"""Fields that only a newer client knows: whatever is asked or judged is understood in full, or refused by its place."""

from collections.abc import Callable
from typing import Any

import grpc
import pytest

from tests.dealer import Dealer, new_id
from tests.pieces import take_apart
from tests.refusals import Refused, refusal
from tests.samples import SAMPLES
from tests.serving import RunningServer
from zhangfang.api.server import ACCOUNTS, AUDIT, SETTLEMENT
from zhangfang.errors import Reason
from zhangfang.wire.games.v1 import ban_bian_tian_zha_pb2 as bb
from zhangfang.wire.games.v1 import bi_ji_pb2 as bj
from zhangfang.wire.v1 import settlement_pb2 as pb

NEWER = b"\x9a\x06\x03new"
"""Field 99 with the text ``new``."""

QUESTIONS = {
    method.name: method
    for service in (SETTLEMENT, ACCOUNTS, AUDIT)
    for method in service.methods
    if "request_id" not in method.input_type.fields_by_name and not method.client_streaming
}


def assert_names(refused: Refused, place: str) -> None:
    assert (refused.code, refused.reason) == (grpc.StatusCode.INVALID_ARGUMENT, Reason.INVALID_FIELD)
    assert refused.fields == (place,)
    assert "number 99" in refused.text


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_filter_nobody_knows_is_refused_and_not_left_out(server: RunningServer, name: str) -> None:
    method = QUESTIONS[name]
    ask: Any = server.channel.unary_stream if method.server_streaming else server.channel.unary_unary

    refused = refusal(lambda: ask(f"/{method.containing_service.full_name}/{name}")(NEWER))

    assert_names(refused, "request")


SETTINGS: dict[str, tuple[Callable[[pb.OpenTableRequest], Any], str]] = {
    "a house rule": (lambda request: request.rules.bi_ji.MergeFromString(NEWER), "rules.bi_ji"),
    "a game": (lambda request: request.rules.MergeFromString(NEWER), "rules"),
    "a money rule": (lambda request: request.MergeFromString(NEWER), "request"),
}


@pytest.mark.parametrize("row", SETTINGS)
def test_cm_4__a_setting_of_a_table_that_nobody_knows_is_refused(server: RunningServer, row: str) -> None:
    add, place = SETTINGS[row]
    request = pb.OpenTableRequest(request_id=new_id("r"), table_id=new_id("t"), stake=1, rules={"bi_ji": {}})
    add(request)

    refused = refusal(lambda: server.settlement.OpenTable(request))

    assert_names(refused, place)


def test_a_part_of_a_record_that_nobody_knows_is_refused_by_every_way_to_settle(dealer: Dealer) -> None:
    """Given a legal hand whose second layout says one thing more."""
    request = dealer.request_to_settle(SAMPLES["bi_ji"][0])
    request.record.bi_ji.layouts[1].MergeFromString(NEWER)
    settlement = dealer.client.settlement
    before = dealer.position()

    settled = refusal(lambda: settlement.SettleHand(request))
    previewed = refusal(
        lambda: settlement.PreviewSettlement(
            pb.PreviewSettlementRequest(table_id=request.table_id, record=request.record)
        )
    )
    [streamed] = settlement.SettleHands(iter([pb.SettleHandsRequest(settle_hand=request)]))

    assert_names(settled, "record.bi_ji.layouts[1]")
    assert_names(previewed, "record.bi_ji.layouts[1]")
    assert streamed.error.reason == Reason.INVALID_FIELD
    assert "record.bi_ji.layouts[1]" in streamed.error.message
    assert dealer.position() == before


def test_a_piece_of_an_open_hand_that_nobody_knows_is_refused(dealer: Dealer) -> None:
    """Given an open hand, and a deal, a choice and an ending that each say one thing more."""
    sample = SAMPLES["ban_bian_tian_zha"][0]
    table_id, prefix = dealer.seat(sample)
    hand_id = dealer.open_hand(sample, table_id, prefix)
    player_id, _ = take_apart(sample, prefix)[0]  # type: ignore[misc]
    named = {"request_id": new_id("r"), "hand_id": hand_id}
    deal = pb.Deal(ban_bian_tian_zha=bb.BanBianTianZhaDeal.FromString(NEWER))
    choice = pb.Choice(ban_bian_tian_zha=bb.BanBianTianZhaChoice.FromString(NEWER))
    ending = pb.Ending(bi_ji=bj.BiJiEnding.FromString(NEWER))
    settlement = dealer.client.settlement

    refused = [
        refusal(lambda: settlement.RecordDeal(pb.RecordDealRequest(**named, deal=deal))),
        refusal(lambda: settlement.MakeChoice(pb.MakeChoiceRequest(**named, player_id=player_id, choice=choice))),
        refusal(lambda: settlement.FinishHand(pb.FinishHandRequest(**named, ending=ending))),
    ]

    for each, place in zip(
        refused, ("deal.ban_bian_tian_zha", "choice.ban_bian_tian_zha", "ending.bi_ji"), strict=True
    ):
        assert_names(each, place)
