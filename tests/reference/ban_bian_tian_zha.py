"""半邊天炸: one reference hand, through the wire and the codec to the judge, and back into the words of the format.

What a typed message cannot say (a house rule that does not exist, a stake that is no whole number) becomes its fault
here, at its place in the order of judging: stake, house rules, cards, choices, plays.
"""

from typing import Any

from zhangfang.contract.games.ban_bian_tian_zha import CODEC
from zhangfang.rules.verdict import Fault, Verdict, is_int64
from zhangfang.wire.games.v1 import ban_bian_tian_zha_pb2 as wire
from zhangfang.wire.games.v1.cards_pb2 import Play

ENUMS = {"first_lead": wire.BanBianTianZhaRules.FirstLead, "lead_after_out": wire.BanBianTianZhaRules.LeadAfterOut}
SWITCHES = ("surrender_counts_chui", "negative_requires_transfer")
UNKNOWN_VALUE = 99
NOWHERE = -1
ORDER = ("stake", "rules", "players", "deal", "chui", "bank", "dou", "lei", "plays")


def judge_line(hand: dict[str, Any]) -> dict[str, Any]:
    """Judge the ``hand`` of a line."""
    rules, untyped = build_rules(hand.get("rules") or {})
    stake, stake_faults = build_stake(hand.get("stake"))
    record = build_hand(hand)

    result = CODEC.game.judge(
        CODEC.read_hand(wire.BanBianTianZhaHand.FromString(record.SerializeToString())),
        CODEC.read_rules(wire.BanBianTianZhaRules.FromString(rules.SerializeToString())),
        stake,
        {},
    )
    untyped = [*stake_faults, *untyped]
    if isinstance(result, Verdict):
        return write_faults(untyped) if untyped else write_verdict(result)
    if untyped:  # whether the amounts fit is asked of a hand without other faults
        result = tuple(fault for fault in result if fault.rule != "CM-1")
    return write_faults(sorted([*untyped, *result], key=lambda fault: ORDER.index(fault.section)))


def build_stake(stake: Any) -> tuple[int, list[Fault]]:
    """The stake, or its fault if it is no whole number; one that is merely too large is found by its amounts."""
    if isinstance(stake, int) and not isinstance(stake, bool):
        return stake, []
    return 1, [Fault(rule="CM-9", section="stake", field="stake", text=f"the stake is {stake}, no whole silver")]


def build_rules(overrides: dict[str, Any]) -> tuple[wire.BanBianTianZhaRules, list[Fault]]:
    """The rules message, and a fault for each house rule that it has no field for."""
    message = wire.BanBianTianZhaRules()
    untyped = []
    for field, value in overrides.items():
        if field in ENUMS:
            number = dict(ENUMS[field].items()).get(f"{field.upper()}_{value}", 0)
            setattr(message, field, number or UNKNOWN_VALUE)
        elif field in SWITCHES and isinstance(value, bool):
            setattr(message, field, value)
        elif field == "kai_da_factor" and type(value) is int and is_int64(value):
            message.kai_da_factor = value
        else:
            untyped.append(Fault(rule="CM-4", section="rules", field=field, text=f"no house rule {field} = {value}"))
    return message, untyped


def build_hand(hand: dict[str, Any]) -> wire.BanBianTianZhaHand:
    """The hand's message. A dou by the banker and a chui too many can be said in it, so the rules find them."""
    words = dict(wire.BanBianTianZhaBankAction.Kind.items())
    bank = [
        wire.BanBianTianZhaBankAction(seat=seat_of(seat), kind=words.get(f"KIND_{word}".upper(), UNKNOWN_VALUE))
        for seat, word in hand.get("bank") or []
    ]
    dou = [
        wire.BanBianTianZhaDou(seat=seat, dou=said)
        for seat, said in enumerate(hand.get("dou") or [])
        if isinstance(said, bool)
    ]
    return wire.BanBianTianZhaHand(
        players=hand["players"],
        deal=wire.BanBianTianZhaDeal(hands=hand.get("deal") or []),
        chui=build_chui(hand.get("chui") or []),
        bank=bank,
        dou=dou,
        lei=hand.get("lei"),
        plays=[Play(seat=seat_of(seat), cards=cards) for seat, cards in hand.get("plays") or []],
    )


def build_chui(said: list[Any]) -> list[bool]:
    """What was said before the first silent seat: a list of yes and no has no place for silence."""
    silent = next((seat for seat, chui in enumerate(said) if not isinstance(chui, bool)), len(said))
    return said[:silent]


def seat_of(seat: Any) -> int:
    """A seat as the wire has it; a number that is none there becomes a seat where nobody sits."""
    return seat if type(seat) is int and -(2**31) <= seat < 2**31 else NOWHERE


def write_faults(faults: Any) -> dict[str, Any]:
    """Faults in the words of the format."""
    return {
        "faults": [
            {
                "rule": fault.rule,
                "in": fault.section,
                "action": fault.action or 0,
                "player": fault.player,
                **({"card": fault.card} if fault.card is not None else {}),
                **({"field": fault.field} if fault.field is not None else {}),
                "text": fault.text,
            }
            for fault in faults
        ]
    }


def write_verdict(verdict: Verdict) -> dict[str, Any]:
    """Net amounts, facts and steps in the words of the format; the steps by the name of who is no banker."""
    outcome = verdict.outcome
    net = dict.fromkeys(verdict.seats, 0)
    for step in verdict.steps:
        net[step.payer] -= step.amount
        net[step.payee] += step.amount
    facts = {
        "how": outcome.how,
        "banker": outcome.banker,
        "surrendered": outcome.surrendered,
        "first_leader": outcome.first_leader,
        "captured": write_points(outcome.captured),
        "gave_20": outcome.gave_20,
        "after_transfer": write_points(outcome.after_transfer),
        "finishing_order": list(outcome.finishing_order),
        "first_out": outcome.first_out,
        "negative": outcome.negative,
        "winner": outcome.winner,
        "idlers": {
            str(idler.seat): {
                "factors": [[factor.name, factor.factor] for factor in idler.factors],
                "multiplier": idler.multiplier,
            }
            for idler in outcome.idlers
        },
    }
    steps = {
        verdict.seats[idler.seat]: {
            "from": step.payer,
            "to": step.payee,
            "amount": step.amount,
            "factors": [{"rule": each.rule, "name": each.name, "factor": each.factor} for each in step.factors],
            "text": step.text,
            "text_zh": step.text_zh,
        }
        for idler, step in zip(outcome.idlers, verdict.steps, strict=True)
    }
    return {"net": net, "system": {}, "facts": facts, "steps": steps}


def write_points(points: Any) -> dict[str, int] | None:
    """The points of both sides."""
    return points and {"banker": points.banker, "idlers": points.idlers}
