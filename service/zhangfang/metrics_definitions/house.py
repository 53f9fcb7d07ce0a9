"""What happens in the house: hands and silver."""

from zhangfang.metrics_definitions.definition import (
    ACCOUNT,
    GAME,
    GAME_IF_KNOWN,
    JUDGE_BUCKETS,
    RULE,
    Definition,
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
