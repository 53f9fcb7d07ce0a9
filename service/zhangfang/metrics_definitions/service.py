"""How the service does: calls, the log and its writer, audits, the process."""

from zhangfang.metrics_definitions.definition import (
    BATCH_BUCKETS,
    CODE,
    LATENCY_BUCKETS,
    METHOD,
    REASON,
    ROLE,
    VERSION,
    Definition,
)

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
        "zhangfang_writer_processes",
        "gauge",
        "processes",
        (),
        "Processes beside this one that write: 1, or 0 if a thread of this one does, as it also does when the process "
        "was lost.",
        "sum(zhangfang_writer_processes)",
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
    Definition(
        "zhangfang_beside_cpu_seconds",
        "gauge",
        "seconds",
        (ROLE,),
        "CPU time of the processes that write and judge beside this one, of those that run now.",
        "sum by (instance, role) (rate(zhangfang_beside_cpu_seconds[5m]))",
    ),
    Definition(
        "zhangfang_beside_resident_memory_bytes",
        "gauge",
        "bytes",
        (ROLE,),
        "Memory of the processes that write and judge beside this one.",
        "sum by (instance, role) (zhangfang_beside_resident_memory_bytes)",
    ),
)
