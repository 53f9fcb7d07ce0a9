"""Refusals as gRPC statuses: one ErrorInfo, the fields or preconditions concerned, and the faults of a hand.

A status travels in trailing metadata, and clients take 8 KB of those: the text once percent-encoded and once more with
the details, in base64. The limits here keep the worst of it below that; what does not fit is cut, or counted.
"""

from dataclasses import replace

import grpc
from google.protobuf import any_pb2
from google.protobuf.message import Message
from google.rpc import code_pb2, error_details_pb2, status_pb2

from zhangfang.contract.judging import write_faults
from zhangfang.errors import Refusal, Status
from zhangfang.rules.verdict import Fault, Faults
from zhangfang.wire.v1 import settlement_pb2

DOMAIN = "zhangfang"
FAULTS_BYTES_MAX = 2000
VIOLATIONS_BYTES_MAX = 900
TEXT_BYTES_MAX = 400
VALUE_BYTES_MAX = 256
STREAMED_FAULTS_BYTES_MAX = 64_000

CODES: dict[Status, grpc.StatusCode] = {status: grpc.StatusCode[status.name] for status in Status}


def to_status(refusal: Refusal) -> status_pb2.Status:
    """The google.rpc.Status of a refusal, for the reply."""
    details: list[Message] = [
        error_details_pb2.ErrorInfo(
            reason=refusal.reason,
            domain=DOMAIN,
            metadata={key: cut(value, VALUE_BYTES_MAX) for key, value in refusal.metadata.items()},
        )
    ]
    if refusal.status in (Status.INVALID_ARGUMENT, Status.OUT_OF_RANGE):
        details.append(_bad_request(refusal))
    elif refusal.status is Status.FAILED_PRECONDITION:
        details.append(_precondition_failure(refusal))
    if refusal.faults:
        details.append(write_faults(_shortened(refusal.faults), FAULTS_BYTES_MAX))
    if refusal.status is Status.RESOURCE_EXHAUSTED:
        retry = error_details_pb2.RetryInfo()
        retry.retry_delay.FromMilliseconds(200)
        details.append(retry)
    code = getattr(code_pb2, refusal.status.name)
    return status_pb2.Status(
        code=code, message=cut(refusal.text, TEXT_BYTES_MAX), details=[_packed(each) for each in details]
    )


def to_hand_error(refusal: Refusal) -> settlement_pb2.HandError:
    """A refusal as one answer of a stream carries it."""
    return settlement_pb2.HandError(
        code=refusal.status.value,
        message=refusal.text,
        reason=refusal.reason,
        faults=write_faults(refusal.faults, STREAMED_FAULTS_BYTES_MAX) if refusal.faults else None,
    )


def _bad_request(refusal: Refusal) -> error_details_pb2.BadRequest:
    detail = error_details_pb2.BadRequest()
    for violation in refusal.violations:
        detail.field_violations.add(
            field=cut(violation.field, VALUE_BYTES_MAX), description=cut(violation.description, TEXT_BYTES_MAX)
        )
    for fault in refusal.faults:
        detail.field_violations.add(
            field=_path(fault), description=cut(f"{fault.rule}: {fault.text}", TEXT_BYTES_MAX), reason=fault.rule
        )
        if detail.ByteSize() > VIOLATIONS_BYTES_MAX:
            del detail.field_violations[-1]
            break
    return detail


def _precondition_failure(refusal: Refusal) -> error_details_pb2.PreconditionFailure:
    detail = error_details_pb2.PreconditionFailure()
    subject = cut(next(iter(refusal.metadata.values()), ""), VALUE_BYTES_MAX)
    detail.violations.add(type=refusal.reason, subject=subject, description=cut(refusal.text, TEXT_BYTES_MAX))
    return detail


def _path(fault: Fault) -> str:
    """Where in the record a fault is, e.g. ``plays[7]`` or ``rules.kai_da_factor``."""
    if fault.field is not None:
        return f"rules.{fault.field}" if fault.section == "rules" else fault.field
    path = fault.section or "record"
    for place in (fault.action, fault.bet, fault.obligation, fault.event):
        if place is not None:
            return f"{path}[{place}]"
    if fault.hand:
        return f"{path}.{fault.hand}"
    return f"{path}[pot {fault.pot}]" if fault.pot else path


def cut(text: str, bytes_max: int) -> str:
    """A text that is at most so long in UTF-8; one that is longer ends with an ellipsis.

    >>> cut("半邊天炸", 9)
    '半邊…'
    """
    encoded = text.encode()
    if len(encoded) <= bytes_max:
        return text
    return encoded[: bytes_max - len("…".encode())].decode("utf-8", "ignore") + "…"


def _shortened(faults: Faults) -> Faults:
    """Faults whose texts are short enough that at least one fits into the details."""
    return tuple(
        [
            fault if len(fault.text) <= TEXT_BYTES_MAX // 4 else replace(fault, text=cut(fault.text, TEXT_BYTES_MAX))
            for fault in faults
        ]
    )


def _packed(message: Message) -> any_pb2.Any:
    packed = any_pb2.Any()
    packed.Pack(message)
    return packed
