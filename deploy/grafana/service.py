"""The service: is it up, is it quick, does it get written down."""

from deploy.grafana.board import BYTES, COUNT, PER_SECOND, SECONDS, SHARE, Board, Query, Row, bars, curves, number

QUANTILES = (("0.5", "half"), ("0.95", "95 of 100"), ("0.99", "99 of 100"))

NOW = Row(
    "Now",
    4,
    (
        number(
            "Processes",
            "Processes that answer Prometheus.",
            COUNT,
            'sum(up{job="zhangfang"})',
            limits=(1, 2),
            is_low_bad=True,
        ),
        number("Calls a second", "Calls answered, of all methods.", PER_SECOND, "sum(method:zhangfang_rpcs:rate5m)"),
        number(
            "Failing calls",
            "Share of calls of the last five minutes that the service could not answer. Refused hands are no failure.",
            SHARE,
            "zhangfang:rpc_errors:ratio_rate5m",
            limits=(0.001, 0.0144),
            decimals=3,
        ),
        number(
            "Slow calls",
            "Share of unary calls of the last five minutes that took over 100 ms.",
            SHARE,
            "zhangfang:rpc_slow:ratio_rate5m",
            limits=(0.01, 0.144),
            decimals=2,
        ),
        number(
            "Queue",
            "How full the fullest writer's queue is.",
            SHARE,
            "max(instance:zhangfang_writer_queue:ratio)",
            limits=(0.3, 0.7),
        ),
        number(
            "Alerts",
            "Alerts that are firing.",
            COUNT,
            'count(ALERTS{alertname=~"Zhangfang.*", alertstate="firing"}) or vector(0)',
            limits=(1, 3),
        ),
    ),
)

CALLS = Row(
    "Calls",
    9,
    (
        curves(
            "Calls a second",
            "Calls answered, by method.",
            PER_SECOND,
            Query(
                'sum by (method) (rate(zhangfang_rpcs_total{instance=~"$instance"}[$__rate_interval]))', "{{method}}"
            ),
            is_stacked=True,
        ),
        curves(
            "Time to the answer, 99 of 100",
            "Within this time 99 of 100 calls of a method are answered; of a stream, its whole life.",
            SECONDS,
            Query(
                "histogram_quantile(0.99, sum by (le, method) "
                '(rate(zhangfang_rpc_seconds_bucket{instance=~"$instance"}[$__rate_interval])))',
                "{{method}}",
            ),
        ),
        curves(
            "Calls not answered with OK",
            "By status. UNAVAILABLE and INTERNAL are the service's; the others are what callers asked wrongly.",
            PER_SECOND,
            Query(
                'sum by (code) (rate(zhangfang_rpcs_total{code!="OK", instance=~"$instance"}[$__rate_interval]))',
                "{{code}}",
            ),
            is_stacked=True,
        ),
    ),
)

REFUSALS = Row(
    "Refusals and calls at work",
    9,
    (
        curves(
            "Refusals a second",
            "Requests refused, by reason; each hand of a stream counts for itself.",
            PER_SECOND,
            Query(
                'sum by (reason) (rate(zhangfang_refusals_total{instance=~"$instance"}[$__rate_interval])) > 0',
                "{{reason}}",
            ),
            is_stacked=True,
        ),
        bars(
            "Refused within the time shown",
            "How many requests were refused, by reason.",
            COUNT,
            'sort_desc(sum by (reason) (increase(zhangfang_refusals_total{instance=~"$instance"}[$__range])) > 0)',
            "{{reason}}",
        ),
        curves(
            "Calls at work",
            "Calls and streams that are being answered.",
            COUNT,
            Query('sum by (method) (zhangfang_rpcs_in_flight{instance=~"$instance"}) > 0', "{{method}}"),
            is_stacked=True,
        ),
    ),
)

WRITER = Row(
    "Writer and log",
    9,
    (
        curves(
            "Time to commit a batch",
            "Deciding, appending and the commit itself.",
            SECONDS,
            *[
                Query(
                    f"histogram_quantile({quantile}, sum by (le) "
                    '(rate(zhangfang_commit_seconds_bucket{instance=~"$instance"}[$__rate_interval])))',
                    legend,
                )
                for quantile, legend in QUANTILES
            ],
        ),
        curves(
            "Batches, and batches the store refused",
            "Transactions a second; the store refuses when it is away, locked or slow.",
            PER_SECOND,
            Query('sum(rate(zhangfang_commit_seconds_count{instance=~"$instance"}[$__rate_interval]))', "committed"),
            Query('sum(rate(zhangfang_store_errors_total{instance=~"$instance"}[$__rate_interval]))', "refused"),
        ),
        curves(
            "Commands of a batch",
            "How many commands one transaction carries: it grows by itself when the store is slower than the callers.",
            COUNT,
            Query(
                'sum by (instance) (rate(zhangfang_batch_commands_sum{instance=~"$instance"}[$__rate_interval]))'
                ' / sum by (instance) (rate(zhangfang_batch_commands_count{instance=~"$instance"}[$__rate_interval]))',
                "{{instance}}",
            ),
        ),
        curves(
            "Commands waiting",
            "The writer's queue; callers are refused when it is full.",
            COUNT,
            Query('zhangfang_writer_queue{instance=~"$instance"}', "{{instance}}"),
            Query('min(zhangfang_writer_queue_max{instance=~"$instance"})', "full"),
        ),
    ),
)

PROCESSES = Row(
    "Processes",
    8,
    (
        curves(
            "Processor",
            "Cores at work: of the server, and of the processes that write and judge beside it.",
            COUNT,
            Query(
                'rate(process_cpu_seconds_total{job="zhangfang", instance=~"$instance"}[$__rate_interval])',
                "{{instance}}",
            ),
            Query(
                'rate(zhangfang_beside_cpu_seconds{instance=~"$instance"}[$__rate_interval])', "{{instance}} {{role}}"
            ),
        ),
        curves(
            "Memory",
            "What the operating system keeps for a process.",
            BYTES,
            Query('process_resident_memory_bytes{job="zhangfang", instance=~"$instance"}', "{{instance}}"),
            Query('zhangfang_beside_resident_memory_bytes{instance=~"$instance"}', "{{instance}} {{role}}"),
        ),
        curves(
            "Open files",
            "Connections, database connections and files.",
            COUNT,
            Query('process_open_fds{job="zhangfang", instance=~"$instance"}', "{{instance}}"),
        ),
        bars(
            "Versions",
            "Processes by version.",
            COUNT,
            'count by (version) (zhangfang_build_info{instance=~"$instance"})',
            "{{version}}",
        ),
    ),
)

SERVICE = Board(
    "zhangfang-service",
    "Zhangfang · service",
    "Whether the settlement service answers, how quickly, and how what it does gets written down.",
    (NOW, CALLS, REFUSALS, WRITER, PROCESSES),
    "instance",
    "zhangfang_build_info",
)
