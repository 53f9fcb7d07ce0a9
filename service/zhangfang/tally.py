"""What a batch of the writer comes to, in numbers: counted and timed alike in whichever process it was written."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from time import perf_counter
from typing import Any, NamedTuple

from zhangfang.application import Answer
from zhangfang.domain.books import Referee, judge_by_the_rulebook
from zhangfang.domain.events import (
    DomainEvent,
    HandReversed,
    HandSettled,
    HandVoided,
    Posted,
    SilverDeposited,
    SilverWithdrawn,
)
from zhangfang.errors import Refusal
from zhangfang.ledger.accounts import SYSTEM_ACCOUNTS
from zhangfang.rules.verdict import Faults, Verdict

COUNTED_BY_GAME = (
    "hands_settled",
    "hands_voided",
    "hands_reversed",
    "silver_moved",
    "silver_reversed",
    "silver_short",
    "silver_fees",
)
COUNTED = ("silver_deposited", "silver_withdrawn")
"""The counters that batches add to: by game, and without one. Their meaning stands in ``metrics_definitions``."""

Counts = dict[tuple[str, str], int]


class Tally(NamedTuple):
    """A batch that was committed.

    ``counts`` is what is added to each counter and game, ``money`` the balances of the system accounts that it changed,
    in silver, as they stood after the event at ``money_position``. Both positions are 0 for none.
    """

    commands: int
    seconds: float
    counts: Mapping[tuple[str, str], int]
    money: Mapping[str, int]
    money_position: int
    last_position: int


def timed(judged: Callable[[str, float], None]) -> Referee:
    """The referee there is, who tells of every hand its game and how many seconds it took, legal or not."""

    def referee(game: str, record: Any, house_rules: Any, stake: int, silver: Mapping[str, int]) -> Verdict | Faults:
        started = perf_counter()
        try:
            return judge_by_the_rulebook(game, record, house_rules, stake, silver)
        finally:
            judged(game, perf_counter() - started)

    return referee


def tally_of(answers: Sequence[Answer | Refusal], seconds: float) -> Tally:
    """What the writer did in one transaction; what was done before and only told again does not count."""
    counts: Counts = defaultdict(int)
    money: dict[str, int] = {}
    money_position = last_position = 0
    for answer in answers:
        if isinstance(answer, Refusal) or answer.is_repeat:
            continue
        event = answer.event
        _count(counts, event)
        last_position = event.position
        for posted in event.postings:
            if posted.account in SYSTEM_ACCOUNTS:
                money[posted.account] = posted.balance_after
                money_position = event.position
    return Tally(len(answers), seconds, dict(counts), money, money_position, last_position)


def _count(counts: Counts, event: DomainEvent) -> None:
    match event:
        case HandSettled():
            counts["hands_settled", event.game] += 1
            counts["silver_moved", event.game] += _taken_from_players(event.postings)
            for player in event.players:
                if player.shortfall:
                    counts["silver_short", event.game] += player.shortfall
                if player.rake or player.table_fee:
                    counts["silver_fees", event.game] += player.rake + player.table_fee
        case HandVoided():
            counts["hands_voided", event.game] += 1
        case HandReversed():
            counts["hands_reversed", event.game] += 1
            counts["silver_reversed", event.game] += _taken_from_players(event.postings)
        case SilverDeposited():
            counts["silver_deposited", ""] += event.amount
        case SilverWithdrawn():
            counts["silver_withdrawn", ""] += event.amount


def _taken_from_players(postings: tuple[Posted, ...]) -> int:
    return -sum([each.amount for each in postings if each.amount < 0 and each.account not in SYSTEM_ACCOUNTS])
