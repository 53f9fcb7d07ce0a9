"""Settled hands judged again by today's code, each with the rules and the stake it carried.

Nothing is changed by it: what was settled stays. It shows what another version of the rulebook's code would have said.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from zhangfang.audit.findings import Discrepancy, Progress, UnsoundLogError
from zhangfang.audit.view import whole_view
from zhangfang.audit.walk import read_event
from zhangfang.contract.games import CODECS
from zhangfang.contract.judging import write_judgement
from zhangfang.domain.events import HandSettled, HandVoided
from zhangfang.ledger.accounts import player_account
from zhangfang.ledger.postings import Posting, sums_by_account
from zhangfang.store.database import Database
from zhangfang.store.log import read_batches, read_head
from zhangfang.wire.v1 import settlement_pb2


@dataclass(frozen=True, slots=True)
class Difference:
    """One point in which a hand would be judged otherwise today.

    ``rule`` is the rule of the step or of the fault it shows in, empty for the outcome. ``place`` is ``players``,
    ``ended``, ``outcome``, ``steps`` or ``faults``.
    """

    position: int
    hand_id: str
    game: str
    rule: str
    place: str
    text: str


@dataclass(frozen=True, slots=True)
class Rejudged:
    """How many judged hands there are, and how many of them would be judged otherwise."""

    hand_count: int
    different_count: int


def rejudge(database: Database) -> Iterator[Progress | Difference | Rejudged]:
    """Judges every judged hand of the log again; yields what differs as it is found, and at last the count.

    Raises:
        UnsoundLogError: at an event that cannot be read.
    """
    hand_count = different_count = 0
    with whole_view(database) as view:
        last = read_head(view).position
        for rows in read_batches(view):
            for row in rows:
                event = read_event(row)
                if isinstance(event, Discrepancy):
                    raise UnsoundLogError(event)
                if isinstance(event, HandSettled | HandVoided) and event.judgement:
                    differences = list(judge_again(event))
                    hand_count += 1
                    different_count += bool(differences)
                    yield from differences
            yield Progress(rows[-1].position, last)
    yield Rejudged(hand_count, different_count)


def judge_again(event: HandSettled | HandVoided) -> Iterator[Difference]:
    """Every point in which one hand would be judged otherwise."""
    stored = settlement_pb2.Judgement.FromString(event.judgement)
    codec = CODECS[event.game]
    rules = codec.read_rules(getattr(stored.rules, event.game))
    record = codec.read_hand(getattr(stored.record, event.game))
    if event.originator_version > 1:
        record = codec.game.accepted(record)
    verdict = codec.game.judge(record, rules, stored.stake, silver_before(event))
    if isinstance(verdict, tuple):
        for fault in verdict:
            yield _difference(event, fault.rule, "faults", f"the hand is faulty now: {fault.text}")
        return
    now = write_judgement(event.game, stored.stake, rules, record, verdict)
    yield from _compare(event, stored, now)


def silver_before(event: HandSettled | HandVoided) -> dict[str, int]:
    """What each player had available when the hand was judged, what its own bets held included."""
    if isinstance(event, HandVoided):
        return {}
    moved = sums_by_account([Posting(posted.account, posted.amount, posted.kind) for posted in event.postings])
    return {
        each.player_id: each.available_after - moved.get(player_account(each.player_id), 0) for each in event.players
    }


def _compare(event: HandSettled | HandVoided, stored: Any, now: Any) -> Iterator[Difference]:
    if list(stored.players) != list(now.players):
        text = f"the players were {', '.join(stored.players)}, now {', '.join(now.players)}"
        yield _difference(event, "", "players", text)
    if stored.ended != now.ended:
        names = settlement_pb2.Ended
        yield _difference(event, "", "ended", f"was {names.Name(stored.ended)}, now {names.Name(now.ended)}")
    was, is_now = getattr(stored.outcome, event.game), getattr(now.outcome, event.game)
    for field in was.DESCRIPTOR.fields:
        before, after = getattr(was, field.name), getattr(is_now, field.name)
        if before != after:
            yield _difference(event, "", "outcome", f"{field.name} was {_shown(before)}, now {_shown(after)}")
    for index in range(max(len(stored.steps), len(now.steps))):
        step_was, step_now = stored.steps[index : index + 1], now.steps[index : index + 1]
        if step_was != step_now:
            rule = (step_now or step_was)[0].rule
            yield _difference(event, rule, "steps", f"step {index} was {_step(step_was)}, now {_step(step_now)}")


def _difference(event: HandSettled | HandVoided, rule: str, place: str, text: str) -> Difference:
    return Difference(event.position, event.hand_id, event.game, rule, place, text)


def _step(steps: Any) -> str:
    return " ".join([f"{step.payer} → {step.payee} {step.amount}: {step.text}" for step in steps]) or "not there"


def _shown(value: Any) -> str:
    return " ".join(str(value).split()) or "nothing"
