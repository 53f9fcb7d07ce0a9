"""What a table may agree on: its stake and its house rules, and what they may not be.

Rule: CM-1, CM-4, CM-9, DZ-5, DZ-7, DZ-24, DZ-29.
"""

from zhangfang.rules.game import unknown_value
from zhangfang.rules.games.er_ren_dou_di_zhu.auction import ROBS_MAX
from zhangfang.rules.games.er_ren_dou_di_zhu.record import ErRenDouDiZhuRules
from zhangfang.rules.verdict import INT64_MAX, Fault, Faults, is_int64

CALL_RANG_PAI_MAX = INT64_MAX - ROBS_MAX - 3
"""Room for what four robs and rang_xian add, so that rang_pai can be recorded."""


_ROB_MULTIPLIERS = f"{ROBS_MAX + 1} numbers from 1 to {INT64_MAX}"
_CALL_RANG_PAI = f"0 to {CALL_RANG_PAI_MAX}"


def check_stake(stake: int) -> Faults:
    """The stake is at least 1 silver and can be recorded. Rule: CM-9, CM-1."""
    if stake < 1:
        text = f"the stake is {stake}; a table plays for at least 1 silver"
        return (Fault(rule="CM-9", section="stake", action=0, field="stake", text=text),)
    if not is_int64(stake):
        text = f"the stake is {stake}; an amount is at most {INT64_MAX}"
        return (Fault(rule="CM-1", section="stake", action=0, field="stake", text=text),)
    return ()


def check_house_rules(rules: ErRenDouDiZhuRules) -> Faults:
    """Every house rule with a value it cannot have. Rule: CM-4."""
    multipliers = rules.rob_multipliers
    are_five = len(multipliers) == ROBS_MAX + 1 and 1 <= min(multipliers) <= max(multipliers) <= INT64_MAX
    checks = (
        ("rob_multipliers", _ROB_MULTIPLIERS, are_five),
        ("call_rang_pai", _CALL_RANG_PAI, 0 <= rules.call_rang_pai <= CALL_RANG_PAI_MAX),
        ("bomb_factor", "1, 2", rules.bomb_factor in (1, 2)),
    )
    return tuple(
        [
            Fault(rule="CM-4", section="rules", action=0, field=field, text=_describe(rules, field, allowed))
            for field, allowed, is_allowed in checks
            if not is_allowed
        ]
    )


def _describe(rules: ErRenDouDiZhuRules, field: str, allowed: str) -> str:
    """The sentence for one house rule."""
    return unknown_value(field, getattr(rules, field), allowed)
