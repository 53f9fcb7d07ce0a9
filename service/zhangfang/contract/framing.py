"""Messages that are bytes already, put into others without being read again.

A protobuf message is its fields one after another, in any order: one that was encoded before may be appended as bytes.
"""

LENGTH_DELIMITED = 2


def embedded(field: int, payload: bytes) -> bytes:
    """A field with this number that holds an encoded message.

    >>> embedded(1, b"ab").hex(), embedded(15, bytes(200))[:3].hex()
    ('0a026162', '7ac801')
    """
    return b"".join((_varint(field << 3 | LENGTH_DELIMITED), _varint(len(payload)), payload))


def _varint(number: int) -> bytes:
    encoded = bytearray()
    while number > 0x7F:
        encoded.append(number & 0x7F | 0x80)
        number >>= 7
    encoded.append(number)
    return bytes(encoded)
