"""What a caller sees of a refusal: status, ErrorInfo and details, taken apart and checked as every refusal must be."""

import base64
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import grpc
import pytest
from google.rpc import error_details_pb2, status_pb2

from zhangfang.errors import Reason
from zhangfang.wire.v1.settlement_pb2 import Faults

METADATA_BYTES_MAX = 8192
ENTRY_BYTES = 32
"""What HTTP/2 counts for each entry beside its name and value."""


@dataclass(frozen=True)
class Refused:
    """One refusal over the wire."""

    code: grpc.StatusCode
    reason: Reason
    text: str
    metadata: dict[str, str]
    fields: tuple[str, ...] = ()
    preconditions: tuple[str, ...] = ()
    faults: Faults | None = None


def refusal(call: Callable[[], Any]) -> Refused:
    """The refusal that a call meets; fails if it is accepted, or refused in another way than the contract says."""
    with pytest.raises(grpc.RpcError) as caught:
        _exhaust(call)
    return read_refusal(caught.value)


def _exhaust(call: Callable[[], Any]) -> None:
    answer = call()
    if isinstance(answer, grpc.Call):  # a stream
        list(answer)  # type: ignore[call-overload]


def read_refusal(error: Any) -> Refused:
    """A refusal's parts."""
    trailers = list(error.trailing_metadata())
    encoded = [value for key, value in trailers if key == "grpc-status-details-bin"]
    assert len(encoded) == 1, f"no details: {error.code()} {error.details()}"
    status = status_pb2.Status.FromString(encoded[0])
    assert (status.code, status.message) == (error.code().value[0], error.details())
    assert bytes_of(trailers, error.details()) < METADATA_BYTES_MAX
    infos = _unpacked(status, error_details_pb2.ErrorInfo)
    assert len(infos) == 1
    assert infos[0].domain == "zhangfang"
    faults = _unpacked(status, Faults)
    requests = _unpacked(status, error_details_pb2.BadRequest)
    preconditions = _unpacked(status, error_details_pb2.PreconditionFailure)
    assert bool(requests) == (error.code() in (grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.OUT_OF_RANGE))
    assert bool(preconditions) == (error.code() is grpc.StatusCode.FAILED_PRECONDITION)
    return Refused(
        code=error.code(),
        reason=Reason(infos[0].reason),
        text=error.details(),
        metadata=dict(infos[0].metadata),
        fields=tuple(each.field for detail in requests for each in detail.field_violations),
        preconditions=tuple(each.type for detail in preconditions for each in detail.violations),
        faults=faults[0] if faults else None,
    )


def bytes_of(trailers: list[tuple[str, Any]], text: str) -> int:
    """The size of a status on the wire: its text percent-encoded, binary values in base64."""
    size = len("grpc-status") + 2 + ENTRY_BYTES + len("grpc-message") + len(quote(text)) + ENTRY_BYTES
    for key, value in trailers:
        size += len(key) + ENTRY_BYTES + (len(base64.b64encode(value)) if key.endswith("-bin") else len(value))
    return size


def _unpacked(status: status_pb2.Status, kind: type[Any]) -> list[Any]:
    found = []
    for detail in status.details:
        if detail.Is(kind.DESCRIPTOR):
            message = kind()
            detail.Unpack(message)
            found.append(message)
    return found
