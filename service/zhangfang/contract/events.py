"""Events as the log stores them: the house's values to bytes and back. The same event gives the same bytes."""

from typing import Any

from google.protobuf.message import Message

from zhangfang.contract import book_events, hand_events
from zhangfang.contract.times import read_time, write_time
from zhangfang.contract.translation import Translation
from zhangfang.domain.events import DomainEvent, Metadata
from zhangfang.wire.v1 import events_pb2

TRANSLATIONS: dict[str, Translation] = {
    translation.event.TOPIC: translation for translation in (*book_events.TRANSLATIONS, *hand_events.TRANSLATIONS)
}

_PUBLIC: dict[str, type[Message]] = {topic: getattr(events_pb2, topic) for topic in TRANSLATIONS}


def encode_event(event: DomainEvent) -> bytes:
    """The bytes the log stores of an event; its stream, version and place are stored beside them."""
    translation = TRANSLATIONS[event.TOPIC]
    message: Any = translation.message(metadata=_write_metadata(event.metadata), **translation.write(event))
    encoded: bytes = message.SerializeToString(deterministic=True)
    return encoded


def decode_event(topic: str, body: bytes, place: dict[str, Any]) -> DomainEvent:
    """The event of stored bytes; ``place`` has its stream, version, position and time."""
    translation = TRANSLATIONS[topic]
    message: Any = translation.message.FromString(body)
    return translation.event(metadata=_read_metadata(message.metadata), **place, **translation.read(message))


def decode_message(topic: str, body: bytes) -> Message:
    """The message of stored bytes, as auditors get it."""
    return _PUBLIC[topic].FromString(body)


def _write_metadata(metadata: Metadata) -> events_pb2.Metadata:
    return events_pb2.Metadata(
        actor=metadata.actor,
        request_id=metadata.request_id,
        occurred_at=None if metadata.occurred_at_us is None else write_time(metadata.occurred_at_us),
        software=metadata.software,
        fingerprint=metadata.fingerprint,
    )


def _read_metadata(message: events_pb2.Metadata) -> Metadata:
    occurred_at_us = read_time(message.occurred_at) if message.HasField("occurred_at") else None
    return Metadata(message.actor, message.request_id, message.fingerprint, occurred_at_us, message.software)
