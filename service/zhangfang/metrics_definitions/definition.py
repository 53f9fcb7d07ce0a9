"""What there is to say of a metric, and the labels that metrics have."""

from dataclasses import dataclass

from zhangfang.errors import Reason
from zhangfang.ledger.accounts import SYSTEM_ACCOUNTS
from zhangfang.rules.games import GAMES

LATENCY_BUCKETS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)
JUDGE_BUCKETS = (0.00002, 0.00005, 0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01)
BATCH_BUCKETS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)


@dataclass(frozen=True, slots=True)
class Definition:
    """One metric of the reference: labels with their bound, what it tells, and a query to begin with.

    ``buckets`` are the upper bounds of a histogram, in its unit.
    """

    name: str
    kind: str
    unit: str
    labels: tuple[tuple[str, str], ...]
    meaning: str
    query: str
    buckets: tuple[float, ...] = ()

    @property
    def exposed_names(self) -> tuple[str, ...]:
        """The names of its series, as they are scraped and queried.

        >>> Definition("hands", "counter", "hands", (), "Hands.", "").exposed_names
        ('hands_total',)
        """
        if self.kind == "counter":
            return (f"{self.name}_total",)
        if self.kind == "histogram":
            return tuple(f"{self.name}_{suffix}" for suffix in ("bucket", "sum", "count"))
        return (self.name,)


GAME = ("game", f"the {len(GAMES)} games")
GAME_IF_KNOWN = ("game", f"the {len(GAMES)} games, and `unknown`")
METHOD = ("method", "the RPCs of the three services")
CODE = ("code", "the 17 gRPC status codes")
RULE = ("rule", "the rule ids of the rulebook")
REASON = ("reason", f"the {len(Reason)} reasons of `errors.py`")
ACCOUNT = ("account", f"the {len(SYSTEM_ACCOUNTS)} system accounts")
ROLE = ("role", "`writer` and `judge`")
VERSION = ("version", "one in a process")
