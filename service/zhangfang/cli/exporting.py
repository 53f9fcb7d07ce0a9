"""``export`` and ``import``: the log as text, out of one store and into another."""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Annotated

import typer

from zhangfang.audit.findings import Progress
from zhangfang.cli.connection import JsonOption
from zhangfang.cli.problems import CommandError, ExitCode, misused
from zhangfang.cli.progress import progress_bar
from zhangfang.cli.store import opens_store
from zhangfang.store.database import Database
from zhangfang.store.migrations.run import check_schema, migrate


@opens_store
def export(
    database: Database,
    target: Annotated[str, typer.Argument(metavar="FILE", help="Where to; - for stdout.")] = "-",
    from_position: Annotated[int, typer.Option("--from-position", help="The first position to export.")] = 1,
) -> None:
    """Writes the log as JSON lines, with the bytes its chain is over. A file is there when it is whole, or not at all.

    Example: zhangfang export log.jsonl
    """
    from zhangfang.audit.export import UnknownPositionError, export_log

    check_schema(database)
    try:
        with _written(target) as file:
            file.writelines(export_log(database, from_position))
    except UnknownPositionError as error:
        raise misused(str(error)) from None


@opens_store
def import_(
    database: Database,
    source: Annotated[str, typer.Argument(metavar="FILE", help="An export; - for stdin.", show_default=False)],
    as_json: JsonOption = False,
) -> None:
    """Reads an export into an empty store: all of it, checked line by line, or nothing. Prints the new log's receipt.

    Example: zhangfang import log.jsonl --database-url sqlite:///copy.db
    """
    from zhangfang.audit.importing import ImportRefusedError, import_log

    database.claim()
    if database.is_sqlite:
        migrate(database)
    check_schema(database)
    receipt = ""
    try:
        with _read(source) as lines, progress_bar("importing") as show:
            for step in import_log(database, lines):
                if isinstance(step, Progress):
                    show(step.position, step.last_position)
                else:
                    receipt = str(step)
    except ImportRefusedError as error:
        raise CommandError(ExitCode.REFUSED, "import refused", str(error)) from None
    except UnicodeDecodeError:
        raise CommandError(ExitCode.REFUSED, "import refused", f"{source} is not UTF-8") from None
    typer.echo(json.dumps({"receipt": receipt}) if as_json else f"imported; receipt {receipt}")


@contextmanager
def _written(target: str) -> Iterator[IO[str]]:
    """A file that takes its name when it is whole; or stdout."""
    if target == "-":
        yield sys.stdout
        return
    path = Path(target)
    partial = path.with_name(f"{path.name}.partial")
    try:
        with partial.open("w", encoding="utf-8", newline="\n") as file:
            yield file
        partial.replace(path)
    except OSError as error:
        raise misused(f"{target} cannot be written: {error.strerror}") from None
    finally:
        partial.unlink(missing_ok=True)


@contextmanager
def _read(source: str) -> Iterator[IO[str]]:
    if source == "-":
        yield sys.stdin
        return
    try:
        file = Path(source).open(encoding="utf-8")  # noqa: SIM115 - closed below
    except OSError as error:
        raise misused(f"{source} cannot be read: {error.strerror}") from None
    with file:
        yield file
