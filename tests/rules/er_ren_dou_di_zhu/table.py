"""One hand of 二人鬥地主 to read and to break: Ann calls, plays a bomb, and wins with her last card."""

from dataclasses import replace
from typing import Any

from zhangfang.rules.games.er_ren_dou_di_zhu import GAME
from zhangfang.rules.games.er_ren_dou_di_zhu.record import (
    AuctionAction,
    ErRenDouDiZhuDeal,
    ErRenDouDiZhuHand,
    ErRenDouDiZhuRules,
    Word,
)
from zhangfang.rules.verdict import Fault, Verdict

RULES = ErRenDouDiZhuRules()

DEAL = ErRenDouDiZhuDeal(
    hands=(
        "5s 5h 5c 6s 6h 6c 7s 8s 9s Ts Js Qs Ks As 2s 2h w",
        "5d 6d 7h 7d 8h 8d 9h 9d Th Td Jh Jd Qh Qd Kh Kd W",
    ),
    bottom="2c 2d Ad",
    call_card="5s",
)

PLAYS = (
    (0, "7s 8s 9s Ts Js Qs Ks As"),
    (1, ""),
    (0, "5s 5h 5c 6s 6h 6c"),
    (1, ""),
    (0, "2s 2h 2c 2d"),
    (1, ""),
    (0, "w"),
    (1, "W"),
    (0, ""),
    (1, "7h 7d 8h 8d 9h 9d Th Td Jh Jd Qh Qd Kh Kd"),
    (0, ""),
    (1, "5d"),
    (0, "Ad"),
)


def say(words: str, first: int = 0) -> tuple[AuctionAction, ...]:
    """Words spoken in turn: ``say("call rob decline")``."""
    return tuple([AuctionAction((first + index) % 2, Word(word)) for index, word in enumerate(words.split())])


HAND = ErRenDouDiZhuHand(
    players=("Ann", "Bo"), deal=DEAL, auction=say("call decline"), rang_xian=False, plays=PLAYS, escape=None
)


def change(hand: ErRenDouDiZhuHand = HAND, **changes: Any) -> ErRenDouDiZhuHand:
    """The hand with other fields; ``hands``, ``bottom`` and ``call_card`` change its deal."""
    of_the_deal = {name: changes.pop(name) for name in ("hands", "bottom", "call_card") if name in changes}
    if of_the_deal:
        assert hand.deal is not None
        changes["deal"] = replace(hand.deal, **of_the_deal)
    return replace(hand, **changes)


def settle(hand: ErRenDouDiZhuHand, rules: ErRenDouDiZhuRules = RULES, stake: int = 1) -> Verdict:
    """The verdict on a hand that must be legal."""
    verdict = GAME.judge(hand, rules, stake, {})
    assert isinstance(verdict, Verdict), verdict
    return verdict


def find_faults(hand: ErRenDouDiZhuHand, rules: ErRenDouDiZhuRules = RULES, stake: int = 1) -> tuple[Fault, ...]:
    """The faults of a hand that must have some."""
    faults = GAME.judge(hand, rules, stake, {})
    assert isinstance(faults, tuple), faults
    assert faults
    return faults


def place(fault: Fault) -> tuple[str, str | None, int | None, str | None]:
    """What a fault table compares: rule, section, action, player."""
    return fault.rule, fault.section, fault.action, fault.player
