"""The hash chain over the log: whoever holds the last hash can prove every event before it.

The exact bytes are written down at the head of ``protos/zhangfang/v1/events.proto``.
"""

from hashlib import sha256
from struct import Struct

GENESIS = bytes(32)

_NUMBERS = Struct(">QQQ")
_LENGTH = Struct(">I")


def next_hash(
    previous_hash: bytes, position: int, version: int, recorded_at_us: int, stream: str, topic: str, body: bytes
) -> bytes:
    """The hash of one event, chained to the one before it.

    ``position`` and ``version`` count from 1 (a version may be 0 in foreign logs), ``recorded_at_us`` is microseconds
    since 1970.

    >>> next_hash(GENESIS, 1, 1, 0, "player/A", "PlayerRegistered", b"").hex()[:16]
    '326a07e06ad4ae50'
    """
    stream_bytes = stream.encode()
    topic_bytes = topic.encode()
    return sha256(
        b"".join(
            (
                previous_hash,
                _NUMBERS.pack(position, version, recorded_at_us),
                _LENGTH.pack(len(stream_bytes)),
                stream_bytes,
                _LENGTH.pack(len(topic_bytes)),
                topic_bytes,
                body,
            )
        )
    ).digest()
