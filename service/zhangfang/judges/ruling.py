"""What is done with a finished hand before the writer gets it: read in full, judged, written down."""

from functools import lru_cache
from time import perf_counter
from typing import Any, NamedTuple

from zhangfang.contract import reading
from zhangfang.contract.games import CODECS
from zhangfang.contract.judging import write_judgement
from zhangfang.domain.commands import Judged
from zhangfang.domain.tables import Table
from zhangfang.errors import faulty
from zhangfang.rules.levels import StakeMode
from zhangfang.rules.verdict import Ended, Obligation
from zhangfang.wire.v1 import settlement_pb2 as pb


class Question(NamedTuple):
    """A hand to be judged, as it is sent to a judge: whole silver, and encoded GameRules and HandRecord messages."""

    game: str
    stake: int
    rules: bytes
    record: bytes


class Ruling(NamedTuple):
    """A hand that was judged: everybody whose silver it may touch, what it comes to, and how long that took."""

    participants: tuple[str, ...]
    judged: Judged
    seconds: float


def flatten(ruling: Ruling | None) -> Any:
    """A ruling as plain tuples, which travel in a tenth of the time; the outcome stays: no bank passes by it."""
    if ruling is None:
        return None
    participants, (ended, seats, obligations, _, stake, encoded), seconds = ruling
    return participants, ended.value, seats, [tuple(each) for each in obligations], stake, encoded, seconds


def restore(flat: Any) -> Ruling | None:
    """The ruling that was flattened."""
    if flat is None:
        return None
    participants, ended, seats, owed, stake, encoded, seconds = flat
    obligations = tuple([Obligation._make(each) for each in owed])
    return Ruling(participants, Judged(Ended(ended), seats, obligations, None, stake, encoded), seconds)


def is_judged_beforehand(table: Table) -> bool:
    """Whether a verdict at this table depends on the record alone, and on nobody's silver or bank."""
    game = CODECS[table.game].game
    return table.stake_mode is StakeMode.FIXED and not game.needs_silver and game.banking is None


def read_record(record: pb.HandRecord, game: str) -> tuple[Any, tuple[str, ...]]:
    """The game's value of a record, and who takes part in it.

    Raises:
        Refusal: if it cannot be read in full, or an id in it is none.
    """
    codec = CODECS[game]
    value = codec.read_hand(reading.read_game("record", record, game))
    participants = codec.game.participants(value)
    for player_id in participants:
        reading.check_id(f"record.{game}", player_id)
    return value, participants


def rule_on(record: pb.HandRecord, game: str, stake: int, house_rules: Any) -> Ruling:
    """Reads, judges and writes down a hand.

    Raises:
        Refusal: with all faults of the hand (CM-5), or why it cannot be read.
    """
    started = perf_counter()
    value, participants = read_record(record, game)
    verdict = CODECS[game].game.judge(value, house_rules, stake, {})
    if isinstance(verdict, tuple):
        raise faulty(verdict)
    judgement = write_judgement(game, stake, house_rules, value, verdict, record)
    encoded = judgement.SerializeToString(deterministic=True)
    return Ruling(participants, Judged.of(verdict, stake, encoded), perf_counter() - started)


def answer(question: Question) -> Ruling | None:
    """The ruling on a hand; None for one that is refused or fails: whoever asked meets the same, and tells of it."""
    game, stake, rules, record = question
    try:
        return rule_on(pb.HandRecord.FromString(record), game, stake, _house_rules(game, rules))
    except Exception:  # noqa: BLE001 - a hand must not take those beside it along
        return None


@lru_cache(maxsize=1000)
def _house_rules(game: str, encoded: bytes) -> Any:
    return CODECS[game].read_rules(getattr(pb.GameRules.FromString(encoded), game))
