"""What a judged 九點半 hand pays: every bettor and door apart.

Every step is the bets of one bettor on one door and says why, e.g.
``天门 九点半胜庄家八点半，庄家付P1：100(注)×2(九点半)=200`` and ``下门 三点不胜庄家八点半，P2付：40(注)=40``; factors
of 1 are left out (CM-3). Rule: JD-8 … JD-11, JD-13.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Final, NamedTuple

from zhangfang.rules.games.jiu_dian_ban.bankers import deal_start, next_banker
from zhangfang.rules.games.jiu_dian_ban.bets import BetSums
from zhangfang.rules.games.jiu_dian_ban.hands import (
    half_points_of,
    hand_class,
    hand_text,
    hand_title,
    payout_of,
)
from zhangfang.rules.games.jiu_dian_ban.record import BankerMode, Door, JiuDianBanHand, JiuDianBanRules
from zhangfang.rules.verdict import Ended, Factor, Fault, Faults, Step, Verdict, factor_of, is_int64, step_of

HAND_NAMES: Final = ("banker", *[door.value for door in Door])
DOOR_TITLES: Final = {Door.SHANG: "上门", Door.TIAN: "天门", Door.XIA: "下门"}


class JudgedHand(NamedTuple):
    """One of the four hands: ``name`` is banker, shang, tian or xia.

    ``half_points`` is None for the pairs. ``factor`` is what a bet on the door was multiplied by, 1 where the banker
    won; for the banker's own hand ``beats_banker`` is False and ``factor`` 1.
    """

    name: str
    hand_class: str
    half_points: int | None
    beats_banker: bool
    factor: int


class JiuDianBanOutcome(NamedTuple):
    """The facts of a hand.

    ``deal_start`` is None without a turned card (JD-11); ``banker_shortfall`` is what the banker's net loss exceeds his
    silver by, 0 if his silver is not known (JD-10); ``next_banker`` is None unless the record has seats and the bank
    goes along them (JD-13).
    """

    hands: tuple[JudgedHand, ...]
    banker_beaten_by_all: bool
    deal_start: str | None
    banker_shortfall: int
    next_banker: str | None


class DoorResult(NamedTuple):
    """A door's hand as it was judged, how bets on the door are paid, and the words that explain it.

    ``why`` begins an explanation, ``times`` stands between the bet and what is paid for it.
    """

    hand: JudgedHand
    beats_banker: bool
    payout: int
    factors: tuple[Factor, ...]
    why: str
    why_zh: str
    times: str
    times_zh: str


def settle_hand(
    record: JiuDianBanHand,
    strengths: Sequence[int],
    turned_card: int | None,
    sums: BetSums,
    rules: JiuDianBanRules,
    silver: Mapping[str, int],
) -> Verdict | Faults:
    """Pays every bettor and door of a faultless hand.

    Args:
        record: the hand.
        strengths: of the banker's hand, then of shang, tian and xia.
        turned_card: where dealing started, if one was turned.
        sums: the bets by bettor and door.
        rules: the table's house rules.
        silver: what the banker had before the hand, if that is known.

    Returns:
        The verdict, or one fault if an amount cannot be recorded. Rule: CM-1.
    """
    banker = record.banker
    results: dict[Door | int, DoorResult] = {
        door: compare_hands(door, strengths[number], strengths[0]) for number, door in enumerate(Door, 1)
    }
    steps, net = _pay_bets(banker, sums, results)
    amounts = [step.amount for step in steps]
    # No single amount and no net result is more than all of them together.
    if not is_int64(sum(amounts)) and not all(map(is_int64, (*net.values(), *amounts))):
        text = "an amount of this hand does not fit into 64 bits; the bets must be smaller"
        return (Fault(rule="CM-1", section="result", text=text),)

    is_beaten_by_all = all(result.beats_banker for result in results.values())
    had = silver.get(banker)
    shortfall = 0 if had is None else max(0, -net[banker] - max(0, had))
    is_penniless = had is not None and had + net[banker] <= 0
    successor = None
    if record.seats and rules.banker_mode is BankerMode.SEATS:
        successor = next_banker(banker, record.seats, steps_down=is_beaten_by_all or is_penniless)
    outcome = JiuDianBanOutcome(
        (_judged("banker", strengths[0]), *[result.hand for result in results.values()]),
        is_beaten_by_all,
        None if turned_card is None else deal_start(turned_card),
        shortfall,
        successor,
    )
    return Verdict(Ended.NORMAL, tuple(net), tuple(steps), outcome)


@cache
def compare_hands(door: Door, strength: int, banker_strength: int) -> DoorResult:
    """Who wins a door: a tie is the banker's, and his own hand never multiplies. Rule: JD-8, JD-9.

    There are some three thousand pairs of hands: each is put into words once.
    """
    hand, banker_hand = hand_text(strength), hand_text(banker_strength)
    hand_zh, banker_hand_zh = f"{DOOR_TITLES[door]} {hand_title(strength)}", f"庄家{hand_title(banker_strength)}"
    if strength <= banker_strength:
        return DoorResult(
            hand=_judged(door, strength),
            beats_banker=False,
            payout=1,
            factors=(),
            why=f"{door} {hand} does not beat the banker's {banker_hand}, ",
            why_zh=f"{hand_zh}不胜{banker_hand_zh}，",
            times=" = ",
            times_zh="(注)=",
        )
    payout = payout_of(strength)
    return DoorResult(
        hand=_judged(door, strength, payout),
        beats_banker=True,
        payout=payout,
        factors=(Factor("JD-9", hand_class(strength), payout),) if payout > 1 else (),
        why=f"{door} {hand} beats the banker's {banker_hand}, ",
        why_zh=f"{hand_zh}胜{banker_hand_zh}，",
        times=f" × {hand} {payout} = " if payout > 1 else " = ",
        times_zh=f"(注)×{payout}({hand_title(strength)})=" if payout > 1 else "(注)=",
    )


def _pay_bets(
    banker: str, sums: BetSums, results: Mapping[Door | int, DoorResult]
) -> tuple[list[Step], dict[str, int]]:
    """The bets of each bettor on each door, paid by him or by the banker, and what everybody wins or loses by them.

    The banker stands first, then the bettors by their first bet. Rule: JD-9.
    """
    steps = []
    net = {banker: 0}
    for (bettor, door), bet in sums.items():
        _hand, beats_banker, payout, factors, why, why_zh, times, times_zh = results[door]
        amount = bet * payout
        bet_text, amount_text = str(bet), str(amount)  # each stands in both languages
        if beats_banker:
            payer, payee, won = banker, bettor, amount
            text = f"{why}{banker} pays {bettor}: bet {bet_text}{times}{amount_text}"
            text_zh = f"{why_zh}庄家付{bettor}：{bet_text}{times_zh}{amount_text}"
        else:
            payer, payee, won = bettor, banker, -amount
            text = f"{why}{bettor} pays: bet {bet_text}{times}{amount_text}"
            text_zh = f"{why_zh}{bettor}付：{bet_text}{times_zh}{amount_text}"
        factors = (factor_of(("JD-9", "bet", bet)), *factors)
        steps.append(step_of(("JD-9", payer, payee, amount, factors, text, text_zh)))
        net[bettor] = net.get(bettor, 0) + won
    net[banker] = -sum(net.values())
    return steps, net


def _judged(name: str, strength: int, payout: int = 0) -> JudgedHand:
    """A hand in the outcome; ``payout`` is that of a door that wins."""
    return JudgedHand(str(name), hand_class(strength), half_points_of(strength), payout > 0, payout or 1)
