"""Requests that come as JSON: read from a file, from stdin or from the command line, and named by their content."""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from io import StringIO
from pathlib import Path
from typing import IO, Annotated, Any, TypeVar
from uuid import uuid4

import typer
from google.protobuf import json_format
from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from zhangfang.cli.problems import misused

SourceArgument = Annotated[
    str, typer.Argument(help="A JSON file, - for stdin, or the JSON itself.", show_default=False)
]
RequestIdOption = Annotated[
    str, typer.Option("--request-id", help="Makes a repeat of the command get the first answer; default: a new one.")
]
LimitOption = Annotated[int, typer.Option("--limit", min=0, help="At most this many; 0 for all.")]

Wanted = TypeVar("Wanted", bound=Message)


def read_request(source: str, kind: type[Wanted]) -> Wanted:
    """The one request of a source."""
    found = list(read_requests(source, kind))
    if len(found) != 1:
        raise misused(f"{_named(source)} holds {len(found)} objects; one {kind.DESCRIPTOR.name} is wanted")
    return found[0]


def read_requests(source: str, kind: type[Wanted]) -> Iterator[Wanted]:
    """The requests of a source, one after the other: a single object, a list of them, or JSON lines."""
    with _opened(source) as lines:
        for line_number, value in _values(lines, _named(source)):
            for each in value if isinstance(value, list) else [value]:
                yield parse(each, kind, f"{_named(source)}, line {line_number}")


def parse(value: Any, kind: type[Wanted], place: str) -> Wanted:
    """A message of its proto JSON."""
    if not isinstance(value, dict):
        raise misused(f"{place}: a JSON object is wanted, this is {json.dumps(value, ensure_ascii=False)[:60]}")
    try:
        return json_format.ParseDict(value, kind())
    except json_format.ParseError as error:
        raise misused(f"{place}: no {kind.DESCRIPTOR.name}: {error}") from None


def digest_id(message: Message, prefix: str) -> str:
    """A request id made of a request's content: the same request gets the same one."""
    digest = sha256(message.DESCRIPTOR.full_name.encode() + b"\0" + message.SerializeToString(deterministic=True))
    return f"{prefix}-{digest.hexdigest()[:32]}"


def new_id() -> str:
    """A request id that nobody used before."""
    return str(uuid4())


def read_moment(option: str, text: str) -> Timestamp | None:
    """A time with its zone, e.g. ``2026-01-31T12:00:00Z``; None if empty."""
    if not text:
        return None
    moment = Timestamp()
    try:
        moment.FromJsonString(text)
    except ValueError:
        raise misused(f"{option} {text!r} is no time with a zone; write e.g. 2026-01-31T12:00:00Z") from None
    return moment


def _values(lines: IO[str], name: str) -> Iterator[tuple[int, Any]]:
    """The JSON values of a file with the line each begins at.

    A file whose first line is a whole value is JSON lines, read as it comes; any other is one value of many lines.
    """
    is_lines = None
    for line_number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        if is_lines is None:
            is_lines = _is_whole(line)
            if not is_lines:
                yield line_number, _load(line + lines.read(), name, line_number)
                return
        yield line_number, _load(line, name, line_number)
    if is_lines is None:
        raise misused(f"{name} is empty")


def _is_whole(line: str) -> bool:
    try:
        json.loads(line)
    except json.JSONDecodeError:
        return False
    return True


def _load(text: str, name: str, first_line: int) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise misused(f"{name}, line {first_line + error.lineno - 1}: no JSON: {error.msg}") from None


@contextmanager
def _opened(source: str) -> Iterator[Any]:
    if source == "-":
        yield sys.stdin
    elif source.lstrip().startswith(("{", "[")):
        yield StringIO(source)
    else:
        try:
            with Path(source).open(encoding="utf-8") as file:
                yield file
        except OSError as error:
            raise misused(f"{source} cannot be read: {error.strerror}") from None
        except UnicodeDecodeError:
            raise misused(f"{source} is not UTF-8") from None


def _named(source: str) -> str:
    return "stdin" if source == "-" else "the JSON given" if source.lstrip().startswith(("{", "[")) else source
