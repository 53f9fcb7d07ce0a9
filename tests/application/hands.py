"""Hands for tables at which anybody may sit, whole and in pieces, and what else an evening at the house is made of."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from tests.pieces import take_apart
from tests.samples import SAMPLES, Sample
from zhangfang.contract.games import CODECS
from zhangfang.domain import commands
from zhangfang.domain.commands import Command, Request
from zhangfang.rules.games.jiu_dian_ban.record import (
    Bet,
    BetChoice,
    Door,
    Ending,
    JiuDianBanHand,
)
from zhangfang.rules.levels import PointsPerWin
from zhangfang.rules.payment import MoneyRules, ShortfallPolicy
from zhangfang.wire.v1.settlement_pb2 import Deal

NO_REQUEST = Request("", b"")
NINE = "jiu_dian_ban"
NINE_DEALS = tuple(CODECS[NINE].read_hand(sample.record().jiu_dian_ban).deal for sample in SAMPLES[NINE])

PLAYERS = ("张三", "a/b", "hand/1", "O'Neil %_", "east", "-17")
STRANGER = "陌生人"

AMOUNTS = (1, 5, 30, 200, 200, 1000, 1000, 5000, 20_000, 2**62)
STAKES = (0, 1, 7, 100, 100, 3000, 2**60)
"""Silver; 0 is a stake by wealth where the game has one."""


def pick_seats(random: Random) -> list[str]:
    """Players in some order; now and then one of them sits twice."""
    return random.choices(PLAYERS, k=len(PLAYERS)) if random.random() < 0.1 else random.sample(PLAYERS, len(PLAYERS))


def pick_bet(random: Random) -> Bet:
    """A bet that most can afford."""
    return Bet(random.choice(PLAYERS), random.choice(list(Door)), random.choice((1, 30, 100, 200, 300)))


def pick_money_rules(random: Random) -> MoneyRules:
    """What a table may do with silver."""
    return MoneyRules(
        shortfall=random.choice(list(ShortfallPolicy)),
        table_fee=random.choice((0, 0, 3, 500)),
        rake_per_mille=random.choice((0, 0, 25, 1000)),
        points_per_win=random.choice((PointsPerWin.LEVEL_BASE, PointsPerWin.LEVEL_BASE, PointsPerWin.NONE)),
    )


@dataclass(frozen=True)
class Seated:
    """One finished hand; ``pieces`` are commands without a request, in the order in which they would come."""

    game: str
    record: Any
    players: tuple[str, ...]
    pieces: tuple[Command, ...]


def seat(sample: Sample, seats: Sequence[str], hand_id: str) -> Seated:
    """A golden hand, played by others."""
    codec = CODECS[sample.game]
    names = dict(zip(sample.players(), seats, strict=False))
    record = codec.read_hand(getattr(sample.record(), sample.game))
    record = replace(record, players=tuple(names[player] for player in record.players))
    of_hand: dict[str, Any] = {"request": NO_REQUEST, "hand_id": hand_id, "game": sample.game}
    pieces: list[Command] = []
    for piece in take_apart(sample):
        if isinstance(piece, tuple):
            choice = codec.read_choice(getattr(piece[1], sample.game))
            pieces.append(commands.MakeChoice(**of_hand, player_id=names[piece[0]], choice=choice))
        elif isinstance(piece, Deal):
            pieces.append(commands.RecordDeal(**of_hand, deal=codec.read_deal(getattr(piece, sample.game))))
        else:
            pieces.append(commands.FinishHand(**of_hand, ending=codec.read_ending(getattr(piece, sample.game))))
    return Seated(sample.game, record, record.players, tuple(pieces))


def seat_nine(deal: Any, banker: str, bets: Sequence[Bet], hand_id: str) -> Seated:
    """A hand of 九點半; it opens with its banker alone."""
    of_hand: dict[str, Any] = {"request": NO_REQUEST, "hand_id": hand_id, "game": NINE}
    made = [
        commands.MakeChoice(**of_hand, player_id=bet.player, choice=BetChoice(bet.door, bet.silver)) for bet in bets
    ]
    pieces = (*made, commands.FinishHand(**of_hand, ending=Ending(deal)))
    return Seated(NINE, JiuDianBanHand(banker, tuple(bets), deal), (banker,), pieces)


def spoil(record: Any) -> Any:
    """A record with something left out, which is a fault more often than not."""
    if isinstance(record, JiuDianBanHand):
        return replace(record, bets=(*record.bets, Bet(record.banker, "shang", 1)))  # type: ignore[arg-type]
    part = "plays" if hasattr(record, "plays") else "layouts"
    return replace(record, **{part: getattr(record, part)[:-1]})
