"""Requests as to form: ids, times, amounts, enums, pages. Every check names the field and what would be right."""

import base64
import binascii
import json
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, cast

import grpc
from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from zhangfang.contract.reading import ID_CHARACTERS_MAX, check_id, check_known, check_text
from zhangfang.contract.times import read_time
from zhangfang.domain.commands import Request
from zhangfang.errors import Reason, Refusal, Status, Violation, invalid
from zhangfang.rules.games import GAMES
from zhangfang.rules.verdict import is_int64

PAGE_SIZE_DEFAULT = 50
PAGE_SIZE_MAX = 1000
ACTOR_KEY = "x-zhangfang-actor"
ACTOR_BINARY_KEY = f"{ACTOR_KEY}-bin"


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
