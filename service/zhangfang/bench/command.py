"""``zhangfang bench``: starts what it needs, measures, prints tables and writes JSON."""

import tempfile
from contextlib import ExitStack
from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

SECTIONS = ("judge", "writer", "unary", "stream", "replay", "growth", "soak")
"""What can be measured: each the name of a module here."""


def bench(
    sections: Annotated[
        list[str] | None, typer.Argument(help=f"What to measure: {', '.join(SECTIONS)}; all of it by default.")
    ] = None,
    *,
    quick: Annotated[bool, typer.Option("--quick", help="Under a minute: shows that it runs, not how fast.")] = False,
    seed: Annotated[int, typer.Option(help="The same seed makes the same hands.")] = 1,
    json: Annotated[Path | None, typer.Option(help="Also write the run to this file.")] = None,
    sqlite_only: Annotated[bool, typer.Option("--sqlite-only", help="Leave PostgreSQL out.")] = False,
) -> None:
    """Measure the house beside an echo, the simple design and bare inserts, in one run; 10 to 15 minutes."""
    from zhangfang.bench.figures import Figures
    from zhangfang.bench.plan import FULL, QUICK, Plan
    from zhangfang.bench.postgresql import PostgreSQL, find_programs
    from zhangfang.bench.report import describe, print_report, write_json

    chosen = sections or list(SECTIONS)
    unknown = [name for name in chosen if name not in SECTIONS]
    if unknown:
        raise typer.BadParameter(f"no section {unknown[0]!r}; there are {', '.join(SECTIONS)}")
    console = Console()
    programs = None if sqlite_only else find_programs()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="zhangfang-bench-")))
        postgresql = stack.enter_context(PostgreSQL(programs)) if programs else None
        status = stack.enter_context(console.status("starting"))
        plan = Plan(
            effort=QUICK if quick else FULL,
            seed=seed,
            folder=folder,
            figures=Figures(),
            postgresql=postgresql,
            tell=status.update,
        )
        for name in chosen:
            import_module(f"zhangfang.bench.{name}").measure(plan)
        about = describe(plan, chosen)
    print_report(console, about, plan.figures)
    if json:
        write_json(json, about, plan.figures)
        console.print(f"written to {json}")
