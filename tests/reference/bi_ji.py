"""比機: one reference hand, through the wire and the codec to the judge, and back into the words of the format.

What a typed message cannot say (a house rule that does not exist) becomes its fault here, at its place in the order of
judging: players, stake, rules, layouts.
"""

from typing import Any

from zhangfang.contract.games.bi_ji import CODEC
from zhangfang.rules.verdict import Fault, Verdict
from zhangfang.wire.games.v1 import bi_ji_pb2 as wire

ENUMS = {"flush_compare": wire.BiJiRules.FlushCompare, "late_layout": wire.BiJiRules.LateLayout}
UNKNOWN_VALUE = 99
ORDER = ("players", "stake", "rules", "layouts", "result")


def judge_line(hand: dict[str, Any]) -> dict[str, Any]:
    """Judge the ``hand`` of a line."""
    rules, untyped = build_rules(hand.get("rules") or {})
    layouts = [build_layout(layout) for layout in hand["layouts"]]
    record = wire.BiJiHand(players=hand["players"], layouts=layouts)

    result = CODEC.game.judge(
        CODEC.read_hand(wire.BiJiHand.FromString(record.SerializeToString())),
        CODEC.read_rules(wire.BiJiRules.FromString(rules.SerializeToString())),
        hand["stake"],
        {},
    )
    if isinstance(result, Verdict):
        return write_faults(untyped) if untyped else write_verdict(result)
    if untyped:  # whether the amounts fit is asked of a hand without other faults
        result = tuple(fault for fault in result if fault.rule != "CM-1")
    return write_faults(sorted([*untyped, *result], key=place_in_order))


def place_in_order(fault: Fault) -> int:
    """Where a fault stands: a layout without a player is one of the players' faults."""
    if fault.section == "layouts" and fault.player is None:
        return 0
    return ORDER.index(fault.section or "result")


def build_layout(layout: Any) -> wire.BiJiLayout:
    """Three groups; nine cards in one string, or an object, for who did not lay in time."""
    if isinstance(layout, str):
        return wire.BiJiLayout(unlaid=layout)
    if isinstance(layout, dict):
        return wire.BiJiLayout(groups=layout.get("groups", []), unlaid=layout.get("unlaid", ""))
    return wire.BiJiLayout(groups=layout or [])


def build_rules(overrides: dict[str, Any]) -> tuple[wire.BiJiRules, list[Fault]]:
    """The rules message, and a fault for each house rule that it has no field for."""
    message = wire.BiJiRules()
    untyped = []
    for field, value in overrides.items():
        if field in ENUMS:
            setattr(message, field, enum_number(field, value))
        elif field == "joker_pair" and isinstance(value, bool):
            message.joker_pair = value
        else:
            untyped.append(Fault(rule="CM-4", section="rules", field=field, text=f"no house rule {field} = {value}"))
    return message, untyped


def enum_number(field: str, value: Any) -> int:
    """The number of an enum value, or one that nobody knows, which the rules must find."""
    names = dict(ENUMS[field].items())
    number = names.get(f"{field.upper()}_{value}", 0)
    return number or UNKNOWN_VALUE


def write_faults(faults: Any) -> dict[str, Any]:
    """Faults in the words of the format."""
    return {
        "faults": [
            {
                "rule": fault.rule,
                "player": fault.player,
                "pot": fault.pot,
                "card": fault.card,
                "field": fault.field,
                "text": fault.text,
            }
            for fault in faults
        ]
    }


def write_verdict(verdict: Verdict) -> dict[str, Any]:
    """Net amounts, facts and steps in the words of the format."""
    outcome = verdict.outcome
    net = dict.fromkeys(verdict.seats, 0)
    for step in verdict.steps:
        net[step.payer] -= step.amount
        net[step.payee] += step.amount
    royalties: dict[str, list[list[Any]]] = {player: [] for player in verdict.seats}
    for royalty in outcome.royalties:
        royalties[royalty.player].append([royalty.name, royalty.units])
    facts = {
        "groups": {player: [pot.groups[seat] for pot in outcome.pots] for seat, player in enumerate(verdict.seats)},
        "ranking": [list(pot.ranking) for pot in outcome.pots],
        "pot_winners": [pot.ranking[0] for pot in outcome.pots],
        "royalty_unit": outcome.royalty_unit,
        "royalties": royalties,
        "next_deal_seat": outcome.next_deal_seat,
        "next_deal_player": verdict.seats[outcome.next_deal_seat],
    }
    steps = [
        {
            "rule": step.rule,
            "from": step.payer,
            "to": step.payee,
            "factors": {factor.name: factor.factor for factor in step.factors},
            "amount": step.amount,
            "text": step.text,
            "text_zh": step.text_zh,
        }
        for step in verdict.steps
    ]
    return {"net": net, "system": {}, "facts": facts, "steps": steps}
