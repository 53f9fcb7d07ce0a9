"""What has happened: the events of the log as the house's own values.

An event belongs to a stream (``originator_id``, the library's word) and has a version in it, 1 for the first. Its
``position`` and ``recorded_at_us`` (microseconds since 1970) are 0 until it takes its place in the log.
``protos/zhangfang/v1/events.proto`` is how events are written down; ``contract/events.py`` translates.
"""

from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

from zhangfang.domain.value import named_value
from zhangfang.ledger.postings import PostingKind
from zhangfang.rules.banking import Bank
from zhangfang.rules.levels import StakeMode
from zhangfang.rules.payment import MoneyRules


class Metadata(NamedTuple):
    """Who asked for an event and with what.

    ``fingerprint`` is a digest of the request, by which a repeat is told from another body under the same id.
    ``occurred_at_us`` is the caller's time in microseconds since 1970, None if he named none.
    """

    actor: str
    request_id: str
    fingerprint: bytes
    occurred_at_us: int | None
    software: str


class Posted(NamedTuple):
    """One line of double entry in its place: ``amount`` silver moved ``account`` to ``balance_after``.

    A named tuple, like a player's settlement: every hand has several, and they are made in a third of the time.
    """

    account: str
    amount: int
    kind: PostingKind
    balance_after: int


class PlayerSettlement(NamedTuple):
    """What one hand did to one player's silver; see the message of the same name in ``money.proto``."""

    player_id: str
    net: int
    owed: int
    paid: int
    shortfall: int
    won: int
    received: int
    rake: int
    table_fee: int
    level_points: int
    balance_after: int
    available_after: int


Changes = tuple[tuple[str, int], ...]
"""Changes of silver or points by player id."""


def as_changes(amounts: Mapping[str, int]) -> Changes:
    """The amounts that are not zero, as an event records them."""
    return tuple([(player_id, amount) for player_id, amount in amounts.items() if amount])


@named_value
class DomainEvent:
    """What all events have in common; what an event does not concern is empty."""

    TOPIC: ClassVar[str] = ""

    originator_id: str
    originator_version: int
    metadata: Metadata
    position: int = 0
    recorded_at_us: int = 0
    hand_id: str = ""
    table_id: str = ""
    game: str = ""
    postings: tuple[Posted, ...] = ()
    holds: Changes = ()
    level_points: Changes = ()

    def take_place(self, position: int, recorded_at_us: int) -> None:
        """Takes its place in the log: the one change an event ever sees, made before anybody else does see it."""
        object.__setattr__(self, "position", position)
        object.__setattr__(self, "recorded_at_us", recorded_at_us)


@named_value
class PlayerRegistered(DomainEvent):
    """A player was registered. Stream ``player/<id>``."""

    TOPIC: ClassVar[str] = "PlayerRegistered"
    player_id: str
    display_name: str


@named_value
class Transferred(DomainEvent):
    """Silver came in or went out. Stream ``transfer/<request id>``. ``amount`` is ≥ 1; ``held`` is his at that time."""

    player_id: str
    amount: int
    note: str
    postings: tuple[Posted, ...]
    held: int


@named_value
class SilverDeposited(Transferred):
    """Silver came in."""

    TOPIC: ClassVar[str] = "SilverDeposited"


@named_value
class SilverWithdrawn(Transferred):
    """Silver went out."""

    TOPIC: ClassVar[str] = "SilverWithdrawn"


@named_value
class TableOpened(DomainEvent):
    """A table was opened. Stream ``table/<id>``. ``stake`` is 0 when it goes by wealth (CM-9)."""

    TOPIC: ClassVar[str] = "TableOpened"
    table_id: str
    game: str
    house_rules: Any
    stake_mode: StakeMode
    stake: int
    money_rules: MoneyRules
    seats: tuple[str, ...]
    draws: tuple[str, ...] = ()


@named_value
class TableClosed(DomainEvent):
    """A table was closed. Stream ``table/<id>``."""

    TOPIC: ClassVar[str] = "TableClosed"
    table_id: str


@named_value
class BankChanged(DomainEvent):
    """The bank of a 九點半 table changed, by a player's word or after a hand. Stream ``table/<id>``."""

    TOPIC: ClassVar[str] = "BankChanged"
    table_id: str
    player_id: str
    action: str
    hand_id: str
    bank: Bank


@named_value
class HandOpened(DomainEvent):
    """A hand was opened, to arrive piece by piece. Stream ``hand/<id>``."""

    TOPIC: ClassVar[str] = "HandOpened"
    hand_id: str
    table_id: str
    game: str
    players: tuple[str, ...]
    stake: int
    house_rules: Any
    replaces_hand_id: str


@named_value
class DealRecorded(DomainEvent):
    """The cards of an open hand were recorded. Stream ``hand/<id>``."""

    TOPIC: ClassVar[str] = "DealRecorded"
    hand_id: str
    table_id: str
    game: str
    deal: Any


@named_value
class ChoiceMade(DomainEvent):
    """A player chose. Stream ``hand/<id>``. A bet holds silver; ``opened_position`` is where its hand began."""

    TOPIC: ClassVar[str] = "ChoiceMade"
    hand_id: str
    table_id: str
    game: str
    player_id: str
    choice: Any
    opened_position: int
    holds: Changes = ()


@named_value
class HandSettled(DomainEvent):
    """A hand was judged and paid. Stream ``hand/<id>``. ``judgement`` is the encoded Judgement message, as judged."""

    TOPIC: ClassVar[str] = "HandSettled"
    hand_id: str
    table_id: str
    game: str
    replaces_hand_id: str
    postings: tuple[Posted, ...]
    holds: Changes
    level_points: Changes
    players: tuple[PlayerSettlement, ...]
    judgement: bytes


@named_value
class HandVoided(DomainEvent):
    """A hand ended without a posting. Stream ``hand/<id>``. ``judgement`` is empty but for a redeal."""

    TOPIC: ClassVar[str] = "HandVoided"
    hand_id: str
    table_id: str
    game: str
    reason: str
    players: tuple[str, ...]
    replaces_hand_id: str = ""
    holds: Changes = ()
    judgement: bytes = b""


@named_value
class HandReversed(DomainEvent):
    """A settled hand was posted back. Stream ``hand/<id>``. Rule: CM-11."""

    TOPIC: ClassVar[str] = "HandReversed"
    hand_id: str
    table_id: str
    game: str
    reason: str
    postings: tuple[Posted, ...]
    level_points: Changes


@named_value
class HandReplaced(DomainEvent):
    """A reversed hand is settled again under another id. Rule: CM-11.

    Stream ``hand/<id>`` of the reversed hand.
    """

    TOPIC: ClassVar[str] = "HandReplaced"
    hand_id: str
    table_id: str
    game: str
    by_hand_id: str


EVENT_TYPES: tuple[type[DomainEvent], ...] = (
    PlayerRegistered,
    SilverDeposited,
    SilverWithdrawn,
    TableOpened,
    TableClosed,
    BankChanged,
    HandOpened,
    DealRecorded,
    ChoiceMade,
    HandSettled,
    HandVoided,
    HandReversed,
    HandReplaced,
)
