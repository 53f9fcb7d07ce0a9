"""Moments as microseconds since 1970, and as protobuf timestamps."""

from google.protobuf.timestamp_pb2 import Timestamp

FIRST_US = -62_135_596_800_000_000
LAST_US = 253_402_300_799_999_999


def read_time(message: Timestamp) -> int | None:
    """Microseconds since 1970, rounded down; None for a time outside of the years 1 to 9999 or with bad nanos."""
    if not 0 <= message.nanos < 1_000_000_000:
        return None
    moment = message.seconds * 1_000_000 + message.nanos // 1000
    return moment if FIRST_US <= moment <= LAST_US else None


def write_time(moment_us: int) -> Timestamp:
    """A timestamp of microseconds since 1970."""
    seconds, microseconds = divmod(moment_us, 1_000_000)
    return Timestamp(seconds=seconds, nanos=microseconds * 1000)
