"""Words of the contract and words of the house, one to one.

A wire enum that nobody knows (a newer client, a bad one) has no word here; readers give the number back as text, so
that whoever checks the value can name it.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Generic, TypeVar

from zhangfang.domain.hands import HandState
from zhangfang.ledger.postings import PostingKind
from zhangfang.rules.levels import PointsPerWin, StakeMode
from zhangfang.rules.payment import ShortfallPolicy
from zhangfang.rules.verdict import Ended
from zhangfang.wire.v1 import money_pb2, settlement_pb2

Word = TypeVar("Word", bound=StrEnum)


class Dictionary(Generic[Word]):
    """One enum in both languages.

    Args:
        wire_enum: the generated enum.
        prefix: of its value names.
        words: the house's enum.
        default: what UNSPECIFIED means, if it means anything.
    """

    def __init__(self, wire_enum: Any, prefix: str, words: type[Word], default: Word | None = None) -> None:
        self.to_wire: Mapping[Any, Any] = {word: wire_enum.Value(prefix + word.name) for word in words}
        self.to_word: dict[int, Word] = {number: word for word, number in self.to_wire.items()}
        if default is not None:
            self.to_word[0] = default

    def to_number(self, word: str) -> int:
        """The number of a word, 0 for none."""
        return next((number for known, number in self.to_wire.items() if known == word), 0)

    def read(self, number: int) -> Word:
        """The house's word; a number nobody knows comes back as a string of it, to be found faulty by its checker."""
        return self.to_word.get(number) or str(number)  # type: ignore[return-value]


SHORTFALL = Dictionary(money_pb2.ShortfallPolicy, "SHORTFALL_POLICY_", ShortfallPolicy, ShortfallPolicy.PRO_RATA)
STAKE_MODE = Dictionary(money_pb2.StakeMode, "STAKE_MODE_", StakeMode, StakeMode.FIXED)
POINTS_PER_WIN = Dictionary(money_pb2.PointsPerWin, "POINTS_PER_WIN_", PointsPerWin, PointsPerWin.LEVEL_BASE)
POSTING_KIND = Dictionary(money_pb2.PostingKind, "POSTING_KIND_", PostingKind)
ENDED = Dictionary(settlement_pb2.Ended, "ENDED_", Ended)
HAND_STATE = Dictionary(settlement_pb2.HandState, "HAND_STATE_", HandState)


class BankerAction(StrEnum):
    """What a player may do about the bank. Rule: JD-14."""

    APPLY = "apply"
    LEAVE = "leave"
    STEP_DOWN = "step_down"


BANKER_ACTION = Dictionary(settlement_pb2.BankerAction, "BANKER_ACTION_", BankerAction)
