"""What judging one hand costs, and where it goes: parse, read, judge, encode; and PokerKit playing one hand of poker.

The first three are the target "judge of a full transcript, parsing included"; encoding is what the log and the answer
need on top.
"""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from zhangfang.bench.figures import microseconds_each
from zhangfang.bench.hands import make_hands
from zhangfang.bench.plan import Plan
from zhangfang.contract.games import CODECS
from zhangfang.contract.judging import write_judgement
from zhangfang.rules.games import GAMES
from zhangfang.wire.v1.settlement_pb2 import HandRecord

PARTS = ("parse", "read", "judge", "encode")
REPEATS = 5
STAKE = 1
POKER_HANDS_OF_A_HUNDRED = 10
"""PokerKit is slow: it plays fewer hands."""


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
            hands = max(1, plan.effort.judged_hands * POKER_HANDS_OF_A_HUNDRED // 100)
            plan.figures.add("judge.pokerkit.total", "µs", microseconds_each(lambda: poker(hands), hands))


def _parts_of(game: str, seed: int, hand_count: int) -> dict[str, Callable[[], None]]:
    """The parts as loops over the same hands."""
    codec = CODECS[game]
    rules = codec.game.house_rules()
    values = make_hands(game, seed, hand_count)
    messages = [HandRecord(**{game: codec.write_hand(value)}) for value in values]
    stored = [message.SerializeToString() for message in messages]
    verdicts: list[Any] = [codec.game.judge(value, rules, STAKE, {}) for value in values]
    read, judge = codec.read_hand, codec.game.judge
    bodies = [getattr(message, game) for message in messages]

    def parse_all() -> None:
        for _ in range(REPEATS):
            for each in stored:
                HandRecord.FromString(each)

    def read_all() -> None:
        for _ in range(REPEATS):
            for body in bodies:
                read(body)

    def judge_all() -> None:
        for _ in range(REPEATS):
            for value in values:
                judge(value, rules, STAKE, {})

    def encode_all() -> None:
        for _ in range(REPEATS):
            for value, verdict, message in zip(values, verdicts, messages, strict=True):
                write_judgement(game, STAKE, rules, value, verdict, message).SerializeToString(deterministic=True)

    return dict(zip(PARTS, (parse_all, read_all, judge_all, encode_all), strict=True))


def _poker() -> Callable[[int], None] | None:
    """Plays no-limit hold'em hands of three players with PokerKit, where it is installed: everybody checks or calls."""
    with suppress(ImportError):
        from pokerkit import Automation, NoLimitTexasHoldem

        game = NoLimitTexasHoldem(tuple(Automation), True, 0, (1, 2), 2)  # noqa: FBT003 - the library's own order

        def play(hand_count: int) -> None:
            for _ in range(hand_count):
                state = game((200, 200, 200), 3)
                while state.status:
                    state.check_or_call()

        return play
    return None
