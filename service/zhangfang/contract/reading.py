"""Reading what callers send: ids, and the one game's part of a message, in full or not at all."""

import unicodedata
from typing import Any

from google.protobuf.message import Message
from google.protobuf.unknown_fields import UnknownFieldSet

from zhangfang.errors import Reason, Refusal, Status, Violation, invalid
from zhangfang.rules.games import GAMES

ID_CHARACTERS_MAX = 64

HAND_BYTES_MAX = 256 * 1024
"""No hand is larger, be it one with ten thousand bets: judging one is a matter of milliseconds."""

_UNPRINTABLE = {"Cc", "Cs", "Zl", "Zp"}


def check_known(message: Message, path: str = "") -> None:
    """Refuses fields that this version does not know, e.g. of a newer client.

    To leave out a filter would answer another question, and to leave out a house rule or a part of a hand would judge
    something that was not played. ``path`` is where the message stands in the request.
    """
    known = type(message)()
    known.CopyFrom(message)
    known.DiscardUnknownFields()
    if known.ByteSize() != message.ByteSize():
        place, number = _unknown_field(message, path)
        raise invalid(place or "request", f"has a field with number {number}, which this version does not know")


def _unknown_field(message: Message, path: str) -> tuple[str, int]:
    """Where the first unknown field stands, and its number; 0 if all are known."""
    unknown = UnknownFieldSet(message)
    if len(unknown):
        return path, unknown[0].field_number
    for field, value in message.ListFields():
        if field.message_type:
            for index, part in enumerate(value if field.is_repeated else [value]):
                place = f"{path}.{field.name}" if path else field.name
                found = _unknown_field(part, f"{place}[{index}]" if field.is_repeated else place)
                if found[1]:
                    return found
    return path, 0


def read_game(field: str, message: Any, game: str) -> Any:
    """The one game's part of a ``oneof game``.

    Raises:
        Refusal: if no game is set, or another one than ``game``, or anything in it is unknown to this version, or it
            is larger than any hand can be.
    """
    if message.ByteSize() > HAND_BYTES_MAX:
        raise invalid(field, f"has {message.ByteSize()} bytes; no hand has more than {HAND_BYTES_MAX}")
    check_known(message, field)
    found = message.WhichOneof("game")
    if found is None:
        raise invalid(
            field, f"is missing; set {field}.{game}" if game else f"is missing; set one of {', '.join(GAMES)}"
        )
    if game and found != game:
        raise Refusal(
            Status.INVALID_ARGUMENT,
            Reason.WRONG_GAME,
            f"{field} is of {found}, but {game} is played here; set {field}.{game}",
            {"game": found, "table_game": game},
            (Violation(field, f"is of {found}, must be of {game}"),),
        )
    return getattr(message, found)


def check_id(field: str, text: str) -> None:
    """An id is 1–64 printable characters."""
    if not text:
        raise invalid(field, "is empty; an id is 1 to 64 printable characters")
    # Most ids are plain ASCII: one quick look settles them.
    if len(text) <= ID_CHARACTERS_MAX and text.isascii() and text.isprintable():
        return
    check_text(field, text, ID_CHARACTERS_MAX)


def check_text(field: str, text: str, characters_max: int) -> None:
    """A text without control characters, not too long; it may be empty."""
    if len(text) > characters_max:
        raise invalid(field, f"has {len(text)} characters; at most {characters_max} are allowed")
    for index, character in enumerate(text):
        if unicodedata.category(character) in _UNPRINTABLE:
            raise invalid(
                field, f"has the control character U+{ord(character):04X} at {index}; only printable ones are allowed"
            )
