"""The games: what is played, how hands end, what front-ends get wrong, how long judging takes."""

from deploy.grafana.board import COUNT, PER_SECOND, SECONDS, SHARE, SILVER, Board, Query, Row, bars, curves, number

SETTLED = 'zhangfang_hands_settled_total{game=~"$game"}'

NOW = Row(
    "Within the time shown",
    4,
    (
        number("Settled", "Hands settled.", COUNT, f"sum(increase({SETTLED}[$__range]))", decimals=0),
        number(
            "Voided",
            "Hands that ended without a payment: nobody called, or an operator said so.",
            COUNT,
            'sum(increase(zhangfang_hands_voided_total{game=~"$game|unknown"}[$__range]))',
            decimals=0,
        ),
        number(
            "Reversed",
            "Settled hands that were posted back.",
            COUNT,
            'sum(increase(zhangfang_hands_reversed_total{game=~"$game"}[$__range]))',
            decimals=0,
        ),
        number(
            "Refused as faulty",
            "Hands that broke a rule, of all games.",
            COUNT,
            'sum(increase(zhangfang_refusals_total{reason="HAND_FAULTY"}[$__range]))',
            decimals=0,
        ),
    ),
)

PLAYED = Row(
    "What is played",
    9,
    (
        curves(
            "Hands a second",
            "Hands settled, by game.",
            PER_SECOND,
            Query(f"sum by (game) (rate({SETTLED}[$__rate_interval]))", "{{game}}"),
            is_stacked=True,
        ),
        curves(
            "Silver of a hand",
            "What a hand moves on average over an hour, by game.",
            SILVER,
            Query(
                'sum by (game) (increase(zhangfang_silver_moved_total{game=~"$game"}[1h]))'
                f" / sum by (game) (increase({SETTLED}[1h]))",
                "{{game}}",
            ),
        ),
        curves(
            "Hands voided and reversed",
            "In an hour, by game; unknown for hands that were voided before they came.",
            COUNT,
            Query(
                'sum by (game) (increase(zhangfang_hands_voided_total{game=~"$game|unknown"}[1h]))', "{{game}} voided"
            ),
            Query('sum by (game) (increase(zhangfang_hands_reversed_total{game=~"$game"}[1h]))', "{{game}} reversed"),
        ),
    ),
)

FAULTS = Row(
    "What is recorded wrongly",
    10,
    (
        bars(
            "Rules broken most",
            "Faults found in refused hands and choices within the time shown. The rulebook says what each rule asks.",
            COUNT,
            'topk(15, sum by (game, rule) (increase(zhangfang_faults_total{game=~"$game|unknown"}[$__range])) > 0)',
            "{{game}} {{rule}}",
        ),
        curves(
            "Faults a second",
            "Faults found, by game; a hand may have many.",
            PER_SECOND,
            Query('sum by (game) (rate(zhangfang_faults_total{game=~"$game|unknown"}[$__rate_interval]))', "{{game}}"),
            is_stacked=True,
        ),
        curves(
            "Reversed of settled",
            "What part of the hands of an hour was reversed, by game.",
            SHARE,
            Query('game:zhangfang_hands_reversed:ratio_increase1h{game=~"$game"}', "{{game}}"),
        ),
    ),
)

JUDGING = Row(
    "Judging",
    9,
    tuple(
        curves(
            f"Time to judge a hand, {words}",
            "Reading and judging one finished hand, by game.",
            SECONDS,
            Query(
                f"histogram_quantile({quantile}, sum by (le, game) "
                '(rate(zhangfang_judge_seconds_bucket{game=~"$game"}[$__rate_interval])))',
                "{{game}}",
            ),
        )
        for quantile, words in (("0.5", "half of them"), ("0.99", "99 of 100"))
    ),
)

GAMES = Board(
    "zhangfang-games",
    "Zhangfang · games",
    "What is played at the tables, how hands end, which rules are broken, and how long judging takes.",
    (NOW, PLAYED, FAULTS, JUDGING),
    "game",
    "zhangfang_hands_settled_total",
)
