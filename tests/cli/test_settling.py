"""Finished hands: settled from files, stdin and the command line, previewed, voided, reversed."""

import json
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf import json_format

from tests.cli.conftest import Zhangfang
from tests.dealer import Dealer, new_id
from tests.samples import SAMPLES
from tests.serving import RunningServer
from zhangfang.wire.v1.settlement_pb2 import SettleHandRequest, VoidHandRequest

GAMES = tuple(SAMPLES)


def as_json(request: SettleHandRequest, *, with_request_id: bool = False) -> dict[str, Any]:
    """A request as somebody would write it down: without a request id."""
    if not with_request_id:
        request.ClearField("request_id")
    return json_format.MessageToDict(request)


@pytest.mark.parametrize("game", GAMES)
def test_a_hand_in_a_file_is_settled_and_explained_in_two_languages(
    game: str, zhangfang: Zhangfang, dealer: Dealer, tmp_path: Path
) -> None:
    request = dealer.request_to_settle(SAMPLES[game][1])
    (tmp_path / "hand.json").write_text(json.dumps(as_json(request), indent=2))

    result = zhangfang("settle", str(tmp_path / "hand.json"))

    assert result.exit_code == 0
    assert request.hand_id in result.stdout
    for word in ("Steps 結算", "Silver 銀子", "Postings 分錄", "=", "×"):
        assert word in result.stdout


def test_the_same_file_again_gets_the_first_answer(zhangfang: Zhangfang, dealer: Dealer) -> None:
    text = json.dumps(as_json(dealer.request_to_settle(SAMPLES["bi_ji"][0])))

    first = zhangfang("settle", "-", "--json", stdin=text)
    second = zhangfang("settle", "-", "--json", stdin=text)

    assert first.exit_code == second.exit_code == 0
    assert first.stdout == second.stdout


def test_json_is_the_canonical_form_of_the_answer_on_one_line(zhangfang: Zhangfang, dealer: Dealer) -> None:
    request = dealer.request_to_settle(SAMPLES["bi_ji"][0])

    result = zhangfang("settle", json.dumps(as_json(request)), "--json")

    [line] = result.stdout.splitlines()
    assert json.loads(line)["hand"]["handId"] == request.hand_id
    assert isinstance(json.loads(line)["hand"]["position"], str)


@pytest.mark.parametrize("form", ["list", "lines"])
def test_many_hands_are_settled_in_one_stream_and_a_bad_one_hurts_no_other(
    form: str, zhangfang: Zhangfang, dealer: Dealer
) -> None:
    requests = [as_json(dealer.request_to_settle(SAMPLES["bi_ji"][0])) for _ in range(3)]
    requests[1]["record"]["biJi"]["layouts"][0]["groups"][0] = "As As"
    text = json.dumps(requests) if form == "list" else "\n".join(json.dumps(each) for each in requests)

    result = zhangfang("settle", "-", stdin=text)

    assert result.exit_code == 1
    assert "2 settled, 1 refused" in result.stdout
    assert f"{requests[1]['handId']}: HAND_FAULTY" in result.stderr
    assert "BJ-1 [" in result.stderr


def test_a_stream_as_json_has_one_line_an_answer_in_the_order_of_the_requests(
    zhangfang: Zhangfang, dealer: Dealer
) -> None:
    requests = [as_json(dealer.request_to_settle(SAMPLES["bi_ji"][0])) for _ in range(3)]

    result = zhangfang("settle", "-", "--json", stdin="\n".join(json.dumps(each) for each in requests))

    answers = [json.loads(line) for line in result.stdout.splitlines()]
    assert [each["handId"] for each in answers] == [each["handId"] for each in requests]


def test_a_refusal_names_reason_rule_and_place(zhangfang: Zhangfang, dealer: Dealer) -> None:
    request = as_json(dealer.request_to_settle(SAMPLES["ban_bian_tian_zha"][0]))
    request["record"]["banBianTianZha"]["plays"].append({"seat": 1})

    result = zhangfang("settle", json.dumps(request))

    assert result.exit_code == 1
    assert result.stdout == ""
    assert result.stderr.startswith("HAND_FAULTY: BB-9: ")
    assert "plays, action 3]" in result.stderr


@pytest.mark.parametrize(
    ("text", "told"),
    [
        pytest.param("", "stdin is empty", id="nothing"),
        pytest.param("{bad", "stdin, line 1: no JSON", id="no JSON"),
        pytest.param('{"handId": "x"}\n{bad', "stdin, line 2: no JSON", id="no JSON on a later line"),
        pytest.param('{"hand": "x"}', "no SettleHandRequest", id="unknown field"),
        pytest.param("[1]", "a JSON object is wanted", id="a number"),
    ],
)
def test_a_file_that_is_no_request_is_a_usage_error(text: str, told: str, zhangfang: Zhangfang) -> None:
    result = zhangfang("settle", "-", stdin=text)

    assert result.exit_code == 2
    assert result.stderr.startswith("usage: ")
    assert told in result.stderr


def test_a_missing_file_is_a_usage_error(zhangfang: Zhangfang) -> None:
    result = zhangfang("settle", "nowhere.json")

    assert (result.exit_code, result.stderr) == (2, "usage: nowhere.json cannot be read: No such file or directory\n")


def test_a_file_that_is_not_utf_8_is_a_usage_error(zhangfang: Zhangfang, tmp_path: Path) -> None:
    (tmp_path / "hand.json").write_bytes(b'{"handId": "\xff"}')

    result = zhangfang("settle", str(tmp_path / "hand.json"))

    assert result.exit_code == 2
    assert "is not UTF-8" in result.stderr


def test_a_preview_shows_the_settlement_and_writes_nothing(zhangfang: Zhangfang, dealer: Dealer) -> None:
    request = as_json(dealer.request_to_settle(SAMPLES["jiu_dian_ban"][0]))
    before = dealer.position()

    result = zhangfang("preview", json.dumps(request))

    assert result.exit_code == 0
    assert "(preview)" in result.stdout
    assert "Postings 分錄" in result.stdout
    assert dealer.position() == before


def test_a_preview_takes_one_hand(zhangfang: Zhangfang) -> None:
    result = zhangfang("preview", "[{}, {}]")

    assert result.exit_code == 2
    assert "holds 2 objects" in result.stderr


def test_a_reversal_shows_the_opposite_postings_and_who_answers_for_it(zhangfang: Zhangfang, dealer: Dealer) -> None:
    hand = dealer.settle(SAMPLES["bi_ji"][1])

    result = zhangfang("reverse", hand.hand_id, "--reason", "wrong winner", "--actor", "張三 🀄")

    assert result.exit_code == 0
    assert "Reversal postings" in result.stdout
    [event] = dealer.events(hand_id=hand.hand_id, topics=["HandReversed"])
    assert event.hand_reversed.metadata.actor == "張三 🀄"


def test_a_reversal_that_nobody_answers_for_is_refused(zhangfang: Zhangfang, dealer: Dealer) -> None:
    hand = dealer.settle(SAMPLES["bi_ji"][1])

    result = zhangfang("reverse", hand.hand_id, "--reason", "wrong winner")

    assert result.exit_code == 1
    assert "x-zhangfang-actor" in result.stderr


def test_an_actor_that_is_not_utf_8_is_refused(server: RunningServer) -> None:
    request = VoidHandRequest(request_id=new_id("void"), hand_id=new_id("never"), reason="power cut")

    with pytest.raises(grpc.RpcError) as refused:
        server.settlement.VoidHand(request, metadata=(("x-zhangfang-actor-bin", b"\xff"),))

    assert refused.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert "x-zhangfang-actor-bin" in refused.value.details()


def test_a_hand_that_never_came_is_voided_beforehand(zhangfang: Zhangfang) -> None:
    hand_id = new_id("never")

    result = zhangfang("void", hand_id, "--reason", "power cut", "--json")

    assert result.exit_code == 0
    assert json.loads(result.stdout)["hand"]["state"] == "HAND_STATE_VOIDED"
