"""``export`` and ``import``: the log as text, out of one store and into another."""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import IO, Annotated

import typer

from zhangfang.audit.findings import Progress
from zhangfang.cli.connection import JsonOption
from zhangfang.cli.problems import CommandError, ExitCode, misused
from zhangfang.cli.progress import progress_bar
from zhangfang.cli.store import makes_store, opens_store
from zhangfang.store.database import Database
from zhangfang.store.migrations.run import check_schema, migrate


class Format(StrEnum):
    """What an export is written as."""

    JSONL = "jsonl"
    HLEDGER = "hledger"
    BEANCOUNT = "beancount"


@opens_store
def export(
    database: Database,
    target: Annotated[str, typer.Argument(metavar="FILE", help="Where to; - for stdout.")] = "-",
    written_as: Annotated[Format, typer.Option("--format", help="jsonl can be imported again.")] = Format.JSONL,
    from_position: Annotated[int, typer.Option("--from-position", help="jsonl: the first position to export.")] = 1,
) -> None:
    """Writes the log as JSON lines, with the bytes its chain is over, or its silver as a ledger of another program.

    A file is there when it is whole, or not at all.

    Example: zhangfang export log.jsonl
    """
    from zhangfang.audit.bookkeeping import export_beancount, export_hledger
    from zhangfang.audit.export import UnknownPositionError, export_log

    if written_as is not Format.JSONL and from_position != 1:
        raise misused(f"--from-position goes with --format {Format.JSONL}; a ledger begins at the beginning")
    check_schema(database)
    writers = {
        Format.JSONL: lambda: export_log(database, from_position),
        Format.HLEDGER: lambda: export_hledger(database),
        Format.BEANCOUNT: lambda: export_beancount(database),
    }
    try:
        with _written(target) as file:
            file.writelines(writers[written_as]())
    except UnknownPositionError as error:
        raise misused(str(error)) from None


@makes_store
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
