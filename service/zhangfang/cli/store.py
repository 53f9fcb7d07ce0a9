"""The way to the store itself, where it lies, for commands that need no service."""

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Annotated, Any

import typer

from zhangfang.audit.findings import UnsoundLogError
from zhangfang.cli.problems import CommandError, ExitCode, reported
from zhangfang.config import Settings
from zhangfang.errors import Refusal
from zhangfang.store.database import Database, StoreError, require_file
from zhangfang.store.outages import explained

DatabaseOption = Annotated[
    str, typer.Option("--database-url", envvar="ZHANGFANG_DATABASE_URL", help="sqlite:///… or postgresql://…")
]


def opens_store(command: Callable[..., None]) -> Callable[..., None]:
    """Makes a command of a function whose first argument is the open Database: it gets ``--database-url``.

    A file that is not there is refused and not made: its name was mistyped.
    """
    return _on_store(command, require_file)


def makes_store(command: Callable[..., None]) -> Callable[..., None]:
    """As ``opens_store``, for a command with which a store begins: an embedded one that is not there is made."""
    return _on_store(command, lambda _: None)


def _on_store(command: Callable[..., None], check: Callable[[str], None]) -> Callable[..., None]:
    @wraps(command)
    def run(database_url: str, **arguments: Any) -> None:
        with reported(), opened(database_url, check) as database:
            command(database, **arguments)

    own = list(inspect.signature(command, eval_str=True).parameters.values())[1:]
    url = inspect.Parameter(
        "database_url",
        inspect.Parameter.KEYWORD_ONLY,
        default=Settings.model_fields["database_url"].default,
        annotation=DatabaseOption,
    )
    run.__signature__ = inspect.Signature([*own, url])  # type: ignore[attr-defined]
    run.__annotations__ = {each.name: each.annotation for each in (*own, url)}
    return run


@contextmanager
def opened(database_url: str, check: Callable[[str], None]) -> Iterator[Database]:
    """The store at a URL that passes the check.

    Raises:
        CommandError: if it cannot be used, or does not answer.
    """
    try:
        check(database_url)
        database = Database(database_url)
        try:
            yield database
        finally:
            database.close()
    except StoreError as error:
        raise CommandError(ExitCode.USAGE, "store", str(error)) from None
    except Refusal as refusal:
        raise CommandError(ExitCode.UNREACHABLE, refusal.reason, explained(refusal)) from None
    except UnsoundLogError as error:
        raise CommandError(ExitCode.REFUSED, "unsound", str(error)) from None
