"""Mutated requests: whatever a caller sends is answered or refused with a reason, and never a mistake of the house."""

import random
from typing import Any

import grpc
import pytest
from google.protobuf.message import Message
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.dealer import ACTOR, Dealer, new_id, request_to_add
from tests.pieces import opening_players, take_apart
from tests.refusals import read_refusal
from tests.samples import SIMPLE
from tests.serving import RunningServer
from zhangfang.wire.v1 import accounts_pb2 as accounts
from zhangfang.wire.v1 import audit_pb2 as audit
from zhangfang.wire.v1 import settlement_pb2 as pb

EXAMPLES = 300
ALLOWED = {
    grpc.StatusCode.INVALID_ARGUMENT,
    grpc.StatusCode.NOT_FOUND,
    grpc.StatusCode.ALREADY_EXISTS,
    grpc.StatusCode.FAILED_PRECONDITION,
    grpc.StatusCode.OUT_OF_RANGE,
}

NUMBERS = st.sampled_from(
    [0, 1, -1, 2, 3, 7, 99, 1000, 1001, 2**31 - 1, -(2**31), 2**53 + 1, 2**62, 2**63 - 1, -(2**63)]
)
TEXTS = st.sampled_from(
    ["", " ", "A", "\0", "a\nb", "x" * 64, "x" * 65, "🀄" * 64, "\u202e", "'; --", "%", "Ah", "Ah Ah Ah", "Ts w W"]
) | st.text(max_size=70)


def requests(dealer: Dealer) -> list[tuple[str, str, Any]]:
    """One valid request of every method, so far as one can be made beforehand."""
    (player_id,) = dealer.players(1, silver=1000)
    found: list[tuple[str, str, Any]] = [
        ("accounts", "RegisterPlayer", accounts.RegisterPlayerRequest(request_id="r", player_id=new_id("p"))),
        ("accounts", "Deposit", accounts.DepositRequest(request_id="r", player_id=player_id, amount=5, note="n")),
        ("accounts", "Withdraw", accounts.WithdrawRequest(request_id="r", player_id=player_id, amount=5)),
        ("accounts", "GetPlayer", accounts.GetPlayerRequest(player_id=player_id)),
        ("accounts", "ListPlayers", accounts.ListPlayersRequest(page_size=2)),
        ("accounts", "GetBalance", accounts.GetBalanceRequest(account=f"player/{player_id}", position=3)),
        ("accounts", "ListEntries", accounts.ListEntriesRequest(account=f"player/{player_id}", page_size=2)),
        ("audit", "GetTrialBalance", audit.GetTrialBalanceRequest(include_players=True)),
        ("audit", "GetLogHead", audit.GetLogHeadRequest(position=1)),
        ("settlement", "ListTables", pb.ListTablesRequest(page_size=2, game="bi_ji", state=pb.Table.STATE_OPEN)),
        ("settlement", "ListHands", pb.ListHandsRequest(page_size=2, player_id=player_id, game="bi_ji")),
    ]
    for sample in SIMPLE.values():
        table_id, prefix = dealer.seat(sample)
        hand_id = dealer.open_hand(sample, table_id, prefix)
        record = sample.record(prefix)
        opened = pb.OpenHandRequest(
            request_id="r", hand_id=new_id("h"), table_id=table_id, players=opening_players(sample, prefix)
        )
        found += [
            ("settlement", "OpenTable", pb.OpenTableRequest(table_id=new_id("t"), rules=sample.rules, stake=3)),
            ("settlement", "OpenHand", opened),
            *[("settlement", *request_to_add(hand_id, piece)) for piece in take_apart(sample, prefix)],
            ("settlement", "SettleHand", dealer.another(sample, table_id, prefix)),
            ("settlement", "PreviewSettlement", pb.PreviewSettlementRequest(table_id=table_id, record=record)),
            ("settlement", "VoidHand", pb.VoidHandRequest(hand_id=hand_id, reason="because")),
            ("settlement", "ReverseHand", pb.ReverseHandRequest(hand_id=hand_id, reason="because")),
            ("settlement", "GetHand", pb.GetHandRequest(hand_id=hand_id)),
            ("settlement", "CloseTable", pb.CloseTableRequest(table_id=table_id)),
            (
                "settlement",
                "ChangeBanker",
                pb.ChangeBankerRequest(table_id=table_id, player_id=player_id, action=pb.BANKER_ACTION_APPLY),
            ),
        ]
    return found


@pytest.fixture(scope="module")
def fuzzed(server: RunningServer) -> list[tuple[str, str, Any]]:
    """Valid requests to begin with."""
    return requests(Dealer(server))


def mutate(message: Message, data: st.DataObject, depth: int = 0) -> None:
    """Changes one field of a message, or of a message in it."""
    fields = list(message.DESCRIPTOR.fields)
    if not fields:
        return
    field = data.draw(st.sampled_from(fields), label="field")
    if field.is_repeated:
        mutate_list(message, field, data, depth)
    elif field.message_type is not None:
        if data.draw(st.integers(0, 9)) == 0:
            message.ClearField(field.name)
        else:
            inner = getattr(message, field.name)
            inner.SetInParent()
            mutate(inner, data, depth + 1)
    elif data.draw(st.integers(0, 9)) == 0:
        message.ClearField(field.name)
    else:
        setattr(message, field.name, data.draw(value_of(field), label=field.name))


def mutate_list(message: Message, field: Any, data: st.DataObject, depth: int) -> None:
    """Drops, doubles, swaps or changes an item of a list."""
    items = getattr(message, field.name)
    action = data.draw(st.sampled_from(["drop", "double", "shuffle", "change", "many"]))
    if field.message_type is not None:
        if action == "many":
            for _ in range(data.draw(st.sampled_from([1, 30, 300]))):
                items.add().SetInParent()
        elif items and action == "drop":
            del items[data.draw(st.integers(0, len(items) - 1))]
        elif items and action == "double":
            items.add().CopyFrom(items[0])
        elif items:
            mutate(items[data.draw(st.integers(0, len(items) - 1))], data, depth + 1)
        return
    value = data.draw(value_of(field))
    if items and action == "drop":
        del items[-1]
    elif items and action == "shuffle":
        shuffled = list(items)
        random.Random(7).shuffle(shuffled)  # noqa: S311 - any other order
        items[:] = shuffled
    elif items and action == "change":
        items[data.draw(st.integers(0, len(items) - 1))] = value
    else:
        items.extend([value] * (300 if action == "many" else 1))


def value_of(field: Any) -> st.SearchStrategy[Any]:
    """Values of a field's type, the edges first."""
    if field.cpp_type == field.CPPTYPE_STRING:
        return st.binary(max_size=20) if field.type == field.TYPE_BYTES else TEXTS
    if field.cpp_type == field.CPPTYPE_BOOL:
        return st.booleans()
    if field.cpp_type in (field.CPPTYPE_INT32, field.CPPTYPE_ENUM):
        return NUMBERS.filter(lambda number: -(2**31) <= number < 2**31)
    return NUMBERS


@settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(data=st.data())
def test_no_mutated_request_is_a_mistake_of_the_service(
    server: RunningServer, fuzzed: Any, data: st.DataObject
) -> None:
    service, method, original = data.draw(st.sampled_from(fuzzed), label="request")
    request = type(original)()
    request.CopyFrom(original)
    if "request_id" in request.DESCRIPTOR.fields_by_name:
        request.request_id = new_id("fuzz")
    for _ in range(data.draw(st.integers(1, 3))):
        mutate(request, data)

    try:
        getattr(getattr(server, service), method)(request, metadata=ACTOR)
    except grpc.RpcError as error:
        assert error.code() in ALLOWED, (method, request)  # noqa: PT017
        read_refusal(error)


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_no_mutated_bytes_are_a_mistake_of_the_service(server: RunningServer, fuzzed: Any, data: st.DataObject) -> None:
    service, method, original = data.draw(st.sampled_from(fuzzed), label="request")
    encoded = bytearray(original.SerializeToString())
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(encoded)))
        encoded[place : place + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=4))
    path = {"accounts": "AccountService", "audit": "AuditService", "settlement": "SettlementService"}[service]

    try:
        server.channel.unary_unary(f"/zhangfang.v1.{path}/{method}")(bytes(encoded), metadata=ACTOR)
    except grpc.RpcError as error:
        assert error.code() in ALLOWED, (method, bytes(encoded))  # noqa: PT017
        read_refusal(error)


def test_after_all_that_the_log_is_sound_and_the_books_balance(server: RunningServer, fuzzed: Any) -> None:
    finding = list(server.audit.VerifyLog(audit.VerifyLogRequest()))[-1].finding
    balance = server.audit.GetTrialBalance(audit.GetTrialBalanceRequest())

    assert finding.is_sound, finding
    assert balance.balance_sum == 0
    assert 'zhangfang_refusals_total{reason="INTERNAL"} 0.0' in server.scrape()
