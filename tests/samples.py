"""Legal hands of every game as the wire has them, taken from the golden files; players get the names a test wants.

>>> sample = SAMPLES["bi_ji"][0]
>>> sample.players("p-")
('p-A', 'p-B', 'p-C')
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from google.protobuf.message import Message

from tests.reference import ban_bian_tian_zha, bi_ji, er_ren_dou_di_zhu, jiu_dian_ban
from zhangfang.wire.games.v1 import bi_ji_pb2
from zhangfang.wire.v1.settlement_pb2 import GameRules, HandRecord

GOLDEN = Path(__file__).parent / "golden"
GAMES = ("ban_bian_tian_zha", "bi_ji", "er_ren_dou_di_zhu", "jiu_dian_ban")
PLENTY = 1_000_000


def build_layouts(hand: dict[str, Any]) -> bi_ji_pb2.BiJiHand:
    """A 比機 hand's message."""
    layouts = [bi_ji.build_layout(layout) for layout in hand["layouts"]]
    return bi_ji_pb2.BiJiHand(players=hand["players"], layouts=layouts)


BUILDERS: Mapping[str, tuple[Callable[[Any], tuple[Any, Any]], Callable[[dict[str, Any]], Message]]] = {
    "ban_bian_tian_zha": (ban_bian_tian_zha.build_rules, ban_bian_tian_zha.build_hand),
    "bi_ji": (bi_ji.build_rules, build_layouts),
    "er_ren_dou_di_zhu": (er_ren_dou_di_zhu.build_rules, er_ren_dou_di_zhu.build_hand),
    "jiu_dian_ban": (jiu_dian_ban.build_rules, jiu_dian_ban.build_record),
}


@dataclass(frozen=True)
class Sample:
    """One legal hand; ``net`` is what it does to each of its players, by the letter he has in the golden file."""

    id: str
    game: str
    hand: dict[str, Any]
    net: dict[str, int]

    @property
    def stake(self) -> int:
        """The stake of its table, silver."""
        return int(self.hand.get("stake", 1))

    @property
    def rules(self) -> GameRules:
        """The house rules of its table."""
        part, _ = BUILDERS[self.game][0](self.hand.get("rules") or {})
        return GameRules(**{self.game: part})

    def record(self, prefix: str = "") -> HandRecord:
        """The whole hand, its players named with a prefix."""
        part = BUILDERS[self.game][1](_renamed(self.hand, prefix))
        return HandRecord(**{self.game: part})

    def players(self, prefix: str = "") -> tuple[str, ...]:
        """Everybody who takes part."""
        return tuple(prefix + player for player in self.net)

    def silver(self, prefix: str = "") -> dict[str, int]:
        """What each player has before the hand: what the golden file says, else plenty."""
        said = dict(self.hand.get("bettor_silver") or {})
        if self.hand.get("banker_silver") is not None:
            said[self.hand["banker"]] = self.hand["banker_silver"]
        return {prefix + player: said.get(player, PLENTY) for player in self.net}


def _renamed(hand: dict[str, Any], prefix: str) -> dict[str, Any]:
    renamed = dict(hand)
    for field in ("players", "seats"):
        if hand.get(field):
            renamed[field] = [prefix + player for player in hand[field]]
    if "banker" in hand:
        renamed["banker"] = prefix + hand["banker"]
        renamed["bets"] = [[prefix + player, door, silver] for player, door, silver in hand["bets"]]
    return renamed


def _read(game: str) -> Iterator[Sample]:
    for line in (GOLDEN / f"{game}.jsonl").read_text(encoding="utf-8").splitlines():
        golden = json.loads(line)
        if "net" in golden["expect"] and golden["hand"].get("kind", "hand") == "hand":
            yield Sample(golden["id"], game, golden["hand"], golden["expect"]["net"])


SAMPLES: Mapping[str, tuple[Sample, ...]] = {game: tuple(_read(game)) for game in GAMES}
EVERY_SAMPLE: tuple[Sample, ...] = tuple(sample for game in GAMES for sample in SAMPLES[game])
SIMPLE: Mapping[str, Sample] = {game: next(each for each in SAMPLES[game] if each.stake <= 100) for game in GAMES}
"""One hand of every game for tests that need any: its stake is small."""
