"""What a hand of 二人鬥地主 pays, and why.

Rule: DZ-5, DZ-6, DZ-26 … DZ-30, CM-3. Source: seed, "名詞解釋" (春天, 反春天, 讓先), "叫分規則", "逃跑處理".
"""

from functools import lru_cache
from math import prod
from typing import NamedTuple

from zhangfang.rules.games.er_ren_dou_di_zhu.auction import Auction
from zhangfang.rules.games.er_ren_dou_di_zhu.combinations import BOMB_READINGS_FROM, STRAIGHTS_TO_THE_ACE
from zhangfang.rules.games.er_ren_dou_di_zhu.deal import BOTTOM_CARDS, HAND_CARDS
from zhangfang.rules.games.er_ren_dou_di_zhu.record import ErRenDouDiZhuHand, ErRenDouDiZhuRules, Side
from zhangfang.rules.shedding import Course
from zhangfang.rules.verdict import INT64_MAX, PENALTIES, Ended, Factor, Fault, Faults, Step, Verdict, is_int64

RANG_XIAN_FACTOR = 3
RANG_XIAN_CARDS = 3
SPRING_FACTOR = 2
ESCAPE_FACTOR = 2

LINES_REMEMBERED = 1 << 12
"""How many explanations are put into words once: few factors go together, and tables keep their stakes."""

FACTOR_NAMES_ZH = {
    "auction": "抢地主",
    "rang_xian": "让先",
    "spring": "春天",
    "anti_spring": "反春天",
    "bombs": "炸弹",
    "escape": "逃跑",
}


class ErRenDouDiZhuOutcome(NamedTuple):
    """The facts of a judged hand.

    ``landlord``, ``winner``, ``winner_side`` and ``escape`` are None where there is none. ``rang_xian`` and
    ``rang_pai`` (讓牌, cards the farmer may keep) are None before the landlord has chosen. ``bombs`` counts bombs and
    rockets. ``multiplier`` is the product without the stake, on an escape without the escape's 2, None on a redeal.
    ``cards_left`` is by seat. ``tong_tian_shun`` are the plays that were a straight up to the ace.
    """

    landlord: int | None
    winner: int | None
    winner_side: Side | None
    robs: int
    rang_xian: bool | None
    rang_pai: int | None
    spring: bool
    anti_spring: bool
    bombs: int
    multiplier: int | None
    redeal: bool
    escape: int | None
    cards_left: tuple[int, ...]
    tong_tian_shun: tuple[int, ...]


def settle(
    record: ErRenDouDiZhuHand, rules: ErRenDouDiZhuRules, stake: int, auction: Auction, course: Course | None
) -> Verdict | Faults:
    """What a faultless hand pays: to the winner, to the penalties, or on a redeal nothing.

    ``course`` is how the play went, None if it did not begin. Rule: DZ-3, DZ-27, DZ-30.
    """
    players, landlord, rang_xian = record.players, auction.landlord, record.rang_xian
    winner = course.out[0] if course is not None and course.is_over else None
    is_spring, is_anti_spring = _find_springs(record, landlord, winner)
    bombs = sum([reading >= BOMB_READINGS_FROM for reading in course.readings]) if course is not None else 0
    factors = list_factors(
        rules,
        auction.robs,
        rang_xian=rang_xian is True,
        spring=is_spring,
        anti_spring=is_anti_spring,
        bombs=bombs,
    )
    outcome = ErRenDouDiZhuOutcome(
        landlord=landlord,
        winner=winner,
        winner_side=None if winner is None else Side.LANDLORD if winner == landlord else Side.FARMER,
        robs=auction.robs,
        rang_xian=rang_xian,
        rang_pai=None if rang_xian is None else count_rang_pai(rules, auction.robs, rang_xian=rang_xian),
        spring=is_spring,
        anti_spring=is_anti_spring,
        bombs=bombs,
        multiplier=None if auction.is_redeal else multiply(factors),
        redeal=auction.is_redeal,
        escape=record.escape,
        cards_left=_count_cards_left(landlord, course),
        tong_tian_shun=_find_tong_tian_shun(course),
    )
    if record.escape is not None:
        step, ended = pay_penalty(stake, players[record.escape], factors), Ended.ESCAPE
    elif winner is not None:
        step, ended = pay_winner(stake, players[1 - winner], players[winner], factors), Ended.NORMAL
    else:
        return Verdict(Ended.REDEAL, players, (), outcome)
    return (step,) if isinstance(step, Fault) else Verdict(ended, players, (step,), outcome)


def count_rang_pai(rules: ErRenDouDiZhuRules, robs: int, *, rang_xian: bool) -> int:
    """How many cards the farmer may keep and still win: one a rob, three for rang_xian. Rule: DZ-7."""
    return robs + RANG_XIAN_CARDS * rang_xian + rules.call_rang_pai


def _find_springs(record: ErRenDouDiZhuHand, landlord: int | None, winner: int | None) -> tuple[bool, bool]:
    """Whether the hand was a spring, whether an anti_spring: the loser as good as never played. Rule: DZ-28."""
    if winner is None:
        return False, False
    plays_of_loser = sum([seat != winner and cards != "" for seat, cards in record.plays])
    return (plays_of_loser == 0, False) if winner == landlord else (False, plays_of_loser <= 1)


def _count_cards_left(landlord: int | None, course: Course | None) -> tuple[int, ...]:
    """The cards each seat holds at the end; the landlord's from the auction on with the bottom cards."""
    if course is not None:
        return course.cards_left
    return tuple([HAND_CARDS + BOTTOM_CARDS * (seat == landlord) for seat in (0, 1)])


def _find_tong_tian_shun(course: Course | None) -> tuple[int, ...]:
    """The plays that were a straight up to the ace (通天順). Rule: DZ-26."""
    readings = course.readings if course is not None else []
    if STRAIGHTS_TO_THE_ACE.isdisjoint(readings):
        return ()
    return tuple([action for action, reading in enumerate(readings) if reading in STRAIGHTS_TO_THE_ACE])


def list_factors(
    rules: ErRenDouDiZhuRules, robs: int, *, rang_xian: bool, spring: bool, anti_spring: bool, bombs: int
) -> tuple[Factor, ...]:
    """What the stake is multiplied by, in the rulebook's order, factors of 1 left out.

    Rule: DZ-5, DZ-6, DZ-28, DZ-29.

    >>> table = ErRenDouDiZhuRules()
    >>> factors = list_factors(table, 2, rang_xian=True, spring=False, anti_spring=True, bombs=1)
    >>> [(factor.name, factor.factor) for factor in factors]
    [('auction', 4), ('rang_xian', 3), ('anti_spring', 2)]
    """
    factors = []
    if rules.rob_multipliers[robs] != 1:
        factors.append(Factor("DZ-5", "auction", rules.rob_multipliers[robs]))
    if rang_xian:
        factors.append(Factor("DZ-6", "rang_xian", RANG_XIAN_FACTOR))
    if spring:
        factors.append(Factor("DZ-28", "spring", SPRING_FACTOR))
    if anti_spring:
        factors.append(Factor("DZ-28", "anti_spring", SPRING_FACTOR))
    if bombs and rules.bomb_factor != 1:
        factors.append(Factor("DZ-29", "bombs", rules.bomb_factor**bombs))
    return tuple(factors)


def multiply(factors: tuple[Factor, ...]) -> int:
    """The product of factors, 1 if there are none."""
    return prod([factor.factor for factor in factors])


def pay_winner(stake: int, loser: str, winner: str, factors: tuple[Factor, ...]) -> Step | Fault:
    """The loser pays the winner the stake times all factors. Rule: DZ-27."""
    return _pay("DZ-27", stake, loser, winner, factors)


def pay_penalty(stake: int, runaway: str, factors: tuple[Factor, ...]) -> Step | Fault:
    """The runaway pays twice the multiplier so far to the house's penalties; the other gets nothing. Rule: DZ-30."""
    return _pay("DZ-30", stake, runaway, PENALTIES, (*factors, Factor("DZ-30", "escape", ESCAPE_FACTOR)))


def _pay(rule: str, stake: int, payer: str, payee: str, factors: tuple[Factor, ...]) -> Step | Fault:
    """One payment with its explanation, unless it is more than can be recorded. Rule: CM-1, CM-3."""
    amount = stake * multiply(factors)
    text, text_zh = explain(stake, factors, amount)
    if not is_int64(amount):
        reason = f"{payer} would pay {text}, which no account can hold; an amount is at most {INT64_MAX}"
        return Fault(rule="CM-1", section="stake", action=0, text=reason)
    return Step(rule, payer, payee, amount, factors, text, text_zh)


@lru_cache(maxsize=LINES_REMEMBERED)
def explain(stake: int, factors: tuple[Factor, ...], amount: int) -> tuple[str, str]:
    """The line of a payment as the rulebook prints it, in English and in Chinese. Rule: CM-3."""
    terms = "".join([f" × {factor.name} {factor.factor}" for factor in factors])
    terms_zh = "".join([f"×{factor.factor}({FACTOR_NAMES_ZH[factor.name]})" for factor in factors])
    return f"stake {stake}{terms} = {amount}", f"{stake}(底分){terms_zh}={amount}"
