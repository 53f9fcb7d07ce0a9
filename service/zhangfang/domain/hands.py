"""Hands: open while choices come in, then settled or voided, and perhaps reversed."""

from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from enum import StrEnum
from typing import Any

from zhangfang.domain.events import (
    Changes,
    ChoiceMade,
    DealRecorded,
    DomainEvent,
    HandOpened,
    HandReplaced,
    HandReversed,
    HandSettled,
    HandVoided,
    Metadata,
    PlayerSettlement,
    Posted,
    as_changes,
)
from zhangfang.domain.value import value
from zhangfang.rules.games import GAMES


class HandState(StrEnum):
    """Where a hand stands."""

    OPEN = "OPEN"
    SETTLED = "SETTLED"
    VOIDED = "VOIDED"
    REVERSED = "REVERSED"


@value
class Hand:
    """A hand as its stream tells it.

    ``record`` is the game's value, as far as it came in piece by piece; a hand settled in one go has it only in its
    ``judgement`` (the encoded message). ``position``, ``recorded_at_us`` and ``metadata`` are those of the event that
    settled or voided it, or of the newest one while it is open. ``holds`` is the
    silver held for open bets by player, ``replaced_by`` the hand that settled this reversed one again.
    """

    hand_id: str
    table_id: str
    game: str
    state: HandState
    version: int
    position: int
    recorded_at_us: int
    metadata: Metadata
    players: tuple[str, ...] = ()
    stake: int = 0
    house_rules: Any = None
    record: Any = None
    holds: Mapping[str, int] = field(default_factory=dict)
    replaces_hand_id: str = ""
    settlements: tuple[PlayerSettlement, ...] = ()
    postings: tuple[Posted, ...] = ()
    level_points: Changes = ()
    judgement: bytes = b""
    reason: str = ""
    reversal_position: int = 0
    reversal_postings: tuple[Posted, ...] = ()
    replaced_by: str = ""
    opened_position: int = 0

    @property
    def released(self) -> Changes:
        """What becomes free of its holds when it ends."""
        return as_changes({player_id: -held for player_id, held in self.holds.items()})


def evolve_hand(hand: Hand | None, event: DomainEvent) -> Hand:
    """The hand after one more event of its stream."""
    if isinstance(event, HandReversed) and hand:
        return replace(
            hand,
            state=HandState.REVERSED,
            version=event.originator_version,
            reason=event.reason,
            reversal_position=event.position,
            reversal_postings=event.postings,
        )
    if isinstance(event, HandReplaced) and hand:
        return replace(hand, version=event.originator_version, replaced_by=event.by_hand_id)
    changes = _changes(hand, event)
    changes["version"] = event.originator_version
    changes["position"] = event.position
    changes["recorded_at_us"] = event.recorded_at_us
    changes["metadata"] = event.metadata
    if hand:
        return replace(hand, **changes)
    return Hand(**{"state": HandState.OPEN, **changes}, hand_id=event.hand_id, table_id=event.table_id, game=event.game)


def project_hand(hand: Hand | None, events: Iterable[DomainEvent]) -> Hand | None:
    """The hand after the events of its stream, None if there are none: the library's projector function."""
    for event in events:
        hand = evolve_hand(hand, event)
    return hand


def _changes(hand: Hand | None, event: DomainEvent) -> dict[str, Any]:
    match event:
        case HandOpened():
            return {
                "players": event.players,
                "stake": event.stake,
                "house_rules": event.house_rules,
                "record": GAMES[event.game].begin(event.players),
                "replaces_hand_id": event.replaces_hand_id,
                "opened_position": event.position,
            }
        case DealRecorded() if hand:
            return {"record": GAMES[hand.game].deal(hand.record, event.deal, hand.house_rules)}
        case ChoiceMade() if hand:
            return {"record": _chosen(hand, event), "holds": _held(hand.holds, event.holds)}
        case HandSettled():
            return {
                "state": HandState.SETTLED,
                "players": tuple([settlement.player_id for settlement in event.players]),
                "replaces_hand_id": event.replaces_hand_id,
                "holds": {},
                "settlements": event.players,
                "postings": event.postings,
                "level_points": event.level_points,
                "judgement": event.judgement,
            }
        case HandVoided():
            return {
                "state": HandState.VOIDED,
                "players": event.players,
                "replaces_hand_id": event.replaces_hand_id,
                "holds": {},
                "reason": event.reason,
                "judgement": event.judgement,
            }
    raise AssertionError(f"{event.TOPIC} does not belong to the stream of a hand that stands there")


def _chosen(hand: Hand, event: ChoiceMade) -> Any:
    """The record with one more choice; it was checked when it was made, so nobody's silver is looked at again."""
    return GAMES[hand.game].choose(hand.record, event.player_id, event.choice, hand.house_rules, hand.stake, {})


def _held(before: Mapping[str, int], changes: Changes) -> dict[str, int]:
    held = dict(before)
    for player_id, change in changes:
        held[player_id] = held.get(player_id, 0) + change
    return held
