"""Hands: which there are, where they stand, who played; what they are is in their streams."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, Row, select

from zhangfang.domain.events import (
    ChoiceMade,
    DealRecorded,
    DomainEvent,
    HandOpened,
    HandReplaced,
    HandReversed,
    HandSettled,
    HandVoided,
)
from zhangfang.domain.hands import HandState
from zhangfang.store.bulk import Sink
from zhangfang.store.schema import hand_players, hands

TABLES = (hands, hand_players)

STATES: dict[type[DomainEvent], HandState] = {
    HandOpened: HandState.OPEN,
    DealRecorded: HandState.OPEN,
    ChoiceMade: HandState.OPEN,
    HandSettled: HandState.SETTLED,
    HandVoided: HandState.VOIDED,
    HandReversed: HandState.REVERSED,
    HandReplaced: HandState.REVERSED,
}

UNCHANGED_TIME = 0
"""The time of a row whose hand was reversed or replaced in a batch and nothing else: the one on disk stays."""

UPDATE = (
    "ON CONFLICT (hand_id) DO UPDATE SET state = excluded.state, version = excluded.version, "
    "recorded_at_us = CASE WHEN excluded.recorded_at_us = 0 THEN t.recorded_at_us ELSE excluded.recorded_at_us END"
)


def apply(sink: Sink, events: Sequence[DomainEvent]) -> None:
    """Brings each hand of a batch to its newest state and notes its players."""
    rows: dict[str, list[object]] = {}
    joined: dict[tuple[str, int, str], None] = {}
    for event in events:
        state = STATES.get(type(event))
        if state is None:
            continue
        row = rows.get(event.hand_id)
        if row is None:
            # A row that exists keeps its table, game and position: only what UPDATE names is written to it.
            row = rows[event.hand_id] = [event.table_id, event.game, "", event.position, 0, UNCHANGED_TIME]
        row[2], row[4] = state.value, event.originator_version
        if state is not HandState.REVERSED:
            row[5] = event.recorded_at_us
        for player_id, first_position in _joining(event):
            joined[player_id, first_position, event.hand_id] = None
    sink.insert(hands, [(hand_id, *row) for hand_id, row in rows.items()], UPDATE)
    sink.insert(hand_players, list(joined), "ON CONFLICT DO NOTHING")


def _joining(event: DomainEvent) -> list[tuple[str, int]]:
    """Who is part of a hand since this event, and where the hand began."""
    if isinstance(event, HandOpened):
        return [(player_id, event.position) for player_id in event.players]
    if isinstance(event, ChoiceMade):
        return [(event.player_id, event.opened_position)]
    if event.originator_version > 1:
        return []
    if isinstance(event, HandSettled):
        return [(settlement.player_id, event.position) for settlement in event.players]
    if isinstance(event, HandVoided):
        return [(player_id, event.position) for player_id in event.players]
    return []


def read_known(sink: Sink, hand_ids: Iterable[str]) -> list[str]:
    """Which of these hands exist."""
    query = "SELECT hand_id FROM {prefix}hands WHERE hand_id {keys}"
    return [row[0] for row in sink.select_in(query, sorted(hand_ids))]


@dataclass(frozen=True, slots=True)
class HandFilter:
    """Which hands are wanted; None and "" mean all. Times are microseconds since 1970."""

    player_id: str = ""
    table_id: str = ""
    game: str = ""
    state: HandState | None = None
    recorded_from_us: int | None = None
    recorded_before_us: int | None = None


def read_hands(
    connection: Connection, wanted: HandFilter, before: int | None, limit: int
) -> Sequence[Row[tuple[object, ...]]]:
    """Hands, newest first, that began before a position."""
    query = select(hands)
    position = hands.c.first_position
    if wanted.player_id:
        query = query.join(hand_players, hand_players.c.hand_id == hands.c.hand_id)
        query = query.where(hand_players.c.player_id == wanted.player_id)
        position = hand_players.c.first_position
    if wanted.table_id:
        query = query.where(hands.c.table_id == wanted.table_id)
    if wanted.game:
        query = query.where(hands.c.game == wanted.game)
    if wanted.state:
        query = query.where(hands.c.state == wanted.state.value)
    if wanted.recorded_from_us is not None:
        query = query.where(hands.c.recorded_at_us >= wanted.recorded_from_us)
    if wanted.recorded_before_us is not None:
        query = query.where(hands.c.recorded_at_us < wanted.recorded_before_us)
    if before is not None:
        query = query.where(position < before)
    return connection.execute(query.order_by(position.desc()).limit(limit)).all()
