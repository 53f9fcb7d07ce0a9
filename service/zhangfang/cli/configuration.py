"""The settings of the service as options: read from the command line, then from ``ZHANGFANG_…``, and checked."""

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any

import typer
from pydantic import ValidationError

from zhangfang.cli.problems import misused, reported
from zhangfang.config import Settings


def _option(name: str, field: Any) -> Any:
    option = typer.Option(f"--{name.replace('_', '-')}", envvar=f"ZHANGFANG_{name.upper()}", help=field.description)
    return Annotated[field.annotation, option]


def takes_settings(command: Callable[..., None]) -> Callable[..., None]:
    """Makes a command of a function of the Settings: each is an option and an environment variable."""

    @wraps(command)
    def run(**arguments: Any) -> None:
        with reported():
            command(read_settings({name: arguments.pop(name) for name in Settings.model_fields}), **arguments)

    shared = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=field.default, annotation=_option(name, field))
        for name, field in Settings.model_fields.items()
    ]
    own = list(inspect.signature(command, eval_str=True).parameters.values())[1:]
    run.__signature__ = inspect.Signature([*own, *shared])  # type: ignore[attr-defined]
    run.__annotations__ = {each.name: each.annotation for each in (*own, *shared)}
    return run


def read_settings(values: dict[str, Any]) -> Settings:
    """The settings, checked.

    Raises:
        CommandError: names the first one that is wrong.
    """
    try:
        return Settings(**values)
    except ValidationError as error:
        first = error.errors()[0]
        name = str(first["loc"][0])
        raise misused(
            f"--{name.replace('_', '-')} (ZHANGFANG_{name.upper()}) is {first['input']!r}: {first['msg']}"
        ) from None
