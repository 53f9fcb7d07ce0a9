"""Why the house refuses: one exception with a status, a reason and the exact places, ready for the reply.

Refusals are for callers; a programmer's mistake raises what Python raises.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, StrEnum

from zhangfang.rules.verdict import Faults


class Status(Enum):
    """The gRPC status codes the house answers with, by number; only UNAVAILABLE and EXHAUSTED mean "send it again"."""

    INVALID_ARGUMENT = 3
    NOT_FOUND = 5
    ALREADY_EXISTS = 6
    RESOURCE_EXHAUSTED = 8
    FAILED_PRECONDITION = 9
    OUT_OF_RANGE = 11
    INTERNAL = 13
    UNAVAILABLE = 14


class Reason(StrEnum):
    """The ErrorInfo reasons: stable words a client may branch on."""

    INVALID_FIELD = "INVALID_FIELD"
    INVALID_PAGE_TOKEN = "INVALID_PAGE_TOKEN"  # noqa: S105 - the name of a reason
    INVALID_SETTINGS = "INVALID_SETTINGS"
    HAND_FAULTY = "HAND_FAULTY"
    WRONG_GAME = "WRONG_GAME"
    UNKNOWN_PLAYER = "UNKNOWN_PLAYER"
    UNKNOWN_TABLE = "UNKNOWN_TABLE"
    UNKNOWN_HAND = "UNKNOWN_HAND"
    UNKNOWN_ACCOUNT = "UNKNOWN_ACCOUNT"
    UNKNOWN_POSITION = "UNKNOWN_POSITION"
    PLAYER_EXISTS = "PLAYER_EXISTS"
    TABLE_EXISTS = "TABLE_EXISTS"
    HAND_EXISTS = "HAND_EXISTS"
    REQUEST_ID_REUSED = "REQUEST_ID_REUSED"
    TABLE_CLOSED = "TABLE_CLOSED"
    HAND_NOT_OPEN = "HAND_NOT_OPEN"
    HAND_NOT_SETTLED = "HAND_NOT_SETTLED"
    HAND_ALREADY_REVERSED = "HAND_ALREADY_REVERSED"
    HAND_VOIDED = "HAND_VOIDED"
    REPLACED_HAND_NOT_REVERSED = "REPLACED_HAND_NOT_REVERSED"
    CHOICE_REFUSED = "CHOICE_REFUSED"
    BANKER_REFUSED = "BANKER_REFUSED"
    INSUFFICIENT_SILVER = "INSUFFICIENT_SILVER"
    AMOUNT_OUT_OF_RANGE = "AMOUNT_OUT_OF_RANGE"
    QUEUE_FULL = "QUEUE_FULL"
    VERIFICATION_RUNNING = "VERIFICATION_RUNNING"
    STORE_UNAVAILABLE = "STORE_UNAVAILABLE"
    SHUTTING_DOWN = "SHUTTING_DOWN"
    INTERNAL = "INTERNAL"


@dataclass(frozen=True, slots=True)
class Violation:
    """One field of a request that is wrong: its path in the request and what would be right."""

    field: str
    description: str


@dataclass(slots=True)
class Refusal(Exception):  # noqa: N818 - a refusal is an answer, not an error of the house
    """A command or a question that is refused, and changes nothing.

    ``text`` is one sentence for a person: what was wrong, where, what would be right. ``metadata`` are the ErrorInfo
    details, ``violations`` the fields of the request, ``faults`` the faults of a hand (CM-5).
    """

    status: Status
    reason: Reason
    text: str
    metadata: Mapping[str, str] = field(default_factory=dict)
    violations: tuple[Violation, ...] = ()
    faults: Faults = ()

    def __str__(self) -> str:
        return self.text

    def __reduce__(self) -> tuple[type["Refusal"], tuple[object, ...]]:
        # An exception would be made again of the arguments it happened to get by position.
        told = (self.status, self.reason, self.text, dict(self.metadata), self.violations, self.faults)
        return Refusal, told


def invalid(field_path: str, description: str) -> Refusal:
    """One field of the request is wrong."""
    return Refusal(
        Status.INVALID_ARGUMENT,
        Reason.INVALID_FIELD,
        f"{field_path}: {description}",
        violations=(Violation(field_path, description),),
    )


def unknown_table(table_id: str) -> Refusal:
    """There is no such table."""
    text = f"there is no table {table_id!r}; open it first"
    return Refusal(Status.NOT_FOUND, Reason.UNKNOWN_TABLE, text, {"table_id": table_id})


def table_closed(table_id: str, consequence: str) -> Refusal:
    """A table is closed, and what therefore cannot be done there."""
    text = f"table {table_id!r} is closed{consequence}"
    return Refusal(Status.FAILED_PRECONDITION, Reason.TABLE_CLOSED, text, {"table_id": table_id})


def unknown_hand(hand_id: str) -> Refusal:
    """There is no such hand."""
    return Refusal(Status.NOT_FOUND, Reason.UNKNOWN_HAND, f"there is no hand {hand_id!r}", {"hand_id": hand_id})


def shutting_down(advice: str = "try again") -> Refusal:
    """The server drains; ``advice`` is what the caller can do."""
    return Refusal(Status.UNAVAILABLE, Reason.SHUTTING_DOWN, f"the service is shutting down; {advice}")


def faulty(faults: Faults) -> Refusal:
    """A hand with faults; one whose only faults are amounts that are no int64 is out of range. Rule: CM-1, CM-5."""
    text = _faults_text(faults)
    if all(fault.rule == "CM-1" for fault in faults):
        return Refusal(Status.OUT_OF_RANGE, Reason.AMOUNT_OUT_OF_RANGE, text, faults=faults)
    return Refusal(Status.INVALID_ARGUMENT, Reason.HAND_FAULTY, text, faults=faults)


def refused_choice(faults: Faults) -> Refusal:
    """A choice or a deal that the rulebook does not allow now."""
    return Refusal(Status.FAILED_PRECONDITION, Reason.CHOICE_REFUSED, _faults_text(faults), faults=faults)


def _faults_text(faults: Faults) -> str:
    first = f"{faults[0].rule}: {faults[0].text}"
    return first if len(faults) == 1 else f"{first} (and {len(faults) - 1} more)"
