"""What can go wrong for somebody at the command line: the exit codes, and a refusal of the service told on stderr."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import IntEnum
from typing import NoReturn, TypeVar, cast

import grpc
import typer
from google.protobuf.message import Message
from google.rpc import error_details_pb2, status_pb2
from grpc_status import rpc_status

from zhangfang.wire.v1 import settlement_pb2

Detail = TypeVar("Detail", bound=Message)


class ExitCode(IntEnum):
    """What the shell gets; ``zhangfang --help`` lists the same."""

    OK = 0
    REFUSED = 1
    USAGE = 2
    UNREACHABLE = 3


@dataclass(slots=True)
class CommandError(Exception):
    """A command cannot go on: the exit code and what to print, ``reason: text``, with a line for each detail."""

    code: ExitCode
    reason: str
    text: str
    details: tuple[str, ...] = ()

    def __str__(self) -> str:
        return "\n".join((f"{self.reason}: {self.text}", *(f"  {line}" for line in self.details)))


def misused(text: str) -> CommandError:
    """The command line, a file or a setting is wrong; nothing was asked of the service."""
    return CommandError(ExitCode.USAGE, "usage", text)


@contextmanager
def reported() -> Iterator[None]:
    """Turns what a command raises into a message on stderr and an exit code.

    Somebody who stops reading (``| head``) has seen enough: that is no failure.
    """
    try:
        yield
    except CommandError as error:
        leave(error)
    except grpc.RpcError as error:
        leave(from_call(error))
    except BrokenPipeError:
        # What is still buffered goes nowhere, or the interpreter would complain about the lost reader at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(ExitCode.OK) from None


def leave(error: CommandError) -> NoReturn:
    """Prints the error and ends the command."""
    typer.echo(str(error), err=True)
    raise typer.Exit(error.code) from None


def from_call(error: grpc.RpcError) -> CommandError:
    """A failed call: refused by the service, or never answered by it."""
    status = _status_of(error)
    reason = next((info.reason for info in _details(status, error_details_pb2.ErrorInfo)), "")
    code, text = error.code(), error.details() or "no answer"
    if code in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED):
        hint = () if reason else ("is the service running? --target or ZHANGFANG_TARGET says where it is looked for",)
        return CommandError(ExitCode.UNREACHABLE, reason or code.name, text, hint)
    return CommandError(ExitCode.REFUSED, reason or code.name, text, tuple(_detail_lines(status, text)))


def from_answer(error: settlement_pb2.HandError) -> CommandError:
    """One refused hand of a stream."""
    return CommandError(ExitCode.REFUSED, error.reason, error.message, tuple(fault_lines(error.faults)))


def fault_lines(faults: settlement_pb2.Faults) -> Iterator[str]:
    """Each fault of a hand with its rule and its place. Rule: CM-5."""
    for fault in faults.faults:
        place = _place(fault)
        yield f"{fault.rule}{f' [{place}]' if place else ''}: {fault.text}"
    if faults.total > len(faults.faults):
        yield f"… and {faults.total - len(faults.faults)} more"


def _detail_lines(status: status_pb2.Status | None, text: str) -> Iterator[str]:
    has_faults = False
    for faults in _details(status, settlement_pb2.Faults):
        has_faults = True
        yield from fault_lines(faults)
    if has_faults:
        return
    for bad_request in _details(status, error_details_pb2.BadRequest):
        for violation in bad_request.field_violations:
            if violation.description in text:
                continue  # the only one, told already
            yield f"[{violation.field}] {violation.description}"


def _place(fault: settlement_pb2.Fault) -> str:
    parts = [fault.player_id and f"player {fault.player_id}", fault.section]
    parts += [f"{name} {getattr(fault, name)}" for name in ("action", "pot", "bet") if fault.HasField(name)]
    parts += [fault.hand and f"hand {fault.hand}", fault.card and f"card {fault.card}"]
    parts += [f"{name} {getattr(fault, name)}" for name in ("obligation", "event") if fault.HasField(name)]
    return ", ".join(part for part in (*parts, fault.field) if part)


def _status_of(error: grpc.RpcError) -> status_pb2.Status | None:
    try:
        status: status_pb2.Status | None = rpc_status.from_call(cast("grpc.Call", error))
    except ValueError:  # details that do not belong to this status: not of our service
        return None
    return status


def _details(status: status_pb2.Status | None, kind: type[Detail]) -> Iterator[Detail]:
    for packed in status.details if status else ():
        if packed.Is(kind.DESCRIPTOR):
            detail = kind()
            packed.Unpack(detail)
            yield detail
