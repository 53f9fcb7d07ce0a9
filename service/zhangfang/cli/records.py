"""The cards and choices of a hand, shown the way each game lays them on the table."""

from collections.abc import Callable, Sequence
from typing import Any

from zhangfang.cli.printing import Printer, cards, word
from zhangfang.wire.v1 import settlement_pb2


def show_record(printer: Printer, judgement: settlement_pb2.Judgement) -> None:
    """What a hand's record holds, as far as it came in."""
    game = judgement.record.WhichOneof("game")
    if game:
        SHOWN[game](printer, getattr(judgement.record, game), judgement)


def _show_ban_bian_tian_zha(printer: Printer, record: Any, _judgement: settlement_pb2.Judgement) -> None:
    """半邊天炸: who said chui, the bank, dou and lei, and the tricks."""
    bank = {action.seat: word(type(action).Kind.Name(action.kind)) for action in record.bank}
    dou = {said.seat: said.dou for said in record.dou}
    printer.table(
        "Cards 牌",
        ("player", "seat", "chui 錘", "bank 莊", "dou 抖", "dealt 發牌"),
        [
            (
                player,
                seat,
                _yes(record.chui, seat),
                bank.get(seat, ""),
                _yes_or_no(dou[seat]) if seat in dou else "",
                cards(_at(record.deal.hands, seat)),
            )
            for seat, player in enumerate(record.players)
        ],
    )
    if record.HasField("lei"):
        printer.facts(("lei 壘", _yes_or_no(record.lei)))
    _show_plays(printer, record.plays, record.players)


def _show_er_ren_dou_di_zhu(printer: Printer, record: Any, _judgement: settlement_pb2.Judgement) -> None:
    """二人鬥地主: the auction, rang_xian, the bottom cards, and the tricks."""
    printer.table(
        "Cards 牌",
        ("player", "seat", "dealt 發牌"),
        [(player, seat, cards(_at(record.deal.hands, seat))) for seat, player in enumerate(record.players)],
    )
    auction = [f"{_at(record.players, each.seat)} {word(type(each).Kind.Name(each.kind))}" for each in record.auction]
    printer.facts(
        ("bottom 底牌", cards(record.deal.bottom)),
        ("call card 叫地主牌", cards(record.deal.call_card)),
        ("auction 叫地主", ", ".join(auction)),
        ("rang_xian 讓先", _yes_or_no(record.rang_xian) if record.HasField("rang_xian") else ""),
        ("escape 逃跑", _at(record.players, record.escape.seat) if record.HasField("escape") else ""),
    )
    _show_plays(printer, record.plays, record.players)


def _show_bi_ji(printer: Printer, record: Any, judgement: settlement_pb2.Judgement) -> None:
    """比機: three groups a player, with what they are and their place in the pot once it is judged."""
    outcome = judgement.outcome.bi_ji
    layouts = outcome.layouts or record.layouts

    def shown(seat: int, pot: int) -> Any:
        text = cards(_at(layouts[seat].groups, pot)) if seat < len(layouts) else cards("")
        if pot < len(outcome.pots):
            ranked = outcome.pots[pot]
            place = list(ranked.ranking).index(record.players[seat]) + 1
            text.append(f"  {ranked.groups[seat]}, {place}.", "dim")
        return text

    printer.table(
        "Layouts 牌",
        ("player", "pot 1 第一鍋", "pot 2 第二鍋", "pot 3 第三鍋"),
        [(player, *(shown(seat, pot) for pot in range(3))) for seat, player in enumerate(record.players)],
    )
    printer.facts(*((f"royalty 喜 of {each.player}", f"{each.name} × {each.units}") for each in outcome.royalties))


def _show_jiu_dian_ban(printer: Printer, record: Any, judgement: settlement_pb2.Judgement) -> None:
    """九點半: four hands of two cards, and the bets on the doors."""
    judged = {hand.name: hand for hand in judgement.outcome.jiu_dian_ban.hands}
    rows = []
    for name, title in (("banker", "banker 莊家"), ("shang", "shang 上門"), ("tian", "tian 天門"), ("xia", "xia 下門")):
        hand = judged.get(name)
        kind = getattr(hand, "class") if hand else ""
        points = f"{hand.half_points / 2:g}" if hand and hand.HasField("half_points") else ""
        pays = f"wins × {hand.factor}" if hand and hand.beats_banker else ""
        rows.append((title, cards(getattr(record.deal, name)), kind, points, pays))
    printer.table(f"Cards 牌, {record.banker} banks", ("hand", "cards", "is", "points", "door"), rows)
    printer.table(
        "Bets 下注",
        ("player", "door", "#silver"),
        [(bet.player, _door(bet), bet.silver) for bet in record.bets],
    )


def _show_plays(printer: Printer, plays: Sequence[Any], players: Sequence[str]) -> None:
    if plays:
        rows = [
            (index, _at(players, each.seat), cards(each.cards) if each.cards else "pass")
            for index, each in enumerate(plays)
        ]
        printer.table("Plays 出牌", ("#action", "player", "plays"), rows)


def _door(bet: Any) -> str:
    return word(bet.DESCRIPTOR.fields_by_name["door"].enum_type.values_by_number[bet.door].name)


def _at(items: Sequence[str], index: int) -> str:
    """An item, or nothing where an open hand has none yet."""
    return items[index] if 0 <= index < len(items) else ""


def _yes(said: Sequence[bool], seat: int) -> str:
    return _yes_or_no(said[seat]) if seat < len(said) else ""


def _yes_or_no(said: bool) -> str:
    return "yes" if said else "no"


SHOWN: dict[str, Callable[[Printer, Any, settlement_pb2.Judgement], None]] = {
    "ban_bian_tian_zha": _show_ban_bian_tian_zha,
    "er_ren_dou_di_zhu": _show_er_ren_dou_di_zhu,
    "bi_ji": _show_bi_ji,
    "jiu_dian_ban": _show_jiu_dian_ban,
}
