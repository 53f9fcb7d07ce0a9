"""Bad input, one fault a row: each is refused with its field or place, and leaves the store as it was."""

import base64
import json
from collections.abc import Callable, Iterator
from typing import Any

import grpc
import pytest
from google.protobuf.timestamp_pb2 import Timestamp

from tests.dealer import ACTOR, new_id
from tests.refusals import refusal
from tests.serving import RunningServer
from tests.snapshots import snapshot
from zhangfang.errors import Reason
from zhangfang.wire.v1 import accounts_pb2 as accounts
from zhangfang.wire.v1 import audit_pb2 as audit
from zhangfang.wire.v1 import settlement_pb2 as pb

Code = grpc.StatusCode
INT64_MAX = 2**63 - 1

BAD_IDS = {
    "empty": "",
    "65 characters": "x" * 65,
    "NUL": "a\0b",
    "line feed": "a\nb",
    "escape": "a\x1bb",
    "C1 control": "a\x85b",
    "line separator": "a\u2028b",
}

BAD_TIMES = {
    "too early": Timestamp(seconds=-62_135_596_801),
    "too late": Timestamp(seconds=253_402_300_800),
    "the end of int64": Timestamp(seconds=INT64_MAX),
    "the begin of int64": Timestamp(seconds=-(2**63)),
    "negative nanos": Timestamp(seconds=1, nanos=-1),
    "too many nanos": Timestamp(seconds=1, nanos=1_000_000_000),
}

MUTATING: dict[str, tuple[str, Any, tuple[str, ...]]] = {
    "RegisterPlayer": ("accounts", accounts.RegisterPlayerRequest(), ("request_id", "player_id")),
    "Deposit": ("accounts", accounts.DepositRequest(amount=1), ("request_id", "player_id")),
    "Withdraw": ("accounts", accounts.WithdrawRequest(amount=1), ("request_id", "player_id")),
    "OpenTable": ("settlement", pb.OpenTableRequest(stake=1, rules={"bi_ji": {}}), ("request_id", "table_id")),
    "CloseTable": ("settlement", pb.CloseTableRequest(), ("request_id", "table_id")),
    "ChangeBanker": ("settlement", pb.ChangeBankerRequest(action=1), ("request_id", "table_id", "player_id")),  # type: ignore[arg-type]
    "OpenHand": ("settlement", pb.OpenHandRequest(), ("request_id", "hand_id", "table_id")),
    "RecordDeal": ("settlement", pb.RecordDealRequest(deal={"bi_ji": {}}), ("request_id", "hand_id")),
    "MakeChoice": (
        "settlement",
        pb.MakeChoiceRequest(choice={"bi_ji": {}}),
        ("request_id", "hand_id", "player_id"),
    ),
    "FinishHand": ("settlement", pb.FinishHandRequest(ending={"bi_ji": {}}), ("request_id", "hand_id")),
    "SettleHand": ("settlement", pb.SettleHandRequest(record={"bi_ji": {}}), ("request_id", "hand_id", "table_id")),
    "VoidHand": ("settlement", pb.VoidHandRequest(reason="x"), ("request_id", "hand_id")),
    "ReverseHand": ("settlement", pb.ReverseHandRequest(reason="x"), ("request_id", "hand_id")),
}


@pytest.fixture(scope="module", autouse=True)
def _nothing_is_written(server: RunningServer) -> Iterator[None]:
    """All these tests together leave the store as it was."""
    before = snapshot(server.database_url)
    yield
    assert snapshot(server.database_url) == before


def call(server: RunningServer, name: str, request: Any) -> Callable[[], Any]:
    """A call of a mutating method."""
    stub = getattr(server, MUTATING[name][0])
    return lambda: getattr(stub, name)(request, metadata=ACTOR)


@pytest.mark.parametrize("name", MUTATING)
def test_a_bad_id_is_named_by_its_field_in_every_mutating_call(server: RunningServer, name: str) -> None:
    _, template, fields = MUTATING[name]
    for field in fields:
        for bad in BAD_IDS.values():
            request = type(template)()
            request.CopyFrom(template)
            for other in fields:
                setattr(request, other, "good" if other != "request_id" else new_id("r"))
            setattr(request, field, bad)

            refused = refusal(call(server, name, request))

            assert (refused.code, refused.reason, refused.fields) == (
                Code.INVALID_ARGUMENT,
                Reason.INVALID_FIELD,
                (field,),
            ), (field, bad)


@pytest.mark.parametrize("name", MUTATING)
@pytest.mark.parametrize("when", BAD_TIMES)
def test_a_bad_time_is_named_in_every_mutating_call(server: RunningServer, name: str, when: str) -> None:
    _, template, fields = MUTATING[name]
    request = type(template)()
    request.CopyFrom(template)
    for field in fields:
        setattr(request, field, "good" if field != "request_id" else new_id("r"))
    request.occurred_at.CopyFrom(BAD_TIMES[when])
    if name == "SettleHand":
        request.table_id = "unknown"

    refused = refusal(call(server, name, request))

    assert (refused.reason, refused.fields) == (Reason.INVALID_FIELD, ("occurred_at",))


@pytest.mark.parametrize("amount", [0, -1, -(2**63)])
@pytest.mark.parametrize("name", ["Deposit", "Withdraw"])
def test_an_amount_below_one_is_refused(server: RunningServer, name: str, amount: int) -> None:
    request = type(MUTATING[name][1])(request_id=new_id("r"), player_id="x", amount=amount)

    refused = refusal(call(server, name, request))

    assert (refused.reason, refused.fields) == (Reason.INVALID_FIELD, ("amount",))


@pytest.mark.parametrize("bad", [*list(BAD_IDS)[1:], "blank"])
def test_a_bad_reason_is_refused(server: RunningServer, bad: str) -> None:
    text = "   " if bad == "blank" else BAD_IDS[bad] * 10
    settlement, request_id = server.settlement, new_id("r")

    refused = [
        refusal(lambda: settlement.VoidHand(pb.VoidHandRequest(request_id=request_id, hand_id="x", reason=text))),
        refusal(lambda: settlement.ReverseHand(pb.ReverseHandRequest(request_id=request_id, hand_id="x", reason=text))),
    ]

    assert [each.fields for each in refused] == [("reason",), ("reason",)]


@pytest.mark.parametrize("bad", list(BAD_IDS)[1:])
def test_a_bad_name_or_note_is_refused(server: RunningServer, bad: str) -> None:
    text, request_id = BAD_IDS[bad] * 10, new_id("r")
    named = accounts.RegisterPlayerRequest(request_id=request_id, player_id="x", display_name=text)
    noted = accounts.DepositRequest(request_id=request_id, player_id="x", amount=1, note=text)

    refused = [
        refusal(lambda: server.accounts.RegisterPlayer(named)),
        refusal(lambda: server.accounts.Deposit(noted)),
    ]

    assert [each.fields for each in refused] == [("display_name",), ("note",)]


CHOSEN_WRONG: dict[str, tuple[Callable[[RunningServer], Any], str]] = {
    "hands of an unknown game": (lambda s: s.settlement.ListHands(pb.ListHandsRequest(game="poker")), "game"),
    "hands in an unknown state": (lambda s: s.settlement.ListHands(pb.ListHandsRequest(state=9)), "state"),  # type: ignore[arg-type]
    "hands of a player with NUL": (
        lambda s: s.settlement.ListHands(pb.ListHandsRequest(player_id="a\0")),
        "player_id",
    ),
    "hands of too long a table": (
        lambda s: s.settlement.ListHands(pb.ListHandsRequest(table_id="x" * 65)),
        "table_id",
    ),
    "hands since a bad time": (
        lambda s: s.settlement.ListHands(pb.ListHandsRequest(recorded_from=Timestamp(nanos=-1))),
        "recorded_from",
    ),
    "hands until a bad time": (
        lambda s: s.settlement.ListHands(pb.ListHandsRequest(recorded_before=Timestamp(seconds=2**62))),
        "recorded_before",
    ),
    "a page of minus one": (lambda s: s.settlement.ListHands(pb.ListHandsRequest(page_size=-1)), "page_size"),
    "tables of an unknown game": (lambda s: s.settlement.ListTables(pb.ListTablesRequest(game="x")), "game"),
    "tables in an unknown state": (lambda s: s.settlement.ListTables(pb.ListTablesRequest(state=7)), "state"),  # type: ignore[arg-type]
    "players by a page of the smallest": (
        lambda s: s.accounts.ListPlayers(accounts.ListPlayersRequest(page_size=-(2**31))),
        "page_size",
    ),
    "entries of an unknown kind": (
        lambda s: s.accounts.ListEntries(accounts.ListEntriesRequest(account="system/fees", kind=99)),  # type: ignore[arg-type]
        "kind",
    ),
    "entries of no account": (
        lambda s: s.accounts.ListEntries(accounts.ListEntriesRequest(account="bank/fees")),
        "account",
    ),
    "entries of an account with NUL": (
        lambda s: s.accounts.ListEntries(accounts.ListEntriesRequest(account="player/\0")),
        "account",
    ),
    "entries since a bad time": (
        lambda s: s.accounts.ListEntries(
            accounts.ListEntriesRequest(account="system/fees", recorded_from=Timestamp(seconds=2**62))
        ),
        "recorded_from",
    ),
    "the balance of an account without a name": (
        lambda s: s.accounts.GetBalance(accounts.GetBalanceRequest(account="player/")),
        "account",
    ),
    "a balance at a negative position": (
        lambda s: s.accounts.GetBalance(accounts.GetBalanceRequest(account="system/cash", position=-1)),
        "position",
    ),
    "a balance at a bad time": (
        lambda s: s.accounts.GetBalance(
            accounts.GetBalanceRequest(account="system/cash", time=Timestamp(seconds=2**62))
        ),
        "time",
    ),
    "events after a negative position": (
        lambda s: s.audit.StreamEvents(audit.StreamEventsRequest(after_position=-1)),
        "after_position",
    ),
    "events of an unknown game": (lambda s: s.audit.StreamEvents(audit.StreamEventsRequest(game="go")), "game"),
    "events of an unknown topic": (
        lambda s: s.audit.StreamEvents(audit.StreamEventsRequest(topics=["HandSettled", "handsettled"])),
        "topics[1]",
    ),
    "events of a hand with NUL": (
        lambda s: s.audit.StreamEvents(audit.StreamEventsRequest(hand_id="\0")),
        "hand_id",
    ),
    "the head at a negative position": (
        lambda s: s.audit.GetLogHead(audit.GetLogHeadRequest(position=-1)),
        "position",
    ),
    "a bank action that is not said": (
        lambda s: s.settlement.ChangeBanker(
            pb.ChangeBankerRequest(request_id=new_id("r"), table_id="t", player_id="p")
        ),
        "action",
    ),
    "a bank action nobody knows": (
        lambda s: s.settlement.ChangeBanker(
            pb.ChangeBankerRequest(request_id=new_id("r"), table_id="t", player_id="p", action=9)  # type: ignore[arg-type]
        ),
        "action",
    ),
    "a player at the table whose name has a line feed": (
        lambda s: s.settlement.OpenHand(
            pb.OpenHandRequest(request_id=new_id("r"), table_id="t", hand_id="h", players=["A", "B\n"])
        ),
        "players[1]",
    ),
    "a hand that replaces too long a name": (
        lambda s: s.settlement.OpenHand(
            pb.OpenHandRequest(request_id=new_id("r"), table_id="t", hand_id="h", replaces_hand_id="x" * 65)
        ),
        "replaces_hand_id",
    ),
    "a table without a game": (
        lambda s: s.settlement.OpenTable(pb.OpenTableRequest(request_id=new_id("r"), table_id="t", stake=1)),
        "rules",
    ),
    "a deal of no game": (
        lambda s: s.settlement.RecordDeal(pb.RecordDealRequest(request_id=new_id("r"), hand_id="h")),
        "deal",
    ),
    "a choice of no game": (
        lambda s: s.settlement.MakeChoice(
            pb.MakeChoiceRequest(request_id=new_id("r"), hand_id="h", player_id="p", choice={})
        ),
        "choice",
    ),
    "an ending of no game": (
        lambda s: s.settlement.FinishHand(pb.FinishHandRequest(request_id=new_id("r"), hand_id="h")),
        "ending",
    ),
    "a caller with a tab in his name": (
        lambda s: s.accounts.RegisterPlayer(
            accounts.RegisterPlayerRequest(request_id=new_id("r"), player_id="p"),
            metadata=(("x-zhangfang-actor-bin", b"a\tb"),),
        ),
        "x-zhangfang-actor-bin",
    ),
    "a caller whose name is not UTF-8": (
        lambda s: s.accounts.RegisterPlayer(
            accounts.RegisterPlayerRequest(request_id=new_id("r"), player_id="p"),
            metadata=(("x-zhangfang-actor-bin", b"\xff"),),
        ),
        "x-zhangfang-actor-bin",
    ),
}


@pytest.mark.parametrize("row", CHOSEN_WRONG)
def test_a_bad_field_is_named(server: RunningServer, row: str) -> None:
    wrong, field = CHOSEN_WRONG[row]

    refused = refusal(lambda: wrong(server))

    assert (refused.code, refused.reason) == (Code.INVALID_ARGUMENT, Reason.INVALID_FIELD)
    assert refused.fields == (field,)
    assert field in refused.text


def tokens() -> dict[str, str]:
    """Page tokens that this service never gave."""

    def encoded(value: object) -> str:
        return base64.urlsafe_b64encode(json.dumps(value).encode()).decode()

    return {
        "no base64": "%%%",
        "not ASCII": "é",
        "one letter": "A",
        "no JSON": base64.urlsafe_b64encode(b"\xff\x00").decode(),
        "deep": base64.urlsafe_b64encode(b"[" * 100_000).decode(),
        "a number": encoded(7),
        "a list of nothing": encoded([]),
        "another digest": encoded(["0" * 32, 5]),
        "an object": encoded({"a": 1}),
    }


@pytest.mark.parametrize("token", tokens().values(), ids=tokens().keys())
def test_a_foreign_page_token_is_refused_by_every_list(server: RunningServer, token: str) -> None:
    for listing in (
        lambda: server.accounts.ListPlayers(accounts.ListPlayersRequest(page_token=token)),
        lambda: server.accounts.ListEntries(accounts.ListEntriesRequest(account="system/cash", page_token=token)),
        lambda: server.settlement.ListHands(pb.ListHandsRequest(page_token=token)),
        lambda: server.settlement.ListTables(pb.ListTablesRequest(page_token=token)),
    ):
        refused = refusal(listing)

        assert (refused.code, refused.reason) == (Code.INVALID_ARGUMENT, Reason.INVALID_PAGE_TOKEN)
        assert refused.fields == ("page_token",)


@pytest.mark.parametrize("name", MUTATING)
@pytest.mark.parametrize(
    "encoded", [b"\x0a\x02\xff\xfe", b"\xff\xff\xff\xff", b"\x0a\x7f"], ids=["text", "noise", "cut"]
)
def test_bytes_that_are_no_request_are_refused_as_such(server: RunningServer, name: str, encoded: bytes) -> None:
    service = {"accounts": "AccountService", "settlement": "SettlementService"}[MUTATING[name][0]]

    refused = refusal(lambda: server.channel.unary_unary(f"/zhangfang.v1.{service}/{name}")(encoded))

    assert (refused.code, refused.reason, refused.fields) == (Code.INVALID_ARGUMENT, Reason.INVALID_FIELD, ("request",))


def test_bytes_that_are_no_question_are_refused_as_such(server: RunningServer) -> None:
    refused = refusal(lambda: server.channel.unary_stream("/zhangfang.v1.AuditService/StreamEvents")(b"\x1a\x01\xff"))

    assert (refused.code, refused.reason, refused.fields) == (Code.INVALID_ARGUMENT, Reason.INVALID_FIELD, ("request",))


def test_a_message_of_five_megabytes_is_too_large(server: RunningServer) -> None:
    request = accounts.RegisterPlayerRequest(request_id=new_id("r"), player_id="x" * 5_000_000)

    with pytest.raises(grpc.RpcError) as caught:
        server.accounts.RegisterPlayer(request)

    assert caught.value.code() is Code.RESOURCE_EXHAUSTED
    assert "larger than max" in caught.value.details()
