"""The reference of the metrics as a Markdown page: ``zhangfang metrics`` prints it, ``docs/metrics.md`` is a copy."""

from collections.abc import Iterator

from zhangfang.metrics_definitions import GROUPS, Definition

PREFACE = """\
# Metrics

Every process of the service answers Prometheus under `/metrics` on its metrics port (9464 unless configured).
This page is printed by `zhangfang metrics`.

- No label ever names a player, a hand or a table. Each label has a bound, written beside it; series with few label
  values are there from the first scrape on, at zero.
- Counters begin at zero with each process and go on counting until it ends: query them with `rate` or `increase`. They
  count what this process did; with several processes sum over them. What the process that writes committed in the
  moment it was lost is not counted.
- Gauges tell what this process saw last; the queries say how several processes are put together.
- Amounts are silver. Prometheus keeps numbers as 64-bit floats: above 2^53 an amount is rounded here, never in the
  books.
- Times are seconds.
"""

PROCESS_NOTE = """\
Beside these, `process_cpu_seconds_total`, `process_resident_memory_bytes`, `process_start_time_seconds`,
`process_open_fds` and their like are exposed as every Prometheus client does on Linux.
"""


def write_reference() -> str:
    """The whole page."""
    sections = [PREFACE, _overview()]
    for title, definitions in GROUPS:
        sections.append(f"## {title}\n")
        sections.extend(_entry(definition) for definition in definitions)
    sections.append(PROCESS_NOTE)
    return "\n".join(sections)


def _overview() -> str:
    lines = ["| metric | type | unit | labels | meaning |", "| --- | --- | --- | --- | --- |"]
    for _, definitions in GROUPS:
        for each in definitions:
            labels = ", ".join(f"`{label}`" for label, _ in each.labels) or "–"
            name = each.name if each.kind == "histogram" else each.exposed_names[0]
            lines.append(f"| `{name}` | {each.kind} | {each.unit} | {labels} | {each.meaning} |")
    return "\n".join(lines) + "\n"


def _entry(definition: Definition) -> str:
    return "\n".join(_entry_lines(definition))


def _entry_lines(definition: Definition) -> Iterator[str]:
    yield f"### {definition.name}\n"
    yield definition.meaning + "\n"
    yield f"- type: {definition.kind}, in {definition.unit}"
    yield f"- series: {', '.join(f'`{name}`' for name in definition.exposed_names)}"
    for label, bound in definition.labels:
        yield f"- label `{label}`: {bound}"
    if definition.buckets:
        yield f"- buckets: {', '.join(f'{bound:g}' for bound in definition.buckets)}"
    yield f"\n```promql\n{definition.query}\n```\n"
