"""A 半邊天炸 hand that arrives piece by piece, with the checks of a finished record: chui, deal, bank, dou, lei, plays.

The order in which claims are recorded decides who was first (誰點的快，誰為莊). Rule: BB-2 … BB-6.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from zhangfang.rules.game import Opening, Progress
from zhangfang.rules.games.ban_bian_tian_zha.choices import (
    CLAIMANTS,
    CLAIMS,
    bank_fault,
    claimants_left,
    decision,
    dou_fault,
    dou_left,
    has_dou,
    has_surrendered,
    holder_of_big_joker,
    lei_fault,
    missing_chui,
)
from zhangfang.rules.games.ban_bian_tian_zha.judge import check_deal
from zhangfang.rules.games.ban_bian_tian_zha.record import (
    BanBianTianZhaChoice,
    BanBianTianZhaDeal,
    BanBianTianZhaEnding,
    BanBianTianZhaHand,
    BanBianTianZhaRules,
    BankAction,
    BankWord,
    ChoiceKind,
    Dou,
)
from zhangfang.rules.verdict import Fault, Faults

RULES = {ChoiceKind.CHUI: "BB-2", ChoiceKind.BANK: "BB-3", ChoiceKind.DOU: "BB-5", ChoiceKind.LEI: "BB-6"}


def begin(players: tuple[str, ...]) -> BanBianTianZhaHand:
    """A hand in which nobody has spoken and nothing is dealt."""
    return BanBianTianZhaHand(players)


def deal(
    record: BanBianTianZhaHand, cards: BanBianTianZhaDeal, _rules: BanBianTianZhaRules
) -> BanBianTianZhaHand | Faults:
    """Deals, once everybody has said chui or not, for each does before the deal is looked at. Rule: BB-1, BB-2."""
    if record.deal:
        return (Fault(rule="BB-1", section="deal", text="the deal: this hand has its cards; it is dealt once"),)
    silent = missing_chui(record)
    if silent:
        return (silent,)
    dealt = replace(record, deal=cards)
    return check_deal(dealt) or dealt


def choose(
    record: BanBianTianZhaHand,
    player: str,
    choice: BanBianTianZhaChoice,
    _rules: BanBianTianZhaRules,
    _stake: int,
    _silver: Mapping[str, int],
) -> BanBianTianZhaHand | Faults:
    """One choice of one player, or why it cannot be made now."""
    if choice.kind is None:
        return (Fault(rule="BB-2", player=player, text=f"{player} chooses nothing; it is chui, bank, dou or lei"),)
    if player not in record.players:
        rule = RULES[choice.kind]
        text = f"{choice.kind}: {player} does not sit at this table; only {', '.join(record.players)} choose"
        return (Fault(rule=rule, section=choice.kind, text=text),)
    seat = record.players.index(player)
    made = _MAKERS[choice.kind](record, seat, choice.value)
    return (made,) if isinstance(made, Fault) else made


def _say_chui(record: BanBianTianZhaHand, seat: int, is_said: bool) -> BanBianTianZhaHand | Fault:  # noqa: FBT001
    """A chui or none, once each. Rule: BB-2."""
    player = record.players[seat]
    if record.chui[seat] is not None:
        text = f"chui {seat}: {player} has said chui or not already; each says it once"
        return Fault(rule="BB-2", section="chui", action=seat, player=player, text=text)
    return replace(record, chui=(*record.chui[:seat], is_said, *record.chui[seat + 1 :]))


def _say_for_bank(record: BanBianTianZhaHand, seat: int, word: BankWord | str | int) -> BanBianTianZhaHand | Fault:
    """A word for the bank. Rule: BB-3, BB-4."""
    action = BankAction(seat, word)
    if record.deal is None:
        player = record.players[seat]
        rule = "BB-4" if word in (BankWord.KAI_DA, BankWord.SURRENDER) else "BB-3"
        text = f"bank 0: {player} says {word} before the cards are dealt"
        return Fault(rule=rule, section="bank", action=0, player=player, text=text)
    fault = bank_fault(record, holder_of_big_joker(record), record.bank, action)
    return fault or replace(record, bank=(*record.bank, action))


def _say_dou(record: BanBianTianZhaHand, seat: int, is_said: bool) -> BanBianTianZhaHand | Fault:  # noqa: FBT001
    """A dou or none by an idler. Rule: BB-5."""
    dou = Dou(seat, is_said)
    if decision(record.bank) is None:
        player = record.players[seat]
        text = f"dou {seat}: {player} speaks of dou before it is known who is banker"
        return Fault(rule="BB-5", section="dou", action=seat, player=player, text=text)
    fault = dou_fault(record, record.dou, dou)
    return fault or replace(record, dou=(*record.dou, dou))


def _say_lei(record: BanBianTianZhaHand, seat: int, is_said: bool) -> BanBianTianZhaHand | Fault:  # noqa: FBT001
    """A lei or none by the banker, after both idlers have spoken of dou. Rule: BB-6."""
    player = record.players[seat]
    decided = decision(record.bank)
    if has_surrendered(record.bank):
        rule, reason = "BB-4", "but the hand has ended by a surrender"
    elif decided is None:
        rule, reason = "BB-6", "before it is known who is banker"
    elif seat != decided.seat:
        rule, reason = "BB-6", f"but only {record.players[decided.seat]}, the banker, may"
    elif record.lei is not None:
        rule, reason = "BB-6", "twice; the banker says it once"
    elif dou_left(record):
        rule, reason = "BB-6", "before both idlers have said whether they dou"
    else:
        said = replace(record, lei=is_said)
        return lei_fault(said) or said
    return Fault(rule=rule, section="lei", player=player, text=f"lei: {player} speaks of lei, {reason}")


_MAKERS: dict[ChoiceKind, Callable[[BanBianTianZhaHand, int, Any], BanBianTianZhaHand | Fault]] = {
    ChoiceKind.CHUI: _say_chui,
    ChoiceKind.BANK: _say_for_bank,
    ChoiceKind.DOU: _say_dou,
    ChoiceKind.LEI: _say_lei,
}


def finish(
    record: BanBianTianZhaHand, ending: BanBianTianZhaEnding, _rules: BanBianTianZhaRules
) -> BanBianTianZhaHand | Faults:
    """The finished record; whether a choice is missing and whether the plays are right is for ``judge``."""
    return replace(record, plays=ending.plays)


def progress(record: BanBianTianZhaHand, _rules: BanBianTianZhaRules) -> Progress:
    """What is open now: everybody's chui, the deal, claims, the big joker's decision, dou, lei, or the play."""
    players = record.players
    if missing_chui(record):
        silent = [player for player, chui in zip(players, record.chui, strict=True) if chui is None]
        return Progress("chui", tuple([Opening(player, (ChoiceKind.CHUI,)) for player in silent]))
    if record.deal is None:
        return Progress("deal", ())
    if decision(record.bank) is None:
        return Progress("bank", _bank_openings(record))
    if has_surrendered(record.bank):
        return Progress("over", (), is_over=True)
    silent_idlers = dou_left(record)
    if silent_idlers:
        return Progress("dou", tuple([Opening(players[seat], (ChoiceKind.DOU,)) for seat in silent_idlers]))
    if has_dou(record) and record.lei is None:
        return Progress("lei", (Opening(players[record.bank[-1].seat], (ChoiceKind.LEI,)),))
    return Progress("play", ())


def _bank_openings(record: BanBianTianZhaHand) -> tuple[Opening, ...]:
    """Who may say what for the bank: the claimants, or after two passes the holder of the big joker."""
    holder = holder_of_big_joker(record)
    if len(record.bank) == CLAIMANTS:
        return (Opening(record.players[holder], (BankWord.KAI_DA, BankWord.SURRENDER)),)
    return tuple([Opening(record.players[seat], CLAIMS) for seat in claimants_left(record, holder)])
