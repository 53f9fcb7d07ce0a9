"""A mistake is reversed, never edited: which hands can be reversed, and which may be settled again.

A hand is settled once and reversed at most once; a reversed hand may be settled again under a new hand id that names
the old one. Rule: CM-11. Source: house.
"""

from enum import StrEnum

from zhangfang.rules.verdict import Fault, Faults


class HandStanding(StrEnum):
    """What the ledger knows of a hand id. Rule: CM-11.

    UNKNOWN: nothing was settled under it. SETTLED: its postings stand. REVERSED: they were taken back. REPLACED: they
    were taken back and the hand was settled again under another id, whose postings stand; once those are taken back
    too, the hand is REVERSED again and may be settled once more.
    """

    UNKNOWN = "UNKNOWN"
    SETTLED = "SETTLED"
    REVERSED = "REVERSED"
    REPLACED = "REPLACED"


def check_reversal(hand_id: str, standing: HandStanding, actor: str, reason: str) -> Faults:
    """Refuse a reversal of a hand that is not settled or was reversed before, or one that nobody answers for.

    Args:
        hand_id: the hand to be reversed.
        standing: what the ledger knows of it.
        actor: who reverses; blank is nobody.
        reason: why; blank is none.

    Rule: CM-11.
    """
    faults = []
    if standing is HandStanding.UNKNOWN:
        faults.append(f"hand {hand_id} was never settled; only a settled hand can be reversed")
    elif standing is not HandStanding.SETTLED:
        faults.append(f"hand {hand_id} was reversed before; a hand can be reversed once")
    missing = " and no ".join([name for name, word in (("actor", actor), ("reason", reason)) if not word.strip()])
    if missing:
        faults.append(f"the reversal of hand {hand_id} names no {missing}; it needs an actor and a reason")
    return tuple([Fault(rule="CM-11", text=text) for text in faults])


def check_hand_id(hand_id: str, standing: HandStanding) -> Faults:
    """Refuse to settle a second hand under one id, whatever became of the first. Rule: CM-11."""
    if standing is HandStanding.UNKNOWN:
        return ()
    text = f"hand {hand_id} was settled before; a hand id is used once, and after a reversal a new one names the old"
    return (Fault(rule="CM-11", text=text),)


def check_replacement(replaces_hand_id: str, standing: HandStanding) -> Faults:
    """Refuse to settle a hand again while its postings, or those of another replacement, stand. Rule: CM-11.

    Args:
        replaces_hand_id: the hand that is settled again.
        standing: what the ledger knows of that hand.
    """
    if standing is HandStanding.REVERSED:
        return ()
    why = {
        HandStanding.UNKNOWN: "was never settled",
        HandStanding.SETTLED: "is not reversed",
        HandStanding.REPLACED: "was settled again before",
    }
    text = f"hand {replaces_hand_id} {why[standing]}; only a reversed hand can be settled again, and once"
    return (Fault(rule="CM-11", text=text),)
