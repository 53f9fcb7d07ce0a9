"""The audit: the log, when it was last found sound, and who follows it."""

from deploy.grafana.board import AGE, COUNT, PER_SECOND, SECONDS, Board, Query, Row, bars, curves, number

DAY_SECONDS = 86_400

SOUND = Row(
    "Soundness",
    5,
    (
        number(
            "Discrepancies",
            "What the last verification of a process found wrong. Anything but 0 is for now, not for tomorrow.",
            COUNT,
            "max(zhangfang_verified_discrepancies)",
            limits=(1, 1.5),
        ),
        number(
            "Last found sound",
            "How long ago the log was verified and found sound; decades mean not in the last two days.",
            AGE,
            "time() - max_over_time(zhangfang:verified_timestamp_seconds:max[2d])",
            limits=(1.1 * DAY_SECONDS, 2 * DAY_SECONDS),
        ),
        number(
            "Verifications at work",
            "Verifications that are walking the log now.",
            COUNT,
            'sum(zhangfang_rpcs_in_flight{method="VerifyLog"})',
        ),
        number("Events", "Position of the log's end.", "locale", "zhangfang:log_position:max"),
    ),
)

LOG = Row(
    "The log",
    9,
    (
        curves(
            "Events a second",
            "How fast the log grows.",
            PER_SECOND,
            Query("deriv(zhangfang:log_position:max[5m])", "events"),
        ),
        curves(
            "Last position by process",
            "Where each process saw the log's end; one that appends nothing and has no followers stays behind.",
            "locale",
            Query("zhangfang_log_position", "{{instance}}"),
        ),
        curves(
            "Corrections",
            "Hands reversed and voided in an hour: what an auditor asks about first.",
            COUNT,
            Query("sum(increase(zhangfang_hands_reversed_total[1h]))", "reversed"),
            Query("sum(increase(zhangfang_hands_voided_total[1h]))", "voided"),
        ),
    ),
)

FOLLOWERS = Row(
    "Followers",
    9,
    (
        curves(
            "Open event streams",
            "Who reads the log, by process.",
            COUNT,
            Query("zhangfang_followers", "{{instance}}"),
        ),
        curves(
            "Events behind",
            "How far the slowest event stream of a process is behind the log's end.",
            COUNT,
            Query("zhangfang_follower_lag", "{{instance}}"),
        ),
        curves(
            "Time of a verification",
            "How long verifications took, on average over a day.",
            SECONDS,
            Query(
                'sum(increase(zhangfang_rpc_seconds_sum{method="VerifyLog"}[1d]))'
                ' / sum(increase(zhangfang_rpc_seconds_count{method="VerifyLog"}[1d]))',
                "verification",
            ),
        ),
        bars(
            "Alerts that fire",
            "By name and severity.",
            COUNT,
            'count by (alertname, severity) (ALERTS{alertname=~"Zhangfang.*", alertstate="firing"})',
            "{{severity}} {{alertname}}",
        ),
    ),
)

AUDIT = Board(
    "zhangfang-audit",
    "Zhangfang · audit",
    "Whether the log is sound and when that was last looked at, how it grows, and who follows it.",
    (SOUND, LOG, FOLLOWERS),
)
