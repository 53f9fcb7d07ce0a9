"""A server that answers a SettleHand with a stored answer of the usual size: what gRPC alone costs.

Same library, same event loop, same messages parsed and encoded; nothing is judged and nothing is written.
"""

from collections.abc import AsyncIterator
from typing import Any

import grpc

from zhangfang.bench.cast import GAME, STAKE, Cast, record_of
from zhangfang.contract.judging import write_judgement
from zhangfang.rules.games import GAMES
from zhangfang.wire.v1 import settlement_pb2 as pb
from zhangfang.wire.v1.settlement_pb2_grpc import SettlementServiceServicer, add_SettlementServiceServicer_to_server


class Echo(SettlementServiceServicer):
    """Answers every hand with the same hand."""

    def __init__(self, seed: int) -> None:
        hand = Cast.of_seed(seed).hands[0]
        rules = GAMES[GAME].house_rules()
        verdict: Any = GAMES[GAME].judge(hand, rules, STAKE, {})
        judgement = write_judgement(GAME, STAKE, rules, hand, verdict, record_of(GAME, hand))
        self._response = pb.SettleHandResponse(hand=pb.Hand(hand_id="h", game=GAME, judgement=judgement))
        self._streamed = pb.SettleHandsResponse(hand=self._response.hand)

    async def SettleHand(self, request: pb.SettleHandRequest, context: Any) -> pb.SettleHandResponse:  # noqa: ARG002, N802, D102
        return self._response

    async def SettleHands(  # noqa: N802, D102
        self,
        requests: AsyncIterator[pb.SettleHandsRequest],
        context: Any,  # noqa: ARG002
    ) -> AsyncIterator[pb.SettleHandsResponse]:
        async for _ in requests:
            yield self._streamed


def make_server(seed: int) -> tuple[grpc.aio.Server, int]:
    """The server, not started yet, and its port."""
    server = grpc.aio.server(options=[("grpc.so_reuseport", 0), ("grpc.max_concurrent_streams", 10_000)])
    add_SettlementServiceServicer_to_server(Echo(seed), server)  # type: ignore[abstract]
    return server, server.add_insecure_port("127.0.0.1:0")
