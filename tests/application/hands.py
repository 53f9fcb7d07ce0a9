"""Hands for tables at which anybody may sit, whole and in pieces, and what else an evening at the house is made of."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from hypothesis import strategies as st

from tests.pieces import take_apart
from tests.samples import GAMES, SAMPLES, Sample
from zhangfang.contract.games import CODECS
from zhangfang.domain import commands
from zhangfang.domain.commands import Command, Request
from zhangfang.rules.games.jiu_dian_ban.record import (
    BankerMode,
    Bet,
    BetCap,
    BetChoice,
    Door,
    Ending,
    JiuDianBanHand,
    JiuDianBanRules,
)
from zhangfang.rules.levels import PointsPerWin
from zhangfang.rules.payment import MoneyRules, ShortfallPolicy
from zhangfang.wire.v1.settlement_pb2 import Deal

NO_REQUEST = Request("", b"")
NINE = "jiu_dian_ban"
NINE_DEALS = tuple(CODECS[NINE].read_hand(sample.record().jiu_dian_ban).deal for sample in SAMPLES[NINE])

PLAYERS = ("张三", "a/b", "hand/1", "O'Neil %_", "east", "-17")
STRANGER = "陌生人"

numbers = st.integers(0, 63)
amounts = st.sampled_from([1, 5, 30, 200, 200, 1000, 1000, 5000, 20_000, 2**62])
bets = st.builds(Bet, st.sampled_from(PLAYERS), st.sampled_from(Door), st.sampled_from([1, 5, 30, 200, 1000]))
seatings = st.one_of(st.permutations(PLAYERS), st.permutations(PLAYERS), st.lists(st.sampled_from(PLAYERS), min_size=6))
money = st.builds(
    MoneyRules,
    shortfall=st.sampled_from(ShortfallPolicy),
    table_fee=st.sampled_from([0, 0, 3, 500]),
    rake_per_mille=st.sampled_from([0, 0, 25, 1000]),
    points_per_win=st.sampled_from(PointsPerWin),
)
nine_rules = st.builds(
    JiuDianBanRules, bet_cap=st.sampled_from(BetCap), banker_mode=st.sampled_from([BankerMode.SEATS, BankerMode.QUEUE])
)
golden = {game: st.sampled_from(SAMPLES[game]) for game in GAMES}
stakes = st.sampled_from([0, 1, 7, 100, 100, 3000, 2**60])
"""Silver; 0 is a stake by wealth where the game has one."""


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
