"""How one event is translated: what the two directions of it look like."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from google.protobuf.message import Message

from zhangfang.domain.events import DomainEvent

Fields = Callable[[Any], dict[str, Any]]
"""Takes an event or a message apart into the fields of the other."""


@dataclass(frozen=True, slots=True)
class Translation:
    """How one event is written and read; both leave out what every event has."""

    event: type[DomainEvent]
    message: type[Message]
    write: Fields
    read: Fields


def plain(*names: str) -> tuple[Fields, Fields]:
    """Both directions of an event whose fields are text on both sides."""

    def copy(source: Any) -> dict[str, Any]:
        return {name: getattr(source, name) for name in names}

    return copy, copy


def of_game(kind: type[Message], game: str, message: Message) -> Message:
    """A message with one game's part set, e.g. a Choice with its 半邊天炸 choice."""
    return kind(**{game: message})
