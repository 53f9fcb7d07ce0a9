"""A verdict as the message that is stored and shown: steps, outcome, rules and record together."""

from typing import Any

from zhangfang.contract.enums import ENDED
from zhangfang.contract.games import CODECS
from zhangfang.rules.verdict import Fault, Faults, Step, Verdict
from zhangfang.wire.v1 import money_pb2, settlement_pb2


def write_judgement(
    game: str,
    stake: int,
    house_rules: Any,
    record: Any,
    verdict: Verdict,
    recorded: settlement_pb2.HandRecord | None = None,
) -> settlement_pb2.Judgement:
    """The Judgement message of a verdict; ``recorded`` is the record's message if it came as one."""
    codec = CODECS[game]
    message = settlement_pb2.Judgement(players=verdict.seats, stake=stake, ended=ENDED.to_wire[verdict.ended])
    getattr(message.rules, game).CopyFrom(codec.write_rules(house_rules))
    if recorded:
        message.record.CopyFrom(recorded)
    else:
        getattr(message.record, game).CopyFrom(codec.write_hand(record))
    getattr(message.outcome, game).CopyFrom(codec.write_outcome(verdict.outcome))
    add_step = message.steps.add
    for step in verdict.steps:
        write_step(step, add_step())
    return message


class WireScribe:
    """The domain's Scribe: encodes judgements as protobuf."""

    def judgement(self, game: str, stake: int, house_rules: Any, record: Any, verdict: Verdict) -> bytes:
        """The encoded Judgement message; the same verdict gives the same bytes."""
        message = write_judgement(game, stake, house_rules, record, verdict)
        return message.SerializeToString(deterministic=True)


def write_step(step: Step, message: money_pb2.Step) -> None:
    """Writes one step of a settlement into its message. Rule: CM-3.

    Field by field in the place where it belongs: a hand may have dozens, and to make each of them elsewhere, from
    keyword arguments, and then copy it takes two and a half times as long.
    """
    message.rule, message.payer, message.payee, message.amount, factors, message.text, message.text_zh = step
    add_factor = message.factors.add
    for factor in factors:
        factor_message = add_factor()
        factor_message.rule, factor_message.name, factor_message.factor = factor


def write_fault(fault: Fault) -> settlement_pb2.Fault:
    """One fault in its place. Rule: CM-5."""
    return settlement_pb2.Fault(
        rule=fault.rule,
        text=fault.text,
        player_id=fault.player or "",
        section=fault.section or "",
        action=fault.action,
        pot=fault.pot,
        bet=fault.bet,
        hand=fault.hand or "",
        card=fault.card or "",
        obligation=fault.obligation,
        event=fault.event,
        field=fault.field or "",
    )


def write_faults(faults: Faults, bytes_max: int) -> settlement_pb2.Faults:
    """As many faults as fit into ``bytes_max``, in order, and how many there are."""
    message = settlement_pb2.Faults(total=len(faults))
    for fault in faults:
        message.faults.append(write_fault(fault))
        if message.ByteSize() > bytes_max:
            del message.faults[-1]
            break
    return message
