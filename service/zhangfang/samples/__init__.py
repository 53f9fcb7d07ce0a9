"""The sample evening of the demo: for each game a table, its players with their silver, and hands with names.

One JSON file a game, in the words of the contract, so that each can be read beside ``protos/``.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import resources
from typing import Any

from google.protobuf import json_format

from zhangfang.rules.games import GAMES
from zhangfang.wire.v1 import accounts_pb2, settlement_pb2


@dataclass(frozen=True, slots=True)
class SampleHand:
    """A hand with what it shows."""

    name: str
    name_zh: str
    request: settlement_pb2.SettleHandRequest


@dataclass(frozen=True, slots=True)
class Sample:
    """One game's part of the evening; all request ids are fixed, so that it can be played again and again."""

    game: str
    table: settlement_pb2.OpenTableRequest
    registrations: tuple[accounts_pb2.RegisterPlayerRequest, ...]
    deposits: tuple[accounts_pb2.DepositRequest, ...]
    hands: tuple[SampleHand, ...]


def read_samples() -> Iterator[Sample]:
    """The samples of all games, in the order of the games."""
    for game in GAMES:
        yield _read(json.loads(resources.files(__name__).joinpath(f"{game}.json").read_text(encoding="utf-8")))


def _read(document: Any) -> Sample:
    game = str(document["game"])
    table = json_format.ParseDict(document["table"], settlement_pb2.OpenTableRequest(request_id=f"demo-open-{game}"))
    registrations, deposits, hands = [], [], []
    for player in document["players"]:
        player_id = player["playerId"]
        registrations.append(
            accounts_pb2.RegisterPlayerRequest(
                request_id=f"demo-register-{player_id}", player_id=player_id, display_name=player["displayName"]
            )
        )
        deposits.append(
            accounts_pb2.DepositRequest(
                request_id=f"demo-deposit-{game}-{player_id}", player_id=player_id, amount=int(player["silver"])
            )
        )
    for hand in document["hands"]:
        request = json_format.ParseDict(hand["request"], settlement_pb2.SettleHandRequest())
        request.request_id = f"settle-{request.hand_id}"
        hands.append(SampleHand(hand["name"], hand["nameZh"], request))
    return Sample(game, table, tuple(registrations), tuple(deposits), tuple(hands))
