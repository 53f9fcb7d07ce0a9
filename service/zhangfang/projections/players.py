"""Players: who is registered, and the level points he has gained."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, Row, select

from zhangfang.domain.events import DomainEvent, PlayerRegistered
from zhangfang.store.bulk import Sink
from zhangfang.store.schema import level_points, players

TABLES = (players, level_points)

ADD_POINTS = "ON CONFLICT (player_id, game) DO UPDATE SET points = t.points + excluded.points"


def apply(sink: Sink, events: Sequence[DomainEvent]) -> None:
    """Adds the players registered and the level points gained in a batch."""
    registered = []
    points: dict[tuple[str, str], int] = {}
    for event in events:
        if isinstance(event, PlayerRegistered):
            registered.append((event.player_id, event.display_name, event.position, event.recorded_at_us))
        for player_id, change in event.level_points:
            points[player_id, event.game] = points.get((player_id, event.game), 0) + change
    sink.insert(players, registered)
    sink.insert(
        level_points, [(player_id, game, points[player_id, game]) for player_id, game in sorted(points)], ADD_POINTS
    )


@dataclass(frozen=True, slots=True)
class PlayerRow:
    """A registered player; ``points`` are his level points by game."""

    player_id: str
    display_name: str
    registered_at_us: int
    points: Mapping[str, int]


def read_registered(sink: Sink, player_ids: Iterable[str]) -> set[str]:
    """Which of these players are registered."""
    query = "SELECT player_id FROM {prefix}players WHERE player_id {keys}"
    return {row[0] for row in sink.select_in(query, sorted(player_ids))}


def read_points(sink: Sink, player_ids: Iterable[str]) -> dict[tuple[str, str], int]:
    """Level points by player and game."""
    query = "SELECT player_id, game, points FROM {prefix}level_points WHERE player_id {keys}"
    return {(row[0], row[1]): row[2] for row in sink.select_in(query, sorted(player_ids))}


def read_player(connection: Connection, player_id: str) -> PlayerRow | None:
    """One player."""
    found = _with_points(connection, connection.execute(select(players).where(players.c.player_id == player_id)).all())
    return found[0] if found else None


def read_players(connection: Connection, after: str, limit: int) -> list[PlayerRow]:
    """Players by id, after an id."""
    query = select(players).where(players.c.player_id > after).order_by(players.c.player_id).limit(limit)
    return _with_points(connection, connection.execute(query).all())


def _with_points(connection: Connection, rows: Sequence[Row[tuple[object, ...]]]) -> list[PlayerRow]:
    points = read_points(Sink(connection), [row.player_id for row in rows])
    by_player: dict[str, dict[str, int]] = {}
    for (player_id, game), count in points.items():
        by_player.setdefault(player_id, {})[game] = count
    return [
        PlayerRow(row.player_id, row.display_name, row.registered_at_us, by_player.get(row.player_id, {}))
        for row in rows
    ]
