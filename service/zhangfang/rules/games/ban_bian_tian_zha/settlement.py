"""The score and the payments of 半邊天炸: points of the tricks, the 20 points, negative score, and every factor.

Rule: BB-24 … BB-29. Source: seed, 打分規則, 上下游和負分規則, 計分和翻倍規則.
"""

from functools import lru_cache
from math import prod
from typing import NamedTuple

from zhangfang.rules.cards import CARDS, SUITS
from zhangfang.rules.games.ban_bian_tian_zha.record import (
    SEATS,
    BanBianTianZhaHand,
    BanBianTianZhaRules,
    BankWord,
    How,
    Side,
)
from zhangfang.rules.shedding import Course
from zhangfang.rules.verdict import Ended, Factor, Fault, Faults, Step, Verdict, is_int64

FIVES = sum([1 << CARDS["5" + suit] for suit in SUITS])
TENS_AND_KINGS = sum([1 << CARDS[rank + suit] for rank in "TK" for suit in SUITS])
FIRST_OUT_POINTS = 20

LINES_REMEMBERED = 1 << 12
"""How many explanations are put into words once: few factors go together, and tables keep their stakes."""

FAN_BAO_WON = Factor("BB-29", "fan_bao_won", 4)
FAN_BAO_LOST = Factor("BB-29", "fan_bao_lost", 2)
DOU = Factor("BB-5", "dou", 2)
LEI = Factor("BB-6", "lei", 2)
NEGATIVE_SCORE = Factor("BB-26", "negative_score", 2)
CHUI_BANKER = Factor("BB-2", "chui_banker", 2)
CHUI_IDLER = Factor("BB-2", "chui_idler", 2)
SURRENDER_CHUI_BANKER = Factor("BB-4", "chui_banker", 2)
SURRENDER_CHUI_IDLER = Factor("BB-4", "chui_idler", 2)

WORDS = {
    "fan_bao_won": ("fan_bao won", "反包赢"),
    "fan_bao_lost": ("fan_bao lost", "反包输"),
    "kai_da": ("kai_da", "开打"),
    "dou": ("dou", "抖"),
    "lei": ("lei", "垒"),
    "negative_score": ("negative_score", "负分"),
    "chui_banker": ("chui(banker)", "庄锤"),
    "chui_idler": ("chui(idler)", "闲锤"),
}
"""How an explanation names a factor, in English and in Chinese. Rule: CM-3."""


class Points(NamedTuple):
    """Points of the two sides."""

    banker: int
    idlers: int


class Idler(NamedTuple):
    """What multiplies one idler's settlement; ``multiplier`` is the product, the stake not included."""

    seat: int
    factors: tuple[Factor, ...]
    multiplier: int


class BanBianTianZhaOutcome(NamedTuple):
    """The facts of a hand. After a surrender nobody banks: all that belongs to the play is None or empty.

    ``idlers`` are then the two who are paid.
    """

    how: How
    idlers: tuple[Idler, ...]
    banker: int | None = None
    surrendered: int | None = None
    first_leader: int | None = None
    captured: Points | None = None
    after_transfer: Points | None = None
    gave_20: Side | None = None
    finishing_order: tuple[int, ...] = ()
    first_out: int | None = None
    negative: Side | None = None
    winner: Side | None = None


def settle(record: BanBianTianZhaHand, rules: BanBianTianZhaRules, stake: int, course: Course) -> Verdict | Faults:
    """The verdict of a hand that was played out."""
    banker = record.bank[-1].seat
    captured = _captured(course, banker)
    giver = _giver(course.out, banker)
    given = {Side.BANKER: -FIRST_OUT_POINTS, Side.IDLERS: FIRST_OUT_POINTS, None: 0}[giver]
    after = Points(captured.banker + given, captured.idlers - given)
    winner = _winner(after, Side.BANKER if course.out[0] == banker else Side.IDLERS)
    loser = Side.IDLERS if winner is Side.BANKER else Side.BANKER
    is_negative = min(after.banker, after.idlers) <= 0 and (giver is not None or not rules.negative_requires_transfer)
    shared = _banker_factor(record, rules, winner)
    idlers = []
    for dou in sorted(record.dou):
        factors = list(shared)
        if dou.dou:
            factors += [DOU, LEI] if record.lei else [DOU]
        if is_negative:
            factors.append(NEGATIVE_SCORE)
        if record.chui[banker]:
            factors.append(CHUI_BANKER)
        if record.chui[dou.seat]:
            factors.append(CHUI_IDLER)
        idlers.append(_idler(dou.seat, factors))
    outcome = BanBianTianZhaOutcome(
        how=How.FAN_BAO if record.bank[-1].word == BankWord.FAN_BAO else How.KAI_DA,
        banker=banker,
        first_leader=record.plays[0][0],
        captured=captured,
        after_transfer=after,
        gave_20=giver,
        finishing_order=tuple(course.out),
        first_out=course.out[0],
        negative=loser if is_negative else None,
        winner=winner,
        idlers=tuple(idlers),
    )
    return _verdict(record, stake, outcome, "BB-28", banker, winner)


def settle_surrender(record: BanBianTianZhaHand, rules: BanBianTianZhaRules, stake: int) -> Verdict | Faults:
    """The verdict of a surrender 不開打: one stake to each of the others, by house rule times both chui. Rule: BB-4."""
    payer = record.bank[-1].seat
    idlers = []
    for seat in [seat for seat in range(SEATS) if seat != payer]:
        factors = []
        if rules.surrender_counts_chui and record.chui[payer]:
            factors.append(SURRENDER_CHUI_BANKER)
        if rules.surrender_counts_chui and record.chui[seat]:
            factors.append(SURRENDER_CHUI_IDLER)
        idlers.append(_idler(seat, factors))
    outcome = BanBianTianZhaOutcome(how=How.SURRENDER, surrendered=payer, idlers=tuple(idlers))
    return _verdict(record, stake, outcome, "BB-4", payer, Side.IDLERS)


def _captured(course: Course, banker: int) -> Points:
    """5, 10, K: a trick's points go to its winner's side; what is left in hands is void. Rule: BB-24."""
    of_banker = of_idlers = 0
    for winner, cards in course.tricks:
        points = 5 * (cards & FIVES).bit_count() + 10 * (cards & TENS_AND_KINGS).bit_count()
        if winner == banker:
            of_banker += points
        else:
            of_idlers += points
    return Points(of_banker, of_idlers)


def _giver(finishing_order: list[int], banker: int) -> Side | None:
    """The side that gives 20 points: to a banker first out, or to idlers both out before him. Rule: BB-25."""
    if finishing_order[0] == banker:
        return Side.IDLERS
    return None if banker in finishing_order[:2] else Side.BANKER


def _winner(points: Points, first_out: Side) -> Side:
    """The higher side; of equal ones that of the first out 上游. Rule: BB-27."""
    if points.banker == points.idlers:
        return first_out
    return Side.BANKER if points.banker > points.idlers else Side.IDLERS


def _banker_factor(record: BanBianTianZhaHand, rules: BanBianTianZhaRules, winner: Side) -> list[Factor]:
    """What being banker multiplies; a factor of 1 is left out. Rule: BB-29."""
    if record.bank[-1].word == BankWord.FAN_BAO:
        return [FAN_BAO_WON if winner is Side.BANKER else FAN_BAO_LOST]
    return [Factor("BB-29", "kai_da", rules.kai_da_factor)] if rules.kai_da_factor > 1 else []


def _idler(seat: int, factors: list[Factor]) -> Idler:
    """An idler's factors and their product."""
    return Idler(seat, tuple(factors), prod([factor.factor for factor in factors]))


def _verdict(
    record: BanBianTianZhaHand, stake: int, outcome: BanBianTianZhaOutcome, rule: str, banker: int, payee_side: Side
) -> Verdict | Faults:
    """The payments between the banker and each idler, unless an amount or the banker's net is no int64. Rule: CM-1."""
    steps = []
    for idler in outcome.idlers:
        pair = (record.players[banker], record.players[idler.seat])
        payer, payee = pair if payee_side is Side.IDLERS else pair[::-1]
        steps.append(_step(rule, payer, payee, stake, idler))
    net = sum([step.amount for step in steps])
    amounts = [*[step.amount for step in steps], -net if payee_side is Side.IDLERS else net]
    unfit = [amount for amount in amounts if not is_int64(amount)]
    if unfit:
        text = f"an amount of {unfit[0]} silver does not fit int64; the stake {stake} is too high"
        return (Fault(rule="CM-1", section="stake", text=text),)
    return Verdict(Ended.NORMAL, record.players, tuple(steps), outcome)


def _step(rule: str, payer: str, payee: str, stake: int, idler: Idler) -> Step:
    """A payment with its line. Rule: CM-3."""
    amount = stake * idler.multiplier
    return Step(rule, payer, payee, amount, idler.factors, *explain(stake, idler.factors, amount))


@lru_cache(maxsize=LINES_REMEMBERED)
def explain(stake: int, factors: tuple[Factor, ...], amount: int) -> tuple[str, str]:
    """The line of a payment as the rulebook prints it, in English and in Chinese. Rule: CM-3."""
    english, chinese = f"stake {stake}", f"{stake}(底分)"
    for factor in factors:
        word, sign = WORDS[factor.name]
        english += f" × {word} {factor.factor}"
        chinese += f"×{factor.factor}({sign})"
    return f"{english} = {amount}", f"{chinese}={amount}"
