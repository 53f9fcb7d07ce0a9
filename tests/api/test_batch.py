"""Many hands in one call: each has its own answer, in order, and hurts no other."""

import pytest

from tests.dealer import Dealer, new_id
from tests.refusals import refusal
from tests.samples import SIMPLE
from tests.serving import RunningServer
from zhangfang.errors import Reason
from zhangfang.wire.v1 import settlement_pb2 as pb


def hands_of(dealer: Dealer, count: int) -> list[pb.SettleHandRequest]:
    """Hands of all games, several at each table."""
    requests: list[pb.SettleHandRequest] = []
    for sample in SIMPLE.values():
        table_id, prefix = dealer.seat(sample)
        requests += [dealer.another(sample, table_id, prefix) for _ in range(count // len(SIMPLE))]
    return requests


def test_a_batch_answers_every_hand_as_a_call_of_its_own_would(dealer: Dealer, server: RunningServer) -> None:
    requests = hands_of(dealer, 100)

    answers = server.settlement.BatchSettleHands(pb.BatchSettleHandsRequest(hands=requests)).answers

    assert [(each.request_id, each.hand_id) for each in answers] == [
        (each.request_id, each.hand_id) for each in requests
    ]
    for request, answer in zip(requests, answers, strict=True):
        assert answer.hand == server.settlement.SettleHand(request).hand


def test_a_bad_hand_in_a_batch_hurts_no_other(dealer: Dealer, server: RunningServer) -> None:
    requests = hands_of(dealer, 12)
    bad, unknown, twice = requests[3], requests[5], requests[7]
    bad.record.Clear()
    unknown.table_id = new_id("nowhere")
    twice.CopyFrom(requests[6])

    answers = server.settlement.BatchSettleHands(pb.BatchSettleHandsRequest(hands=requests)).answers

    assert {index: each.error.reason for index, each in enumerate(answers) if each.HasField("error")} == {
        3: Reason.INVALID_FIELD,
        5: Reason.UNKNOWN_TABLE,
    }
    assert answers[7] == answers[6]


def test_a_batch_sent_again_gets_its_first_answers(dealer: Dealer, server: RunningServer) -> None:
    batch = pb.BatchSettleHandsRequest(hands=hands_of(dealer, 20))
    first = server.settlement.BatchSettleHands(batch)
    position = dealer.position()

    again = server.settlement.BatchSettleHands(batch)

    assert again == first
    assert dealer.position() == position


@pytest.mark.parametrize("count", [pytest.param(0, id="no hand"), pytest.param(1001, id="one too many")])
def test_a_batch_has_one_to_a_thousand_hands(server: RunningServer, count: int) -> None:
    batch = pb.BatchSettleHandsRequest(hands=[pb.SettleHandRequest()] * count)

    refused = refusal(lambda: server.settlement.BatchSettleHands(batch))

    assert (refused.reason, refused.fields) == (Reason.INVALID_FIELD, ("hands",))
