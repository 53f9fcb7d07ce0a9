"""One evening at the house that leaves every kind of event in the log, with ids as they are in the wild.

Everything goes through commands, so the log and its projections are what the service would have written.
"""

import unicodedata
from collections.abc import Sequence
from hashlib import blake2b
from itertools import count
from typing import Any

from tests.pieces import opening_players, take_apart
from tests.samples import SAMPLES, SIMPLE, Sample
from zhangfang.application import Answer, CountingHouse
from zhangfang.contract.games import CODECS
from zhangfang.domain import commands
from zhangfang.domain.commands import Command, Request
from zhangfang.errors import Refusal
from zhangfang.rules.games.jiu_dian_ban.record import BankerMode, JiuDianBanRules
from zhangfang.rules.levels import StakeMode
from zhangfang.rules.payment import MoneyRules
from zhangfang.store.database import Database
from zhangfang.wire.v1.settlement_pb2 import Deal, Ending

HUGE = 2**53 + 1
"""A number that a JSON reader with floats would get wrong."""

NFC, NFD = unicodedata.normalize("NFC", "é"), unicodedata.normalize("NFD", "é")
WILD_IDS = (
    "张三",
    NFC,
    NFD,
    "🀄👨‍👩‍👧",
    "שלום",
    "-17",
    "x'; DROP TABLE events; --",
    '50%_"x"\\',
    "a b:c[2020-01-01];d",
    "Z" * 64,
)


class Evening:
    """Plays commands into a log; ``request`` makes ids that are the same in every evening."""

    def __init__(self, database: Database, first_number: int = 1) -> None:
        self.house = CountingHouse(database)
        self._numbers = count(first_number)

    def request(self, actor: str = "掌柜") -> Request:
        """The next request."""
        name = f"req-{next(self._numbers):05d}"
        return Request(name, blake2b(name.encode(), digest_size=16).digest(), actor, 1_700_000_000_000_000)

    def do(self, *asked: Command) -> list[Answer]:
        """Commands in one batch; none may be refused."""
        answers = []
        for answer in self.house.execute(asked):
            assert not isinstance(answer, Refusal), str(answer)
            answers.append(answer)
        return answers

    def fund(self, silver: int, *player_ids: str) -> None:
        """Players registered, each with silver."""
        for player_id in player_ids:
            self.do(commands.RegisterPlayer(request=self.request(), player_id=player_id, display_name=f"{player_id}!"))
            self.do(commands.Deposit(request=self.request(), player_id=player_id, amount=silver, note="开张"))

    def open_table(self, table_id: str, sample: Sample, seats: Sequence[str] = (), **money: Any) -> None:
        """A table for a sample."""
        rules = CODECS[sample.game].read_rules(getattr(sample.rules, sample.game))
        self.do(
            commands.OpenTable(
                request=self.request(),
                table_id=table_id,
                game=sample.game,
                house_rules=rules,
                stake_mode=StakeMode.FIXED,
                stake=sample.stake,
                money_rules=MoneyRules(**money),
                seats=tuple(seats),
            )
        )

    def settlement(self, hand_id: str, table_id: str, sample: Sample, prefix: str, replaces: str = "") -> Command:
        """The command that settles a sample."""
        record = CODECS[sample.game].read_hand(getattr(sample.record(prefix), sample.game))
        return commands.SettleHand(
            request=self.request(),
            hand_id=hand_id,
            table_id=table_id,
            game=sample.game,
            players=CODECS[sample.game].game.participants(record),
            record=record,
            replaces_hand_id=replaces,
        )

    def settle(self, hand_id: str, table_id: str, sample: Sample, prefix: str, replaces: str = "") -> None:
        """A sample settled in one go."""
        self.do(self.settlement(hand_id, table_id, sample, prefix, replaces))

    def open_hand(self, hand_id: str, table_id: str, sample: Sample, prefix: str) -> None:
        """A sample's hand opened, nothing in it yet."""
        players = opening_players(sample, prefix)
        self.do(commands.OpenHand(request=self.request(), hand_id=hand_id, table_id=table_id, players=players))

    def pieces(self, hand_id: str, sample: Sample, prefix: str) -> list[Command]:
        """The commands that add a sample's pieces to an open hand."""
        codec, made = CODECS[sample.game], []
        for piece in take_apart(sample, prefix):
            of_hand: dict[str, Any] = {"request": self.request(), "hand_id": hand_id, "game": sample.game}
            match piece:
                case Deal():
                    deal = codec.read_deal(getattr(piece, sample.game))
                    made.append(commands.RecordDeal(**of_hand, deal=deal))
                case Ending():
                    ending = codec.read_ending(getattr(piece, sample.game))
                    made.append(commands.FinishHand(**of_hand, ending=ending))
                case (player_id, choice):
                    value = codec.read_choice(getattr(choice, sample.game))
                    made.append(commands.MakeChoice(**of_hand, player_id=player_id, choice=value))
        return made


def play(database: Database) -> Evening:
    """The whole evening: every kind of event, reversals and what replaces them, holds, a tombstone, wild ids."""
    evening = Evening(database)
    chain, pots, landlord, nine = (SIMPLE[game] for game in SAMPLES)
    evening.fund(HUGE, *WILD_IDS)
    for prefix, sample in (("半-", chain), ("比-", pots), ("地-", landlord), ("九-", nine)):
        evening.fund(1_000_000, *sample.players(prefix))
    evening.open_table("半边天炸/1", chain, table_fee=3, rake_per_mille=50)
    evening.open_table("比机 🀄", pots, rake_per_mille=25)
    evening.open_table("地主'\"%_", landlord, table_fee=1)
    evening.open_table("九点半", nine)
    _settled_and_reversed(evening, chain, landlord)
    _piece_by_piece(evening, chain, nine)
    _voided(evening, pots)
    _passed_bank(evening)
    evening.do(
        commands.Withdraw(request=evening.request(), player_id="张三", amount=HUGE - 7, note="回家"),
        commands.CloseTable(request=evening.request(), table_id="比机 🀄"),
    )
    return evening


def _settled_and_reversed(evening: Evening, chain: Sample, landlord: Sample) -> None:
    evening.do(*[evening.settlement(f"bb-{number}", "半边天炸/1", chain, "半-") for number in range(6)])
    evening.settle("dz 🀄", "地主'\"%_", landlord, "地-")
    reason = "读错了牌"
    evening.do(commands.ReverseHand(request=evening.request(), hand_id="bb-1", reason=reason))
    evening.settle("bb-1 again", "半边天炸/1", chain, "半-", replaces="bb-1")
    evening.do(commands.ReverseHand(request=evening.request(), hand_id="bb-1 again", reason=reason))


def _piece_by_piece(evening: Evening, chain: Sample, nine: Sample) -> None:
    evening.open_hand("bb-open", "半边天炸/1", chain, "半-")
    # Ended and reversed in one batch: whatever the batches are, the rows must be the same.
    pieces = evening.pieces("bb-open", chain, "半-")
    evening.do(*pieces[:-1])
    evening.do(pieces[-1], commands.ReverseHand(request=evening.request(), hand_id="bb-open", reason="试"))
    evening.open_hand("jd-open", "九点半", nine, "九-")
    evening.do(*evening.pieces("jd-open", nine, "九-"))
    evening.open_hand("jd-held", "九点半", nine, "九-")
    evening.do(*evening.pieces("jd-held", nine, "九-")[:2])


def _voided(evening: Evening, pots: Sample) -> None:
    evening.open_hand("bj-void", "比机 🀄", pots, "比-")
    evening.do(
        commands.VoidHand(request=evening.request(), hand_id="bj-void", reason="散了"),
        commands.VoidHand(request=evening.request(), hand_id="never seen", reason="取消在先"),
        evening.settlement("bj-1", "比机 🀄", pots, "比-"),
    )
    redeal = next(each for each in SAMPLES["er_ren_dou_di_zhu"] if each.id == "dz-g-006")
    evening.settle("dz redeal", "地主'\"%_", redeal, "地-")


def _passed_bank(evening: Evening) -> None:
    queue = JiuDianBanRules(banker_mode=BankerMode.QUEUE)
    evening.fund(5_000, "东", "南")
    evening.do(
        commands.OpenTable(
            request=evening.request(),
            table_id="轮庄",
            game="jiu_dian_ban",
            house_rules=queue,
            stake_mode=StakeMode.FIXED,
            stake=1,
            money_rules=MoneyRules(),
        )
    )
    for player_id in ("东", "南"):
        evening.do(
            commands.ChangeBanker(request=evening.request(), table_id="轮庄", player_id=player_id, action="apply")
        )
