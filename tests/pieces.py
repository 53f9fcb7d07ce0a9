"""A finished hand taken apart into the pieces in which it would have arrived: deal, choices, ending."""

from collections.abc import Iterator
from typing import Any

from tests.samples import Sample
from zhangfang.wire.games.v1 import ban_bian_tian_zha_pb2 as bb
from zhangfang.wire.games.v1 import bi_ji_pb2 as bj
from zhangfang.wire.games.v1 import er_ren_dou_di_zhu_pb2 as dz
from zhangfang.wire.games.v1 import jiu_dian_ban_pb2 as jd
from zhangfang.wire.v1.settlement_pb2 import Choice, Deal, Ending

Piece = Deal | tuple[str, Choice] | Ending
"""A choice comes with the id of who makes it."""


def opening_players(sample: Sample, prefix: str = "") -> tuple[str, ...]:
    """Who is named when the hand opens: the seats, of 九點半 the banker alone."""
    record = getattr(sample.record(prefix), sample.game)
    return (record.banker,) if sample.game == "jiu_dian_ban" else tuple(record.players)


def take_apart(sample: Sample, prefix: str = "") -> list[Piece]:
    """The pieces in their order; the ending last, unless a choice ended the hand."""
    record = getattr(sample.record(prefix), sample.game)
    return list(_TAKERS[sample.game](record))


def _of_ban_bian_tian_zha(hand: Any) -> Iterator[Piece]:
    for player, chui in zip(hand.players, hand.chui, strict=True):
        yield player, Choice(ban_bian_tian_zha=bb.BanBianTianZhaChoice(chui=chui))
    yield Deal(ban_bian_tian_zha=hand.deal)
    for action in hand.bank:
        yield hand.players[action.seat], Choice(ban_bian_tian_zha=bb.BanBianTianZhaChoice(bank=action.kind))
    for dou in hand.dou:
        yield hand.players[dou.seat], Choice(ban_bian_tian_zha=bb.BanBianTianZhaChoice(dou=dou.dou))
    if hand.HasField("lei"):
        banker = hand.players[hand.bank[-1].seat]
        yield banker, Choice(ban_bian_tian_zha=bb.BanBianTianZhaChoice(lei=hand.lei))
    if hand.plays:
        yield Ending(ban_bian_tian_zha=bb.BanBianTianZhaEnding(plays=hand.plays))


def _of_bi_ji(hand: Any) -> Iterator[Piece]:
    dealt = [layout.unlaid or " ".join(layout.groups) for layout in hand.layouts]
    yield Deal(bi_ji=bj.BiJiDeal(hands=dealt))
    for player, layout in zip(hand.players, hand.layouts, strict=True):
        if layout.groups:
            yield player, Choice(bi_ji=bj.BiJiChoice(groups=layout.groups))
    yield Ending(bi_ji=bj.BiJiEnding())


def _of_er_ren_dou_di_zhu(hand: Any) -> Iterator[Piece]:
    yield Deal(er_ren_dou_di_zhu=hand.deal)
    for action in hand.auction:
        yield hand.players[action.seat], Choice(er_ren_dou_di_zhu=dz.ErRenDouDiZhuChoice(auction=action.kind))
    if hand.HasField("rang_xian"):
        landlord = _landlord(hand)
        yield landlord, Choice(er_ren_dou_di_zhu=dz.ErRenDouDiZhuChoice(rang_xian=hand.rang_xian))
    if hand.plays:
        escape = hand.escape if hand.HasField("escape") else None
        yield Ending(er_ren_dou_di_zhu=dz.ErRenDouDiZhuEnding(plays=hand.plays, escape=escape))
    elif hand.HasField("escape"):
        yield hand.players[hand.escape.seat], Choice(er_ren_dou_di_zhu=dz.ErRenDouDiZhuChoice(escape=True))


def _landlord(hand: Any) -> str:
    """Whoever called or robbed last."""
    claims = (dz.ErRenDouDiZhuAuctionAction.KIND_CALL, dz.ErRenDouDiZhuAuctionAction.KIND_ROB)
    seat = next(action.seat for action in reversed(hand.auction) if action.kind in claims)
    return str(hand.players[seat])


def _of_jiu_dian_ban(hand: Any) -> Iterator[Piece]:
    for bet in hand.bets:
        yield bet.player, Choice(jiu_dian_ban=jd.JiuDianBanChoice(door=bet.door, silver=bet.silver))
    yield Ending(jiu_dian_ban=jd.JiuDianBanEnding(deal=hand.deal))


_TAKERS = {
    "ban_bian_tian_zha": _of_ban_bian_tian_zha,
    "bi_ji": _of_bi_ji,
    "er_ren_dou_di_zhu": _of_er_ren_dou_di_zhu,
    "jiu_dian_ban": _of_jiu_dian_ban,
}
