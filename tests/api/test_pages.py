"""The pages for integrators: what they show piece by piece is what the house answers, piece by piece."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.json_format import ParseDict

from tests.dealer import Dealer, new_id
from tests.serving import RunningServer
from zhangfang.rules.games import GAMES
from zhangfang.wire.v1 import settlement_pb2 as pb

PAGES = Path(__file__).parents[2] / "docs" / "games"
CALLS = {
    "OpenHand": pb.OpenHandRequest,
    "RecordDeal": pb.RecordDealRequest,
    "MakeChoice": pb.MakeChoiceRequest,
    "FinishHand": pb.FinishHandRequest,
}


@pytest.fixture(scope="module")
def house() -> Iterator[Dealer]:
    """A house of its own, where the players of the pages have silver."""
    with RunningServer() as server:
        dealer = Dealer(server)
        dealer.register("ann", "bo", "cy", "zed", silver=100_000)
        yield dealer


def shown(game: str, fence: str) -> list[str]:
    """The blocks of a page that begin with a fence."""
    page = (PAGES / f"{game}.md").read_text(encoding="utf-8")
    return re.findall(rf"```{fence}\n(.*?)```", page, flags=re.DOTALL)


def say(hand: pb.Hand) -> str:
    """What an answer says, in the words of the pages."""
    if hand.state != pb.HAND_STATE_OPEN:
        return pb.HandState.Name(hand.state).removeprefix("HAND_STATE_")
    openings = ", ".join(f"{each.player_id or 'anybody'} {'/'.join(each.kinds)}" for each in hand.openings)
    held = ", ".join(f"{each.player_id} {each.silver}" for each in hand.holds)
    return f"{hand.phase}: {openings or '–'}" + (f"; held: {held}" if held else "")


@pytest.mark.parametrize("game", GAMES)
def test_a_hand_goes_as_its_page_tells_and_ends_as_in_one_call(game: str, house: Dealer) -> None:
    """Given the page of a game: the hand in one call, and the same hand as it happens."""
    settle = ParseDict(json.loads(shown(game, "json")[0]), pb.SettleHandRequest())
    reply = json.loads(shown(game, "json")[1])["hand"]["judgement"]
    [told] = shown(game, "text")
    lines = told.splitlines()
    table_id, hand_id = new_id("table"), new_id("hand")
    house.client.settlement.OpenTable(
        pb.OpenTableRequest(request_id=new_id("r"), table_id=table_id, stake=int(reply["stake"]), rules={game: {}})
    )
    preview = pb.PreviewSettlementRequest(table_id=table_id, record=settle.record)
    in_one_call = house.client.settlement.PreviewSettlement(preview).hand

    hand = pb.Hand()
    answers = []
    for name, _, body in (line.partition(" ") for line in lines[::2]):
        request: Any = ParseDict(json.loads(body), CALLS[name]())
        request.request_id, request.hand_id = new_id("r"), hand_id
        if name == "OpenHand":
            request.table_id = table_id
        hand = getattr(house.client.settlement, name)(request).hand
        answers.append(f"  → {say(hand)}")

    assert answers == lines[1::2]
    assert hand.judgement.steps == in_one_call.judgement.steps
    assert [(each.player_id, each.net) for each in hand.players] == [
        (each.player_id, each.net) for each in in_one_call.players
    ]
