"""What an audit says while it walks and when something is wrong."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Discrepancy:
    """One thing that is wrong; ``position`` is 0 for a projection's row without one.

    ``place`` is ``log``, or the projection's name.
    """

    position: int
    place: str
    text: str


@dataclass(frozen=True, slots=True)
class Progress:
    """How far an audit is: the position reached, and where the log ended when it began."""

    position: int
    last_position: int


class UnsoundLogError(Exception):
    """The log cannot be worked with because it is not what was written; ``discrepancy`` is the first thing wrong."""

    def __init__(self, discrepancy: Discrepancy) -> None:
        super().__init__(f"position {discrepancy.position}: {discrepancy.text}")
        self.discrepancy = discrepancy


def in_log(position: int, text: str) -> Discrepancy:
    """Something is wrong with the log itself."""
    return Discrepancy(position, "log", text)
