"""Every metric of the service, defined here and nowhere else: what operators see and what the reference prints.

No label ever names a player, a hand or a table: labels have a bound that is written beside them.
"""

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
VERSION = ("version", "one in a process")

CALLS: tuple[Definition, ...] = (
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
        LATENCY_BUCKETS,
    ),
    Definition(
        "zhangfang_rpcs_in_flight",
        "gauge",
        "calls",
        (METHOD,),
        "Calls being answered.",
        "sum by (method) (zhangfang_rpcs_in_flight)",
    ),
    Definition(
        "zhangfang_refusals",
        "counter",
        "requests",
        (REASON,),
        "Requests refused, by reason; each hand of a stream counts for itself.",
        "sum by (reason) (rate(zhangfang_refusals_total[5m]))",
    ),
)

HANDS: tuple[Definition, ...] = (
    Definition(
        "zhangfang_hands_settled",
        "counter",
        "hands",
        (GAME,),
        "Hands settled; a repeat of a request is not counted again.",
        "sum by (game) (rate(zhangfang_hands_settled_total[5m]))",
    ),
    Definition(
        "zhangfang_hands_voided",
        "counter",
        "hands",
        (GAME_IF_KNOWN,),
        "Hands voided; `unknown` for one that was voided before it came.",
        "sum by (game) (increase(zhangfang_hands_voided_total[1h]))",
    ),
    Definition(
        "zhangfang_hands_reversed",
        "counter",
        "hands",
        (GAME,),
        "Settled hands that were reversed.",
        "sum by (game) (increase(zhangfang_hands_reversed_total[1h]))",
    ),
    Definition(
        "zhangfang_faults",
        "counter",
        "faults",
        (GAME_IF_KNOWN, RULE),
        "Faults found in refused hands, choices and settings.",
        "topk(10, sum by (game, rule) (increase(zhangfang_faults_total[1h])))",
    ),
    Definition(
        "zhangfang_judge_seconds",
        "histogram",
        "seconds",
        (GAME,),
        "Time to read, judge and write down one finished hand, legal or not; where silver or wealth must be known "
        "first, and of a hand that came piece by piece, the judging alone.",
        "histogram_quantile(0.99, sum by (le, game) (rate(zhangfang_judge_seconds_bucket[5m])))",
        JUDGE_BUCKETS,
    ),
)

SILVER: tuple[Definition, ...] = (
    Definition(
        "zhangfang_silver_moved",
        "counter",
        "silver",
        (GAME,),
        "Silver that settled hands took out of players' accounts.",
        "sum by (game) (rate(zhangfang_silver_moved_total[5m]))",
    ),
    Definition(
        "zhangfang_silver_short",
        "counter",
        "silver",
        (GAME,),
        "Shortfalls: silver that losers owed and could not pay.",
        "sum by (game) (increase(zhangfang_silver_short_total[1h]))",
    ),
    Definition(
        "zhangfang_silver_fees",
        "counter",
        "silver",
        (GAME,),
        "Rake and table fees taken; a reversal gives them back and is not subtracted here.",
        "sum by (game) (increase(zhangfang_silver_fees_total[1h]))",
    ),
    Definition(
        "zhangfang_silver_reversed",
        "counter",
        "silver",
        (GAME,),
        "Silver that reversals took back out of players' accounts.",
        "sum by (game) (increase(zhangfang_silver_reversed_total[1h]))",
    ),
    Definition(
        "zhangfang_silver_deposited",
        "counter",
        "silver",
        (),
        "Silver that came in.",
        "sum(increase(zhangfang_silver_deposited_total[1h]))",
    ),
    Definition(
        "zhangfang_silver_withdrawn",
        "counter",
        "silver",
        (),
        "Silver that went out.",
        "sum(increase(zhangfang_silver_withdrawn_total[1h]))",
    ),
    Definition(
        "zhangfang_money",
        "gauge",
        "silver",
        (ACCOUNT,),
        "Balance of each system account as this process saw it last: when it started, or in what it appended since. "
        "Of several processes the one with the highest `zhangfang_money_position` is right.",
        "zhangfang_money and on (instance) topk(1, zhangfang_money_position)",
    ),
    Definition(
        "zhangfang_money_position",
        "gauge",
        "events",
        (),
        "Position of the log at which `zhangfang_money` was seen.",
        "max(zhangfang_money_position)",
    ),
)

LOG: tuple[Definition, ...] = (
    Definition(
        "zhangfang_batch_commands",
        "histogram",
        "commands",
        (),
        "Commands of one transaction.",
        "sum(rate(zhangfang_batch_commands_sum[5m])) / sum(rate(zhangfang_batch_commands_count[5m]))",
        BATCH_BUCKETS,
    ),
    Definition(
        "zhangfang_commit_seconds",
        "histogram",
        "seconds",
        (),
        "Time to decide, append and commit one batch.",
        "histogram_quantile(0.99, sum by (le) (rate(zhangfang_commit_seconds_bucket[5m])))",
        LATENCY_BUCKETS,
    ),
    Definition(
        "zhangfang_store_errors",
        "counter",
        "batches",
        (),
        "Batches the store did not take; their callers were told to try again.",
        "sum(rate(zhangfang_store_errors_total[5m]))",
    ),
    Definition(
        "zhangfang_writer_queue",
        "gauge",
        "commands",
        (),
        "Commands waiting for the writer.",
        "max(zhangfang_writer_queue / zhangfang_writer_queue_max)",
    ),
    Definition(
        "zhangfang_writer_queue_max",
        "gauge",
        "commands",
        (),
        "Commands that may wait; beyond it callers are refused with QUEUE_FULL.",
        "min(zhangfang_writer_queue_max)",
    ),
    Definition(
        "zhangfang_judges",
        "gauge",
        "processes",
        (),
        "Processes that judge hands beside this one and can be asked.",
        "sum(zhangfang_judges)",
    ),
    Definition(
        "zhangfang_log_position",
        "gauge",
        "events",
        (),
        "Last position this process appended or read. With several processes the highest is the log's end: "
        "whoever appended last shows it.",
        "max(zhangfang_log_position)",
    ),
)

AUDIT: tuple[Definition, ...] = (
    Definition("zhangfang_followers", "gauge", "streams", (), "Open event streams.", "sum(zhangfang_followers)"),
    Definition(
        "zhangfang_follower_lag",
        "gauge",
        "events",
        (),
        "How far the slowest open event stream of this process is behind the log's end.",
        "max(zhangfang_follower_lag)",
    ),
    Definition(
        "zhangfang_verified_timestamp_seconds",
        "gauge",
        "seconds",
        (),
        "When this process last verified the log and found it sound, since 1970; 0 for not since it started.",
        "time() - max(zhangfang_verified_timestamp_seconds)",
    ),
    Definition(
        "zhangfang_verified_discrepancies",
        "gauge",
        "discrepancies",
        (),
        "What the last verification of this process found wrong; 0 before the first.",
        "max(zhangfang_verified_discrepancies)",
    ),
)

PROCESS: tuple[Definition, ...] = (
    Definition(
        "zhangfang_build_info",
        "gauge",
        "one",
        (VERSION,),
        "Always 1; the version of this process is its label.",
        "count by (version) (zhangfang_build_info)",
    ),
)

GROUPS: tuple[tuple[str, tuple[Definition, ...]], ...] = (
    ("Calls", CALLS),
    ("Hands", HANDS),
    ("Silver", SILVER),
    ("Log and writer", LOG),
    ("Audit", AUDIT),
    ("Process", PROCESS),
)

DEFINITIONS: tuple[Definition, ...] = tuple(definition for _, group in GROUPS for definition in group)
