"""二人鬥地主: one reference hand, through the wire and the codec to the judge, and back into the words of the format.

What a typed message cannot say becomes its fault here, at its place in the order of judging: a house rule that does not
exist or has a value of another type, a stake or a number beyond 64 bits, a seat that is none.
"""

from typing import Any

from zhangfang.contract.games.er_ren_dou_di_zhu import CODEC
from zhangfang.rules.verdict import Fault, Verdict, is_int64
from zhangfang.wire.games.v1 import cards_pb2
from zhangfang.wire.games.v1 import er_ren_dou_di_zhu_pb2 as wire

WORDS = {"call": 1, "pass": 2, "rob": 3, "decline": 4}
UNKNOWN_WORD = 99
UNKNOWN_SEAT = -1
SETTINGS = ("stake", "rules")


def judge_line(hand: dict[str, Any]) -> dict[str, Any]:
    """Judge the ``hand`` of a line."""
    stake, stake_faults = build_stake(hand["stake"])
    rules, rule_faults = build_rules(hand.get("rules") or {})
    record = build_hand(hand)

    result = CODEC.game.judge(
        CODEC.read_hand(wire.ErRenDouDiZhuHand.FromString(record.SerializeToString())),
        CODEC.read_rules(wire.ErRenDouDiZhuRules.FromString(rules.SerializeToString())),
        stake,
        {},
    )
    untyped = [*stake_faults, *rule_faults]
    if isinstance(result, Verdict):
        return write_faults(untyped) if untyped else write_verdict(result)
    if untyped:
        result = [fault for fault in result if is_judged_despite_settings(fault)]
    return write_faults(sorted([*untyped, *result], key=place_in_order))


def is_judged_despite_settings(fault: Fault) -> bool:
    """Whether a fault was found without knowing what the stake and the house rules say: not in the play or after."""
    return fault.rule != "CM-1" and fault.section not in {"plays", "escape"}


def place_in_order(fault: Fault) -> int:
    """Where a fault stands among the others: the settings come first."""
    return SETTINGS.index(fault.section) if fault.section in SETTINGS else len(SETTINGS)


def build_stake(value: Any) -> tuple[int, list[Fault]]:
    """The stake; one that is no number, or none that a message can carry, is a fault."""
    if is_integer(value) and is_int64(value):
        return value, []
    rule = "CM-1" if is_integer(value) and value > 0 else "CM-9"
    return 1, [Fault(rule=rule, section="stake", action=0, field="stake", text=f"no stake: {value}")]


def build_rules(overrides: dict[str, Any]) -> tuple[wire.ErRenDouDiZhuRules, list[Fault]]:
    """The rules message, and a fault for each house rule that it cannot carry."""
    message = wire.ErRenDouDiZhuRules()
    faults = []
    for field, value in overrides.items():
        if field == "rob_multipliers" and is_list_of_numbers(value):
            message.rob_multipliers.extend(value)
        elif field == "distinct_single_wings" and isinstance(value, bool):
            message.distinct_single_wings = value
        elif field in {"call_rang_pai", "bomb_factor"} and is_integer(value) and is_int64(value):
            setattr(message, field, value)
        else:
            text = f"house rule {field} cannot be {value}"
            faults.append(Fault(rule="CM-4", section="rules", action=0, field=field, text=text))
    return message, faults


def is_list_of_numbers(value: Any) -> bool:
    """Whether a list can be told from the default: an empty one on the wire says "left out"."""
    return isinstance(value, list) and bool(value) and all(is_integer(item) and is_int64(item) for item in value)


def is_integer(value: Any) -> bool:
    """Whether JSON gave a whole number; true and false are none."""
    return isinstance(value, int) and not isinstance(value, bool)


def build_hand(hand: dict[str, Any]) -> wire.ErRenDouDiZhuHand:
    """The hand's message."""
    message = wire.ErRenDouDiZhuHand(
        players=hand["players"],
        deal=wire.ErRenDouDiZhuDeal(hands=hand["deal"], bottom=hand["bottom"], call_card=hand["call_card"] or ""),
        auction=[
            wire.ErRenDouDiZhuAuctionAction(seat=seat_number(seat), kind=WORDS.get(word, UNKNOWN_WORD))  # type: ignore[arg-type]
            for seat, word in hand["auction"]
        ],
        plays=[cards_pb2.Play(seat=seat_number(seat), cards=cards) for seat, cards in hand["plays"]],
    )
    if hand.get("rang_xian") is not None:
        message.rang_xian = hand["rang_xian"]
    if hand.get("escape") is not None:
        message.escape.seat = seat_number(hand["escape"]["seat"])
    return message


def seat_number(seat: Any) -> int:
    """A seat that a message can carry; any that it cannot is nobody's."""
    return seat if is_integer(seat) and -(2**31) <= seat < 2**31 else UNKNOWN_SEAT


def write_faults(faults: Any) -> dict[str, Any]:
    """Faults in the words of the format."""
    return {
        "faults": [
            {
                "rule": fault.rule,
                "in": fault.section,
                "action": fault.action,
                "player": fault.player,
                "card": fault.card,
                "field": fault.field,
                "text": fault.text,
            }
            for fault in faults
        ]
    }


def write_verdict(verdict: Verdict) -> dict[str, Any]:
    """Net amounts, facts and steps in the words of the format."""
    net = dict.fromkeys(verdict.seats, 0)
    system: dict[str, int] = {}
    for step in verdict.steps:
        net[step.payer] -= step.amount
        receiver = net if step.payee in net else system
        receiver[step.payee] = receiver.get(step.payee, 0) + step.amount
    outcome = verdict.outcome
    facts = {
        "landlord": outcome.landlord,
        "robs": outcome.robs,
        "rang_xian": outcome.rang_xian,
        "rang_pai": outcome.rang_pai,
        "spring": outcome.spring,
        "anti_spring": outcome.anti_spring,
        "bombs": outcome.bombs,
        "multiplier": outcome.multiplier,
        "winner": outcome.winner,
        "winner_side": outcome.winner_side,
        "redeal": outcome.redeal,
        "escape": outcome.escape,
        "cards_left": list(outcome.cards_left),
        "tong_tian_shun": list(outcome.tong_tian_shun),
    }
    steps = {
        step.payer: {
            "from": step.payer,
            "to": step.payee,
            "amount": step.amount,
            "factors": [{"rule": f.rule, "name": f.name, "factor": f.factor} for f in step.factors],
            "text": step.text,
            "text_zh": step.text_zh,
        }
        for step in verdict.steps
    }
    return {"net": net, "system": system, "facts": facts, "steps": steps}
