"""What one run of the benchmark is to do: how long, how often, with which hands, on which stores."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from zhangfang.bench.figures import Figures
from zhangfang.bench.postgresql import PostgreSQL


@dataclass(frozen=True, slots=True)
class Effort:
    """How much a run measures."""

    rounds: int
    window_seconds: float
    concurrencies: tuple[int, ...]
    batch_sizes: tuple[int, ...]
    batch_hands: int
    judged_hands: int
    log_events: int
    growth_events: tuple[int, ...]
    growth_hands: int
    soak_hands: int


FULL = Effort(
    rounds=3,
    window_seconds=2.0,
    concurrencies=(1, 32, 64, 256),
    batch_sizes=(1, 8, 64, 512),
    batch_hands=2048,
    judged_hands=200,
    log_events=50_000,
    growth_events=(10_000, 100_000, 1_000_000),
    growth_hands=6400,
    soak_hands=200_000,
)
QUICK = Effort(
    rounds=1,
    window_seconds=0.3,
    concurrencies=(1, 64),
    batch_sizes=(1, 64),
    batch_hands=128,
    judged_hands=20,
    log_events=1000,
    growth_events=(1000, 10_000),
    growth_hands=640,
    soak_hands=2000,
)


@dataclass(slots=True)
class Plan:
    """One run.

    ``folder`` is where databases and sockets go, ``postgresql`` a private server or None where there is none, ``tell``
    is called with what is being measured now.
    """

    effort: Effort
    seed: int
    folder: Path
    figures: Figures
    postgresql: PostgreSQL | None
    tell: Callable[[str], None]

    @property
    def stores(self) -> tuple[str, ...]:
        """The stores there are."""
        return ("sqlite", "postgresql") if self.postgresql else ("sqlite",)

    def new_database(self, store: str, name: str) -> str:
        """The URL of a fresh, empty database."""
        if store == "postgresql" and self.postgresql:
            return self.postgresql.create(name)
        return f"sqlite:///{self.folder / name}.db"
