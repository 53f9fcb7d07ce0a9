"""What operators see: every metric of the service, defined here and nowhere else.

No label ever names a player, a hand or a table: labels have a bound that is written beside them.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from zhangfang.application import Answer
from zhangfang.domain.events import DomainEvent, HandReversed, HandSettled, HandVoided
from zhangfang.errors import Refusal
from zhangfang.ledger.accounts import is_player_account
from zhangfang.rules.games import GAMES

LATENCY_BUCKETS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)
JUDGE_BUCKETS = (0.00002, 0.00005, 0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01)
BATCH_BUCKETS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)


@dataclass(frozen=True, slots=True)
class Definition:
    """One metric of the reference: labels with their bound, what it tells, and a query to begin with."""

    name: str
    kind: str
    unit: str
    labels: tuple[tuple[str, str], ...]
    meaning: str
    query: str


GAME = ("game", f"the {len(GAMES)} games")
METHOD = ("method", "the RPCs of the services, and `unknown`")
CODE = ("code", "the 17 gRPC status codes")
RULE = ("rule", "the rule ids of the rulebook")
REASON = ("reason", "the reasons of errors.py")
ACCOUNT = ("account", "the 4 system accounts")

DEFINITIONS: tuple[Definition, ...] = (
    Definition(
        "zhangfang_rpcs",
        "counter",
        "calls",
        (METHOD, CODE),
        "Calls answered.",
        "sum by (method, code) (rate(zhangfang_rpcs_total[5m]))",
    ),
    Definition(
        "zhangfang_rpc_seconds",
        "histogram",
        "seconds",
        (METHOD,),
        "Time from a call's arrival to its answer; of a stream, to its end.",
        "histogram_quantile(0.99, sum by (le, method) (rate(zhangfang_rpc_seconds_bucket[5m])))",
    ),
    Definition(
        "zhangfang_rpcs_in_flight",
        "gauge",
        "calls",
        (METHOD,),
        "Calls being answered.",
        "sum(zhangfang_rpcs_in_flight)",
    ),
    Definition(
        "zhangfang_hands_settled",
        "counter",
        "hands",
        (GAME,),
        "Hands settled.",
        "sum by (game) (rate(zhangfang_hands_settled_total[5m]))",
    ),
    Definition(
        "zhangfang_hands_voided",
        "counter",
        "hands",
        (GAME,),
        "Hands voided; `unknown` for a tombstone.",
        "sum by (game) (increase(zhangfang_hands_voided_total[1h]))",
    ),
    Definition(
        "zhangfang_hands_reversed",
        "counter",
        "hands",
        (GAME,),
        "Hands reversed.",
        "sum by (game) (increase(zhangfang_hands_reversed_total[1h]))",
    ),
    Definition(
        "zhangfang_silver_moved",
        "counter",
        "silver",
        (GAME,),
        "Silver that settled hands moved out of players' accounts.",
        "sum by (game) (rate(zhangfang_silver_moved_total[5m]))",
    ),
    Definition(
        "zhangfang_silver_short",
        "counter",
        "silver",
        (GAME,),
        "Silver that losers owed and could not pay.",
        "sum by (game) (increase(zhangfang_silver_short_total[1h]))",
    ),
    Definition(
        "zhangfang_silver_fees",
        "counter",
        "silver",
        (GAME,),
        "Rake and table fees taken.",
        "sum by (game) (increase(zhangfang_silver_fees_total[1h]))",
    ),
    Definition(
        "zhangfang_faults",
        "counter",
        "faults",
        (GAME, RULE),
        "Faults found in refused hands.",
        "topk(10, sum by (game, rule) (increase(zhangfang_faults_total[1h])))",
    ),
    Definition(
        "zhangfang_refusals",
        "counter",
        "requests",
        (REASON,),
        "Requests refused, by reason.",
        "sum by (reason) (rate(zhangfang_refusals_total[5m]))",
    ),
    Definition(
        "zhangfang_judge_seconds",
        "histogram",
        "seconds",
        (GAME,),
        "Time to read and judge one finished hand.",
        "histogram_quantile(0.99, sum by (le, game) (rate(zhangfang_judge_seconds_bucket[5m])))",
    ),
    Definition(
        "zhangfang_batch_commands",
        "histogram",
        "commands",
        (),
        "Commands a transaction.",
        "rate(zhangfang_batch_commands_sum[5m]) / rate(zhangfang_batch_commands_count[5m])",
    ),
    Definition(
        "zhangfang_commit_seconds",
        "histogram",
        "seconds",
        (),
        "Time to decide, append and commit one batch.",
        "histogram_quantile(0.99, sum by (le) (rate(zhangfang_commit_seconds_bucket[5m])))",
    ),
    Definition(
        "zhangfang_writer_queue",
        "gauge",
        "commands",
        (),
        "Commands waiting for the writer.",
        "max(zhangfang_writer_queue)",
    ),
    Definition(
        "zhangfang_log_position",
        "gauge",
        "events",
        (),
        "Last position this process appended or read.",
        "max(zhangfang_log_position)",
    ),
    Definition(
        "zhangfang_store_errors",
        "counter",
        "batches",
        (),
        "Batches the store did not take.",
        "rate(zhangfang_store_errors_total[5m])",
    ),
    Definition("zhangfang_followers", "gauge", "streams", (), "Open event streams.", "sum(zhangfang_followers)"),
    Definition(
        "zhangfang_follower_lag",
        "gauge",
        "events",
        (),
        "How far the slowest open event stream is behind the log.",
        "max(zhangfang_follower_lag)",
    ),
    Definition(
        "zhangfang_verified_timestamp_seconds",
        "gauge",
        "seconds",
        (),
        "When the log was last verified and found sound, since 1970; 0 for never.",
        "time() - max(zhangfang_verified_timestamp_seconds)",
    ),
    Definition(
        "zhangfang_verified_discrepancies",
        "gauge",
        "discrepancies",
        (),
        "What the last verification found wrong.",
        "max(zhangfang_verified_discrepancies)",
    ),
    Definition(
        "zhangfang_money",
        "gauge",
        "silver",
        (ACCOUNT,),
        "Balance of each system account, as last read by this process.",
        "max by (account) (zhangfang_money)",
    ),
)


class Metrics:
    """The metrics of one process, in a registry of their own."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._by_name = {definition.name: self._make(definition) for definition in DEFINITIONS}

    def _make(self, definition: Definition) -> Any:
        kinds: dict[str, Any] = {"counter": Counter, "gauge": Gauge, "histogram": Histogram}
        labels = [label for label, _ in definition.labels]
        options: dict[str, Any] = {"registry": self.registry}
        if definition.kind == "histogram":
            options["buckets"] = BUCKETS.get(definition.name, LATENCY_BUCKETS)
        return kinds[definition.kind](definition.name, definition.meaning, labels, **options)

    def __getitem__(self, name: str) -> Any:
        """A metric by its name without the prefix, e.g. ``metrics["rpcs"]``."""
        return self._by_name[f"zhangfang_{name}"]

    def answered(self, answer: Answer) -> None:
        """Counts what an answer's event did, unless it is told again."""
        if not answer.is_repeat:
            self.happened((answer.event,))

    def happened(self, events: Iterable[DomainEvent]) -> None:
        """Counts hands and their silver."""
        for event in events:
            if isinstance(event, HandSettled):
                self._settled(event)
            elif isinstance(event, HandVoided):
                self["hands_voided"].labels(event.game or "unknown").inc()
            elif isinstance(event, HandReversed):
                self["hands_reversed"].labels(event.game).inc()

    def _settled(self, event: HandSettled) -> None:
        self["hands_settled"].labels(event.game).inc()
        moved = -sum([each.amount for each in event.postings if each.amount < 0 and is_player_account(each.account)])
        self["silver_moved"].labels(event.game).inc(moved)
        short = sum([settlement.shortfall for settlement in event.players])
        fees = sum([settlement.rake + settlement.table_fee for settlement in event.players])
        if short:
            self["silver_short"].labels(event.game).inc(short)
        if fees:
            self["silver_fees"].labels(event.game).inc(fees)

    def refused(self, refusal: Refusal, game: str = "unknown") -> None:
        """Counts a refusal and the faults in it."""
        self["refusals"].labels(refusal.reason.value).inc()
        for fault in refusal.faults:
            self["faults"].labels(game, fault.rule).inc()

    def batch_committed(self, command_count: int, seconds: float, position: int) -> None:
        """The writer committed a batch."""
        self["batch_commands"].observe(command_count)
        self["commit_seconds"].observe(seconds)
        if position:
            self["log_position"].set(position)

    def store_failed(self) -> None:
        """The store did not take a batch."""
        self["store_errors"].inc()


BUCKETS = {"zhangfang_batch_commands": BATCH_BUCKETS, "zhangfang_judge_seconds": JUDGE_BUCKETS}
