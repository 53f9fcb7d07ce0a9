"""A client that knows nothing beforehand: it learns every service by reflection and calls what it finds."""

from typing import Any

import grpc
from google.protobuf import json_format
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message_factory import GetMessageClass
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase

from tests.dealer import Dealer
from tests.refusals import read_refusal
from tests.samples import SIMPLE
from tests.serving import RunningServer

SERVICES = {
    "zhangfang.v1.SettlementService",
    "zhangfang.v1.AccountService",
    "zhangfang.v1.AuditService",
    "grpc.health.v1.Health",
    "grpc.reflection.v1alpha.ServerReflection",
}


class Stranger:
    """Calls by name, with JSON, from what the server says of itself."""

    def __init__(self, channel: grpc.Channel) -> None:
        self._channel = channel
        self._database = ProtoReflectionDescriptorDatabase(channel)
        self._pool = DescriptorPool(self._database)

    def services(self) -> set[str]:
        """What is served."""
        return set(self._database.get_services())

    def methods(self, service: str) -> list[Any]:
        """The methods of a service."""
        return list(self._pool.FindServiceByName(service).methods)

    def call(self, method: Any, *bodies: dict[str, Any]) -> list[dict[str, Any]]:
        """Calls a method with one request or a stream of them; returns the answers."""
        path = f"/{method.containing_service.full_name}/{method.name}"
        kind = {
            (False, False): self._channel.unary_unary,
            (False, True): self._channel.unary_stream,
            (True, True): self._channel.stream_stream,
        }[method.client_streaming, method.server_streaming]
        stub: Any = kind(
            path,
            request_serializer=lambda message: message.SerializeToString(),
            response_deserializer=GetMessageClass(method.output_type).FromString,
        )
        requests = [json_format.ParseDict(body, GetMessageClass(method.input_type)()) for body in bodies]
        answer = stub(iter(requests) if method.client_streaming else requests[0])
        answers = list(answer) if method.server_streaming else [answer]
        return [json_format.MessageToDict(each, descriptor_pool=self._pool) for each in answers]


def test_a_client_from_reflection_alone_finds_and_calls_everything() -> None:
    with RunningServer() as server, server.new_client() as client:
        stranger = Stranger(client.channel)
        assert stranger.services() == SERVICES
        found = {
            method.name: method
            for service in SERVICES
            for method in stranger.methods(service)
            if "zhangfang" in service
        }
        called = set()

        def call(name: str, *bodies: dict[str, Any]) -> list[dict[str, Any]]:
            called.add(name)
            return stranger.call(found[name], *bodies)

        sample = SIMPLE["bi_ji"]
        for player in sample.net:
            call("RegisterPlayer", {"requestId": f"register-{player}", "playerId": player})
            call("Deposit", {"requestId": f"deposit-{player}", "playerId": player, "amount": "9007199254740993"})
        call(
            "OpenTable",
            {"requestId": "open", "tableId": "t-1", "stake": str(sample.stake), "rules": {"biJi": {}}},
        )
        record = json_format.MessageToDict(sample.record())
        (previewed,) = call("PreviewSettlement", {"tableId": "t-1", "record": record})
        settle = {"requestId": "settle", "handId": "h-1", "tableId": "t-1", "record": record}
        (settled,) = call("SettleHand", settle)
        assert settled["hand"]["judgement"] == previewed["hand"]["judgement"]
        assert call("SettleHands", {"settleHand": settle})[0]["hand"] == settled["hand"]
        assert {each["playerId"]: int(each.get("net", 0)) for each in settled["hand"]["players"]} == sample.net
        (player, *_) = sample.net
        assert call("GetPlayer", {"playerId": player})[0]["player"]["levels"]
        assert call("GetHand", {"handId": "h-1"})[0]["hand"] == settled["hand"]
        assert [each["event"]["topic"] for each in call("StreamEvents", {"handId": "h-1"})] == ["HandSettled"]
        assert call("VerifyLog", {})[-1]["finding"]["isSound"]
        assert "accounts" in call("GetTrialBalance", {})[0]

        for name in sorted(set(found) - called):  # what is left is called with nothing: answered, or refused in words
            try:
                call(name, {})
            except grpc.RpcError as error:
                assert read_refusal(error).reason in {"INVALID_FIELD", "UNKNOWN_ACCOUNT"}  # noqa: PT017
        assert called == set(found)
        assert Dealer(server).position() == 2 * len(sample.net) + 2
