"""``metrics``: the reference of everything that can be watched, written from its definitions."""

from collections.abc import Iterator

import typer

from zhangfang.metrics import DEFINITIONS, Definition


def metrics() -> None:
    """Prints the reference of all metrics as markdown.

    Example: zhangfang metrics > docs/metrics.md
    """
    typer.echo("\n".join(metrics_reference()))


def metrics_reference() -> Iterator[str]:
    """The lines of the reference: one section a metric."""
    yield "# Metrics"
    yield ""
    yield "Written by `zhangfang metrics` from their definitions. No label names a player, a hand or a table."
    for definition in DEFINITIONS:
        yield from ("", f"## {definition.name}", "")
        yield from _section(definition)


def _section(definition: Definition) -> Iterator[str]:
    yield definition.meaning
    yield ""
    yield f"- Kind: {definition.kind}; unit: {definition.unit}"
    for label, bound in definition.labels:
        yield f"- Label `{label}`: {bound}"
    yield from ("", "```promql", definition.query, "```")
