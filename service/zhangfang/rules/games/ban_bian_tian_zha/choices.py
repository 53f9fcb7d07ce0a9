"""The choices before play in 半邊天炸: chui 錘, the bank (反包, 開打), dou 抖 and lei 壘.

Each ``*_fault`` judges one more choice after faultless earlier ones, each ``missing_*`` what nobody has said: so a
finished record and a hand that arrives piece by piece meet the same checks. Rule: BB-2 … BB-6.
"""

from zhangfang.rules.games.ban_bian_tian_zha.record import (
    SEATS,
    BanBianTianZhaHand,
    BankAction,
    BankWord,
    Dou,
)
from zhangfang.rules.verdict import Fault

CLAIMANTS = SEATS - 1
CLAIMS = (BankWord.FAN_BAO, BankWord.PASS)
"""What the two may say who were not dealt the big joker. Rule: BB-3."""


def holder_of_big_joker(record: BanBianTianZhaHand) -> int:
    """The seat that was dealt the big joker; the cards are faultless."""
    hands = record.deal.hands if record.deal else ()
    return next(seat for seat, hand in enumerate(hands) if "W" in hand)


def decision(bank: tuple[BankAction, ...]) -> BankAction | None:
    """The word that decided the bank: the first that is no pass, which is also the last; None while it is open."""
    return bank[-1] if bank and bank[-1].word != BankWord.PASS else None


def has_surrendered(bank: tuple[BankAction, ...]) -> bool:
    """Whether the hand ended by a surrender 不開打. Rule: BB-4."""
    return bool(bank) and bank[-1].word == BankWord.SURRENDER


def bank_phase_fault(record: BanBianTianZhaHand) -> Fault | None:
    """The first fault of chui and bank; without one it is known who plays against whom. Rule: BB-2, BB-3, BB-4."""
    return _chui_fault(record) or _bank_fault(record)


def doubling_fault(record: BanBianTianZhaHand) -> Fault | None:
    """The first fault of dou and lei, once the bank is decided. Rule: BB-5, BB-6."""
    return _dou_fault(record) or lei_fault(record)


def _chui_fault(record: BanBianTianZhaHand) -> Fault | None:
    """A chui too many or too few. Rule: BB-2."""
    if len(record.chui) > SEATS:
        text = f"chui {SEATS}: only {SEATS} players sit at the table, each says chui or not once"
        return Fault(rule="BB-2", section="chui", action=SEATS, text=text)
    return missing_chui(record)


def missing_chui(record: BanBianTianZhaHand) -> Fault | None:
    """The fault of the first seat that has not said whether he chuis. Rule: BB-2."""
    for seat, player in enumerate(record.players):
        if seat >= len(record.chui) or record.chui[seat] is None:
            text = f"chui {seat}: {player} has not said chui or not; each player does before the deal is looked at"
            return Fault(rule="BB-2", section="chui", action=seat, text=text)
    return None


def _bank_fault(record: BanBianTianZhaHand) -> Fault | None:
    """The first fault of the bank phase. Rule: BB-3, BB-4."""
    holder = holder_of_big_joker(record)
    for index, action in enumerate(record.bank):
        fault = bank_fault(record, holder, record.bank[:index], action)
        if fault:
            return fault
    return _missing_bank(record, holder)


def bank_fault(
    record: BanBianTianZhaHand, holder: int, earlier: tuple[BankAction, ...], action: BankAction
) -> Fault | None:
    """The fault of one more word for the bank.

    The two players without the big joker may claim, the first claim wins; only if both passed may its holder decide.
    """
    seat, word = action
    player = record.player_at(seat)
    is_claimants_turn = len(earlier) < CLAIMANTS
    rule = "BB-3" if word in CLAIMS else "BB-4"
    decided = decision(earlier)
    reason = None
    if has_surrendered(earlier):
        rule, reason = "BB-4", "but the hand has ended by a surrender"
    elif decided:
        reason = f"but the bank was decided by {record.player_at(decided.seat)}'s {decided.word}"
    elif not isinstance(word, BankWord):
        rule, reason = ("BB-3" if is_claimants_turn else "BB-4"), f"which is none of {', '.join(BankWord)}"
    elif player is None:
        reason = "but nobody sits there"
    elif rule == "BB-3" and seat == holder:
        reason = "but holds the big joker and may only say kai_da or surrender"
    elif rule == "BB-3" and seat in [said.seat for said in earlier]:
        reason = "but has passed already; each speaks once"
    elif rule == "BB-4" and seat != holder:
        reason = f"but only {record.player_at(holder)}, who holds the big joker, may"
    elif rule == "BB-4" and is_claimants_turn:
        reason = "before both others have passed"
    if reason is None:
        return None
    text = f"bank {len(earlier)}: {player or f'seat {seat}'} says {word}, {reason}"
    return Fault(rule=rule, section="bank", action=len(earlier), player=player, text=text)


def _missing_bank(record: BanBianTianZhaHand, holder: int) -> Fault | None:
    """The fault of a bank that nobody decided: a claimant silent, or the holder of the big joker."""
    if decision(record.bank):
        return None
    index = len(record.bank)
    if index < CLAIMANTS:
        silent = " and ".join([record.players[seat] for seat in claimants_left(record, holder)])
        text = f"bank {index}: nobody decided and {silent} neither claims nor passes"
        return Fault(rule="BB-3", section="bank", action=index, text=text)
    text = f"bank {index}: both passed, but {record.players[holder]} has said neither kai_da nor surrender"
    return Fault(rule="BB-4", section="bank", action=index, text=text)


def claimants_left(record: BanBianTianZhaHand, holder: int) -> list[int]:
    """The seats that may still claim the bank or pass. Rule: BB-3."""
    spoken = [action.seat for action in record.bank]
    return [seat for seat in range(SEATS) if seat != holder and seat not in spoken]


def _dou_fault(record: BanBianTianZhaHand) -> Fault | None:
    """The first fault of what was said about dou. Rule: BB-5."""
    for index, dou in enumerate(record.dou):
        fault = dou_fault(record, record.dou[:index], dou)
        if fault:
            return fault
    silent = dou_left(record)
    if not silent:
        return None
    text = f"dou {silent[0]}: {record.players[silent[0]]} has said neither dou nor left it; each idler does"
    return Fault(rule="BB-5", section="dou", action=silent[0], text=text)


def dou_fault(record: BanBianTianZhaHand, earlier: tuple[Dou, ...], dou: Dou) -> Fault | None:
    """The fault of one more dou: said after a surrender, by the banker, by nobody, or twice. Rule: BB-4, BB-5."""
    seat = dou.seat
    player = record.player_at(seat)
    rule, reason = "BB-5", None
    if has_surrendered(record.bank):
        rule, reason = "BB-4", "speaks of dou, but the hand has ended by a surrender"
    elif player is None:
        reason = "speaks of dou, but nobody sits there"
    elif seat == record.bank[-1].seat:
        reason = "speaks of dou, but is the banker; only idlers may"
    elif seat in [said.seat for said in earlier]:
        reason = "speaks of dou twice; each idler says it once"
    if reason is None:
        return None
    text = f"dou {seat}: {player or f'seat {seat}'} {reason}"
    return Fault(rule=rule, section="dou", action=seat, player=player, text=text)


def dou_left(record: BanBianTianZhaHand) -> list[int]:
    """The idlers who have not said whether they dou; nobody after a surrender. The bank is decided. Rule: BB-5."""
    if has_surrendered(record.bank):
        return []
    spoken = [dou.seat for dou in record.dou]
    return [seat for seat in range(SEATS) if seat != record.bank[-1].seat and seat not in spoken]


def has_dou(record: BanBianTianZhaHand) -> bool:
    """Whether somebody dou'd, so that the banker may lei. Rule: BB-6."""
    return any(dou.dou for dou in record.dou)


def lei_fault(record: BanBianTianZhaHand) -> Fault | None:
    """The fault of a lei: after a surrender, without dou, or not said where somebody dou'd. Rule: BB-4, BB-6."""
    banker = record.player_at(record.bank[-1].seat)
    if has_surrendered(record.bank):
        if record.lei is None:
            return None
        text = "lei: it is spoken of, but the hand has ended by a surrender"
        return Fault(rule="BB-4", section="lei", text=text)
    if record.lei and not has_dou(record):
        return Fault(rule="BB-6", section="lei", player=banker, text=f"lei: {banker} says lei, but nobody dou'd")
    if record.lei is None and has_dou(record):
        text = f"lei: somebody dou'd, but {banker} has said neither lei nor left it"
        return Fault(rule="BB-6", section="lei", text=text)
    return None
