"""九點半: one reference hand, through the wire and the codec to the judge, and back into the words of the format.

What a typed message cannot say (a house rule that does not exist, a list of no seats) becomes its fault here, at its
place in the order of judging; then the bets are not judged. The first banker and the list of bankers are no hands and
go to the rules directly.
"""

from collections.abc import Iterable
from typing import Any

from zhangfang.contract.games.jiu_dian_ban import CODEC
from zhangfang.rules.games.jiu_dian_ban import bankers
from zhangfang.rules.games.jiu_dian_ban.settlement import JiuDianBanOutcome
from zhangfang.rules.verdict import INT64_MAX, INT64_MIN, Fault, Verdict, is_int64
from zhangfang.wire.games.v1 import jiu_dian_ban_pb2 as wire

ENUMS = {
    "card_values": wire.JiuDianBanRules.CardValues,
    "pair_ranking": wire.JiuDianBanRules.PairRanking,
    "bet_cap": wire.JiuDianBanRules.BetCap,
    "banker_mode": wire.JiuDianBanRules.BankerMode,
}
DOORS = {"shang": wire.DOOR_SHANG, "tian": wire.DOOR_TIAN, "xia": wire.DOOR_XIA}
UNKNOWN_VALUE = 99
DEFAULT_STAKE_SILVER = 1


def judge_line(hand: dict[str, Any]) -> dict[str, Any]:
    """Judge the ``hand`` of a line."""
    match hand.get("kind", "hand"):
        case "first_banker":
            return judge_draws(hand)
        case "queue":
            return judge_queue(hand)
        case _:
            return judge_hand(hand)


def judge_hand(hand: dict[str, Any]) -> dict[str, Any]:
    """A whole hand."""
    rules, untyped = build_rules(hand.get("rules") or {})
    record = build_record(hand)
    silver = {**(hand.get("bettor_silver") or {})}
    if hand.get("banker_silver") is not None:
        silver[hand["banker"]] = hand["banker_silver"]
    too_large = find_too_large(hand.get("bets") or [])
    if hand.get("seats") == []:
        untyped.append(Fault(rule="JD-1", section="seats", field="seats", text="a table has four seats"))

    result = CODEC.game.judge(
        CODEC.read_hand(wire.JiuDianBanHand.FromString(record.SerializeToString())),
        CODEC.read_rules(wire.JiuDianBanRules.FromString(rules.SerializeToString())),
        hand.get("stake", DEFAULT_STAKE_SILVER),
        silver,
    )
    if isinstance(result, Verdict):
        return write_faults(untyped or too_large) if untyped or too_large else write_verdict(result)
    if untyped:  # with a faulty structure neither bets nor amounts are judged
        result = tuple(fault for fault in result if fault.section not in ("bets", "result"))
    return write_faults(sorted([*untyped, *result], key=place_in_order))


def place_in_order(fault: Fault) -> int:
    """Where a fault stands: structure (stake, rules, the rest), cards, bets, result."""
    if fault.section == "deal":
        return 2 if fault.card is None else 4
    return {"stake": 0, "rules": 1, "banker": 2, "seats": 3, "bets": 5}.get(fault.section or "", 6)


def build_record(hand: dict[str, Any]) -> wire.JiuDianBanHand:
    """The hand as a message; a door that does not exist is a number that nobody knows."""
    cards = hand.get("cards") or {}
    deal = wire.JiuDianBanDeal(turned_card=hand.get("turned_card") or "")
    for name in ("banker", "shang", "tian", "xia"):
        setattr(deal, name, cards.get(name) or "")
    bets = [
        wire.JiuDianBanBet(
            player=player, door=DOORS.get(door, UNKNOWN_VALUE), silver=min(max(silver, INT64_MIN), INT64_MAX)
        )
        for player, door, silver in hand.get("bets") or []
    ]
    return wire.JiuDianBanHand(banker=hand["banker"], bets=bets, deal=deal, seats=hand.get("seats") or [])


def find_too_large(bets: list[list[Any]]) -> list[Fault]:
    """Bets that no message can carry; they are sent as large as one can, and matter if nothing else is wrong."""
    return [
        Fault(
            rule="CM-1", section="result", player=player, bet=index, text=f"a bet of {silver} does not fit into 64 bits"
        )
        for index, (player, _, silver) in enumerate(bets)
        if not is_int64(silver)
    ]


def build_rules(overrides: dict[str, Any]) -> tuple[wire.JiuDianBanRules, list[Fault]]:
    """The rules message, and a fault for each house rule that it has no field for."""
    message = wire.JiuDianBanRules()
    untyped = []
    for field, value in overrides.items():
        if field in ENUMS:
            names = dict(ENUMS[field].items())
            setattr(message, field, names.get(f"{field.upper()}_{value}", 0) or UNKNOWN_VALUE)
        else:
            untyped.append(Fault(rule="CM-4", section="rules", field=field, text=f"no house rule {field} = {value}"))
    return message, untyped


def judge_draws(hand: dict[str, Any]) -> dict[str, Any]:
    """Who banks first. Rule: JD-12."""
    result = bankers.first_banker([(player, card) for player, card in hand["draws"]])
    return write_facts({"banker": result}) if isinstance(result, str) else write_faults(result)


def judge_queue(hand: dict[str, Any]) -> dict[str, Any]:
    """The list of bankers, event by event up to the first refused one. Rule: JD-14."""
    queue = bankers.BankerQueue()
    silver = dict(hand["silver"])
    served = []
    for number, (event, *arguments) in enumerate(hand["events"]):
        result: bankers.BankerQueue | Fault
        match event, arguments:
            case "apply", [player]:
                result = bankers.apply(queue, player, silver.get(player, 0))
            case "leave", [player]:
                result = bankers.leave(queue, player)
            case "step_down", [player]:
                result = bankers.step_down(queue, player)
            case "open", _:
                result = bankers.open_hand(queue, silver)
            case _:
                for player, change in (arguments[0] if arguments else {}).items():
                    silver[player] = silver.get(player, 0) + change
                result = bankers.close_hand(queue, silver)
        if isinstance(result, Fault):
            return {"faults": [write_fault(result) | {"event": number}]}
        queue = result
        if event == "open":
            served.append(queue.banker)
    return write_facts({"bankers": served, "queue": list(queue.players), "banker_now": queue.banker})


def write_facts(facts: dict[str, Any]) -> dict[str, Any]:
    """Facts without money."""
    return {"net": {}, "system": {}, "facts": facts, "steps": []}


def write_fault(fault: Fault) -> dict[str, Any]:
    """A fault in the words of the format."""
    return {
        "rule": fault.rule,
        "player": fault.player,
        "bet": fault.bet,
        "hand": fault.hand,
        "card": fault.card,
        "field": fault.field,
        "text": fault.text,
    }


def write_faults(faults: Iterable[Fault]) -> dict[str, Any]:
    """Faults in the words of the format."""
    return {"faults": [write_fault(fault) for fault in faults]}


def write_verdict(verdict: Verdict) -> dict[str, Any]:
    """Net amounts, facts and steps in the words of the format."""
    outcome: JiuDianBanOutcome = verdict.outcome
    net = dict.fromkeys(verdict.seats, 0)
    for step in verdict.steps:
        net[step.payer] -= step.amount
        net[step.payee] += step.amount
    facts: dict[str, Any] = {
        "hands": {
            judged.name: {"class": judged.hand_class, "half_points": judged.half_points} for judged in outcome.hands
        },
        "doors": {
            judged.name: {"winner": "door" if judged.beats_banker else "banker", "factor": judged.factor}
            for judged in outcome.hands[1:]
        },
        "banker_beaten_by_all": outcome.banker_beaten_by_all,
        "deal_start": outcome.deal_start,
        "banker_shortfall": outcome.banker_shortfall,
    }
    if outcome.next_banker is not None:
        facts["next_banker"] = outcome.next_banker
    steps = [
        {
            "rule": step.rule,
            "from": step.payer,
            "to": step.payee,
            "factors": {"bet": step.factors[0].factor, "factor": step.amount // step.factors[0].factor},
            "amount": step.amount,
            "text": step.text,
            "text_zh": step.text_zh,
        }
        for step in verdict.steps
    ]
    return {"net": net, "system": {}, "facts": facts, "steps": steps}
