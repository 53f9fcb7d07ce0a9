"""Requests: which request ids were answered, with which body, by which event.

A request's answer is told from one event: the last one in the stream of its first.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from zhangfang.domain.events import DomainEvent
from zhangfang.store.bulk import Sink
from zhangfang.store.schema import requests

TABLES = (requests,)


class Answered(NamedTuple):
    """A request that was answered: a digest of its body, and the position of the event that tells the answer."""

    fingerprint: bytes
    position: int


def apply(sink: Sink, events: Sequence[DomainEvent]) -> None:
    """Notes every request of a batch; all events of a request are in one batch."""
    answered = answered_by(events)
    sink.insert(requests, [(request_id, *answered[request_id]) for request_id in sorted(answered)])


def answered_by(events: Iterable[DomainEvent]) -> dict[str, Answered]:
    """The requests that these events answer."""
    streams: dict[str, str] = {}
    answered: dict[str, Answered] = {}
    for event in events:
        request_id = event.metadata.request_id
        if streams.setdefault(request_id, event.originator_id) == event.originator_id:
            answered[request_id] = Answered(event.metadata.fingerprint, event.position)
    return answered


def read_answered(sink: Sink, request_ids: Iterable[str]) -> dict[str, Answered]:
    """Which of these requests were answered."""
    query = "SELECT request_id, fingerprint, position FROM {prefix}requests WHERE request_id {keys}"
    return {row[0]: Answered(row[1], row[2]) for row in sink.select_in(query, sorted(request_ids))}
