"""Events to bytes and back, as the event-sourcing library's Mapper: protobuf in the log, explicit topics."""

from typing import Any, cast

from eventsourcing.domain import DomainEventProtocol
from eventsourcing.persistence import JSONTranscoder, Mapper, StoredEvent
from eventsourcing.utils import register_topic, resolve_topic

from zhangfang.contract.events import decode_event, encode_event
from zhangfang.domain.events import EVENT_TYPES, DomainEvent
from zhangfang.store.recorder import LogEntry

for _event_type in EVENT_TYPES:
    register_topic(_event_type.TOPIC, _event_type)


class EventMapper(Mapper[str]):
    """Writes the house's events as the messages of ``events.proto``; a topic is the name of a message, for ever."""

    def __init__(self, **_kwargs: Any) -> None:
        super().__init__(transcoder=JSONTranscoder())

    def to_stored_event(self, domain_event: DomainEventProtocol[str]) -> LogEntry:
        """The event in its place in the log; its hash is the recorder's to add."""
        event = cast("DomainEvent", domain_event)
        return LogEntry(
            originator_id=event.originator_id,
            originator_version=event.originator_version,
            topic=event.TOPIC,
            state=encode_event(event),
            id=event.position,
            recorded_at_us=event.recorded_at_us,
            hash=b"",
        )

    def to_domain_event(self, stored_event: StoredEvent) -> DomainEvent:
        """The event that was stored."""
        event_type = resolve_topic(stored_event.topic)
        entry = cast("LogEntry", stored_event)
        place = {
            "originator_id": str(entry.originator_id),
            "originator_version": entry.originator_version,
            "position": entry.id,
            "recorded_at_us": entry.recorded_at_us,
        }
        return decode_event(event_type.TOPIC, entry.state, place)
