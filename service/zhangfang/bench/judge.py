"""What judging one hand costs, and where it goes: parse, read, judge, encode; and PokerKit playing one hand of poker.

The first three are the target "judge of a full transcript, parsing included"; encoding is what the log and the answer
need on top.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from zhangfang.bench.cast import record_of
from zhangfang.bench.figures import microseconds_each
from zhangfang.bench.hands import make_hands
from zhangfang.bench.plan import Plan
from zhangfang.contract.games import CODECS
from zhangfang.contract.judging import write_judgement
from zhangfang.rules.games import GAMES
from zhangfang.wire.v1.settlement_pb2 import HandRecord

REPEATS = 5
STAKE = 1
POKER_HANDS = 20
"""PokerKit takes longer: it plays fewer hands."""


def measure(plan: Plan) -> None:
    """Microseconds of CPU a hand for each part of each game, as ``judge.<game>.<part>``."""
    benches = {game: _parts_of(game, plan.seed, plan.effort.judged_hands) for game in GAMES}
    poker = _poker()
    for _ in range(plan.effort.rounds):
        for game, parts in benches.items():
            plan.tell(f"judging {game}")
            count = plan.effort.judged_hands * REPEATS
            costs = {name: microseconds_each(part, count) for name, part in parts.items()}
            for name, cost in costs.items():
                plan.figures.add(f"judge.{game}.{name}", "µs", cost)
            total = costs["parse"] + costs["read"] + costs["judge"]
            plan.figures.add(f"judge.{game}.total", "µs", total)
            plan.figures.add(f"judge.{game}.rate", "hands/s", 1e6 / (total + costs["encode"]))
        if poker:
            plan.tell("playing poker with PokerKit")
            plan.figures.add("judge.pokerkit.total", "µs", microseconds_each(poker, POKER_HANDS))


def _parts_of(game: str, seed: int, hand_count: int) -> dict[str, Callable[[], None]]:
    """The parts as loops over the same hands."""
    codec = CODECS[game]
    rules = codec.game.house_rules()
    values = make_hands(game, seed, hand_count)
    messages = [record_of(game, value) for value in values]
    verdicts: list[Any] = [codec.game.judge(value, rules, STAKE, {}) for value in values]

    def encode(value: Any, verdict: Any, message: HandRecord) -> None:
        write_judgement(game, STAKE, rules, value, verdict, message).SerializeToString(deterministic=True)

    return {
        "parse": _over([(message.SerializeToString(),) for message in messages], HandRecord.FromString),
        "read": _over([(getattr(message, game),) for message in messages], codec.read_hand),
        "judge": _over([(value, rules, STAKE, {}) for value in values], codec.game.judge),
        "encode": _over(list(zip(values, verdicts, messages, strict=True)), encode),
    }


def _over(calls: Sequence[tuple[Any, ...]], part: Callable[..., object]) -> Callable[[], None]:
    """Calls ``part`` with each of the arguments, several times over."""

    def loop() -> None:
        for _ in range(REPEATS):
            for arguments in calls:
                part(*arguments)

    return loop


def _poker() -> Callable[[], None] | None:
    """Plays no-limit hold'em hands of three players with PokerKit, where it is installed: everybody checks or calls."""
    with suppress(ImportError):
        from pokerkit import Automation, NoLimitTexasHoldem

        game = NoLimitTexasHoldem(tuple(Automation), True, 0, (1, 2), 2)  # noqa: FBT003 - the library's own order

        def play() -> None:
            for _ in range(POKER_HANDS):
                state = game((200, 200, 200), 3)
                while state.status:
                    state.check_or_call()

        return play
    return None
