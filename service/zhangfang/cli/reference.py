"""``metrics``: the reference of everything that can be watched, written from its definitions."""

import typer

from zhangfang.metrics_reference import write_reference


def metrics() -> None:
    """Prints the reference of all metrics as markdown.

    Example: zhangfang metrics > docs/metrics.md
    """
    typer.echo(write_reference(), nl=False)
