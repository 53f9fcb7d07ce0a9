"""What is aimed at, as ratios of two figures of one run or as a bound on one of them."""

from dataclasses import dataclass

from zhangfang.bench.figures import Figures, quotient

STORES = {"sqlite": "SQLite", "postgresql": "PostgreSQL"}


@dataclass(frozen=True, slots=True)
class Target:
    """One aim: the figure ``over``, divided by ``under`` if there is one, is at least, or at most, ``goal``."""

    text: str
    over: str
    under: str
    goal: float
    is_ceiling: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """A target and what a run reached."""

    target: Target
    reached: float

    @property
    def is_met(self) -> bool:
        """Whether it was reached."""
        return self.reached <= self.target.goal if self.target.is_ceiling else self.reached >= self.target.goal


def _by_store(
    text: str, over: str, under: str, sqlite: float, postgresql: float, *, is_ceiling: bool = False
) -> list[Target]:
    goals = {"sqlite": sqlite, "postgresql": postgresql}
    return [
        Target(f"{text}, {STORES[store]}", over.format(store), under.format(store), goal, is_ceiling)
        for store, goal in goals.items()
    ]


def _by_game(goals: dict[str, float]) -> list[Target]:
    judged = [Target(f"judging {game}, µs", f"judge.{game}.total", "", goal, True) for game, goal in goals.items()]  # noqa: FBT003
    beside = [Target(f"PokerKit's hand ÷ {game}", "judge.pokerkit.total", f"judge.{game}.total", 20) for game in goals]
    return [*judged, *beside]


TARGETS: tuple[Target, ...] = (
    *_by_store("unary ÷ echo, 64 callers", "unary.house.{}.c64.rate", "unary.echo.c64.rate", 0.5, 0.4),
    *_by_store("unary ÷ one save a request", "unary.house.{}.c64.rate", "unary.naive.{}.c64.rate", 4, 7),
    *_by_store("p99 ÷ p50, 64 callers", "unary.house.{}.c64.p99", "unary.house.{}.c64.p50", 3, 3, is_ceiling=True),
    *_by_store("batch of 100 ÷ unary", "stream.house.{}.batch.rate", "stream.house.{}.unary.rate", 4, 4),
    *_by_store("stream ÷ unary", "stream.house.{}.stream.rate", "stream.house.{}.unary.rate", 4, 4),
    Target("two processes ÷ one, PostgreSQL", "stream.workers2.rate", "stream.workers1.rate", 1.6),
    *_by_store("writer at 64 ÷ pgbench -N", "writer.{}.b64.rate", "writer.pgbench.c8", 2.5, 1.5),
    *_by_game({"ban_bian_tian_zha": 100, "er_ren_dou_di_zhu": 60, "bi_ji": 60, "jiu_dian_ban": 60}),
    *_by_store("rebuild ÷ decoding", "replay.{}.rebuild.rate", "replay.{}.decode.rate", 0.4, 0.4),
    *_by_store("hash chain and balances ÷ reading JSON", "replay.{}.chain.rate", "replay.{}.json.rate", 8, 8),
    *_by_store("whole verification ÷ reading JSON", "replay.{}.verify.rate", "replay.{}.json.rate", 8, 8),
    *_by_store("CPU a hand, long log ÷ short", "growth.{}.long.cpu", "growth.{}.short.cpu", 1.2, 1.2, is_ceiling=True),
    *_by_store("time a hand, long ÷ short", "growth.{}.long.wall", "growth.{}.short.wall", 1.2, 1.2, is_ceiling=True),
)


def outcomes(figures: Figures) -> list[Outcome]:
    """What was reached of every target whose figures were measured."""
    found = []
    for target in TARGETS:
        over, under = figures.get(target.over), figures.get(target.under)
        if over and under:
            found.append(Outcome(target, quotient(over, under)))
        elif over and not target.under:
            found.append(Outcome(target, over.median))
    return found
