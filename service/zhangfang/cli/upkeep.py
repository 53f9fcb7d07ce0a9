"""``migrate``, ``rebuild``, ``rejudge`` and ``check-receipt``: the store made ready, made anew, proven."""

import json
from dataclasses import asdict
from typing import Annotated, Any

import typer

from zhangfang.audit.findings import Progress
from zhangfang.cli.connection import JsonOption
from zhangfang.cli.printing import Printer
from zhangfang.cli.problems import CommandError, ExitCode, misused
from zhangfang.cli.progress import progress_bar
from zhangfang.cli.store import makes_store, opens_store
from zhangfang.store.database import Database
from zhangfang.store.migrations.run import check_schema
from zhangfang.store.migrations.run import migrate as run_migrations


@makes_store
def migrate(database: Database, as_json: JsonOption = False) -> None:
    """Brings the store to the schema of this version; an embedded store is also migrated when it is served.

    Example: zhangfang migrate --database-url postgresql://zhangfang@db/zhangfang
    """
    database.claim()
    before, after = run_migrations(database)
    if as_json:
        _print_json({"before": before, "after": after})
    else:
        typer.echo(f"schema {after}: nothing to do" if before == after else f"schema {before or 'none'} → {after}")


@opens_store
def rebuild(database: Database, as_json: JsonOption = False) -> None:
    """Makes every projection anew from the log, beside the live ones, and swaps them in; the service may go on.

    Exits with 0 also when something differed: it is right now. What it was is printed.

    Example: zhangfang rebuild --database-url sqlite:///var/zhangfang.db
    """
    from zhangfang.audit.rebuild import Rebuilt
    from zhangfang.audit.rebuild import rebuild as run

    check_schema(database)
    rebuilt = Rebuilt(0)
    with progress_bar("rebuilding") as show:
        for step in run(database):
            if isinstance(step, Progress):
                show(step.position, step.last_position)
            else:
                rebuilt = step
    if as_json:
        _print_json(asdict(rebuilt))
        return
    printer = Printer()
    printer.heading(f"All projections are rebuilt up to position {rebuilt.position}.")
    if rebuilt.discrepancies:
        rows = [(str(each.position or ""), each.place, each.text) for each in rebuilt.discrepancies]
        printer.table("What differed before", ("#position", "place", "what differed"), rows)


@opens_store
def rejudge(database: Database, as_json: JsonOption = False) -> None:
    """Judges every settled hand again by today's code; what was settled stays. Exits with 1 if any would differ.

    Example: zhangfang rejudge
    """
    from zhangfang.audit.rejudge import Rejudged
    from zhangfang.audit.rejudge import rejudge as run

    check_schema(database)
    printer = Printer()
    judged = Rejudged(0, 0)
    with progress_bar("judging") as show:
        for step in run(database):
            if isinstance(step, Progress):
                show(step.position, step.last_position)
            elif isinstance(step, Rejudged):
                judged = step
            elif as_json:
                _print_json(asdict(step))
            else:
                printer.line(f"{step.position}  {step.hand_id}  {step.game}  {step.rule or step.place}: {step.text}")
    if as_json:
        _print_json(asdict(judged))
    else:
        printer.heading(f"{judged.hand_count:,} hands judged again, {judged.different_count:,} differ")
    if judged.different_count:
        raise typer.Exit(ExitCode.REFUSED)


@opens_store
def check_receipt(
    database: Database,
    receipt: Annotated[str, typer.Argument(help="What head printed: position:hash.", show_default=False)],
    as_json: JsonOption = False,
) -> None:
    """Says whether the log still begins with what it held when the receipt was given. Exits with 1 if not.

    Example: zhangfang check-receipt 17:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
    """
    from zhangfang.audit.receipts import Receipt
    from zhangfang.audit.receipts import check_receipt as check

    try:
        seen = Receipt.read(receipt)
    except ValueError as error:
        raise misused(str(error)) from None
    check_schema(database)
    wrong = check(database, seen.position, seen.hash)
    if as_json:
        _print_json({"is_sound": wrong is None, "discrepancy": wrong and asdict(wrong)})
    if wrong:
        raise CommandError(ExitCode.REFUSED, "unsound", f"position {wrong.position}: {wrong.text}")
    if not as_json:
        typer.echo(f"The log still begins with what it held at position {seen.position}.")


def _print_json(value: dict[str, Any]) -> None:
    """A finding of the audit: no message of the contract, but one object on one line all the same."""
    typer.echo(json.dumps(value, ensure_ascii=False))
