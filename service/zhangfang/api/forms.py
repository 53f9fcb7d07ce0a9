"""Requests as to form: ids, times, amounts, enums, pages. Every check names the field and what would be right."""

import base64
import binascii
import json
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, cast

import grpc
from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp
from google.protobuf.unknown_fields import UnknownFieldSet

from zhangfang.contract.times import read_time
from zhangfang.domain.commands import Request
from zhangfang.errors import Reason, Refusal, Status, Violation, invalid
from zhangfang.rules.games import GAMES
from zhangfang.rules.verdict import is_int64

ID_CHARACTERS_MAX = 64
PAGE_SIZE_DEFAULT = 50
PAGE_SIZE_MAX = 1000
ACTOR_KEY = "x-zhangfang-actor"
ACTOR_BINARY_KEY = f"{ACTOR_KEY}-bin"

HAND_BYTES_MAX = 256 * 1024
"""No hand is larger, be it one with ten thousand bets: judging one is a matter of milliseconds."""

_UNPRINTABLE = {"Cc", "Cs", "Zl", "Zp"}


@dataclass(frozen=True, slots=True)
class Unreadable:
    """What stands for a request whose bytes are no message of its type."""

    message_name: str


def check_readable(request: object) -> None:
    """Refuses a request that could not be read."""
    if isinstance(request, Unreadable):
        raise invalid("request", f"is no {request.message_name}: its bytes are cut off, or a text in it is not UTF-8")


def check_question(request: Message | Unreadable) -> None:
    """Refuses a question that could not be read, or not in full."""
    check_readable(request)
    check_known(cast("Message", request))


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


def read_request(message: Any, context: grpc.aio.ServicerContext[Any, Any]) -> Request:
    """Who asks, under which id, and a digest of all that is asked."""
    check_id("request_id", message.request_id)
    occurred_at_us = read_moment("occurred_at", message.occurred_at) if message.HasField("occurred_at") else None
    return Request(message.request_id, fingerprint(message), read_actor(context), occurred_at_us, message.ByteSize())


def fingerprint(message: Message) -> bytes:
    """A digest of a request's kind and body, 16 bytes."""
    digest = blake2b(message.DESCRIPTOR.full_name.encode(), digest_size=16)
    digest.update(message.SerializeToString(deterministic=True))
    return digest.digest()


def read_actor(context: grpc.aio.ServicerContext[Any, Any]) -> str:
    """The caller's name from the call's metadata; empty if it gave none.

    Plain metadata is ASCII; a name that is not, like 張三, comes as UTF-8 bytes under the key's ``-bin`` twin.
    """
    for key, value in context.invocation_metadata() or ():
        if key in (ACTOR_KEY, ACTOR_BINARY_KEY):
            try:
                text = value.decode() if isinstance(value, bytes) else value
            except UnicodeDecodeError:
                raise invalid(key, "is not UTF-8") from None
            check_text(key, text, ID_CHARACTERS_MAX)
            return text
    return ""


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


def check_reason(text: str) -> None:
    """Why something is voided or reversed: 1–500 printable characters, not all blank."""
    if not text.strip():
        raise invalid("reason", "is empty; say why in 1 to 500 characters")
    check_text("reason", text, 500)


def check_amount(field: str, amount: int) -> None:
    """An amount that moves is at least 1 silver."""
    if amount < 1:
        raise invalid(field, f"is {amount}; it must be at least 1 silver")


def read_moment(field: str, message: Timestamp) -> int:
    """Microseconds since 1970."""
    moment = read_time(message)
    if moment is None:
        raise invalid(field, "is no time between the years 1 and 9999; seconds and nanos (0 to 999999999) make one")
    return moment


def check_game(field: str, game: str) -> None:
    """The name of a game, or empty."""
    if game and game not in GAMES:
        raise invalid(field, f"{game[:64]!r} is no game; known are {', '.join(GAMES)}")


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


def read_page_size(size: int) -> int:
    """How many items a page may have."""
    if size < 0:
        raise invalid("page_size", f"is {size}; it must be 0 (for {PAGE_SIZE_DEFAULT}) to {PAGE_SIZE_MAX}")
    return min(size or PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX)


def write_page_token(request: Message, *key: int | str) -> str:
    """An opaque token for the page after ``key``, good only with the same filter."""
    return base64.urlsafe_b64encode(json.dumps([_filter_digest(request), *key]).encode()).decode()


def read_page_token(request: Any, *kinds: type) -> Any:
    """The key a page begins after, one value for each of ``kinds``; None for the first page."""
    if not request.page_token:
        return None
    try:
        digest, *key = json.loads(base64.urlsafe_b64decode(request.page_token.encode("ascii")))
    except (ValueError, binascii.Error, TypeError, RecursionError):
        raise _foreign_token() from None
    if digest != _filter_digest(request):
        raise _bad_token("belongs to another filter; begin again without a token")
    if [type(value) for value in key] != list(kinds) or not all(map(_is_key, key)):
        raise _foreign_token()
    return key if len(key) > 1 else key[0]


def _is_key(value: int | str) -> bool:
    return is_int64(value) if isinstance(value, int) else "\0" not in value


def _filter_digest(request: Any) -> str:
    plain = type(request)()
    plain.CopyFrom(request)
    plain.ClearField("page_token")
    plain.ClearField("page_size")
    return fingerprint(plain).hex()


def _foreign_token() -> Refusal:
    return _bad_token("is not one that this service gave; take next_page_token of the page before")


def _bad_token(text: str) -> Refusal:
    metadata: Mapping[str, str] = {"field": "page_token"}
    return Refusal(
        Status.INVALID_ARGUMENT,
        Reason.INVALID_PAGE_TOKEN,
        f"page_token {text}",
        metadata,
        (Violation("page_token", text),),
    )
