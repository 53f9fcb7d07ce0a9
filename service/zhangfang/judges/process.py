"""One judge: ``python -m zhangfang.judges.process``, with a socket to its server as standard input.

It answers bundles of questions in their order and ends when the server does. Signals to the whole group, as Ctrl-C
sends them, are the server's to act on: it may still need its judges to drain.
"""

import gc
import pickle
import signal
import socket
from collections.abc import Iterator
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from struct import Struct
from typing import Any

from zhangfang.judges.ruling import Question, answer, flatten

LENGTH = Struct(">I")

JUDGING = ("contract", "judges", "rules", "wire")
"""The parts of the package that make a ruling what it is."""


def digest_of_code() -> bytes:
    """A digest of the code that rules, by which a server knows judges of its own kind."""
    package = Path(__file__).parent.parent
    digest = sha256()
    for path in sorted(path for part in JUDGING for path in (package / part).rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.digest()


CODE = digest_of_code()


def pack(bundle: Any) -> bytes:
    """A bundle with its length before it. Both ends are this program, and nobody else writes to the socket."""
    encoded = pickle.dumps(bundle, protocol=pickle.HIGHEST_PROTOCOL)
    return LENGTH.pack(len(encoded)) + encoded


def unpack(encoded: bytes) -> Any:
    """The bundle of bytes without their length."""
    return pickle.loads(encoded)  # noqa: S301 - what ``pack`` made


def bundles(server: socket.socket) -> Iterator[Any]:
    """What the server sends, until it ends."""
    stream = server.makefile("rb")
    while head := stream.read(LENGTH.size):
        yield unpack(stream.read(*LENGTH.unpack(head)))


def serve(server: socket.socket) -> None:
    """Says what code it runs, and answers until the server ends."""
    server.sendall(pack(CODE))
    for bundle in bundles(server):
        server.sendall(pack([flatten(answer(Question(*question))) for question in bundle]))


def main() -> None:
    """A judge's life."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    gc.freeze()
    with suppress(ConnectionError):  # the server ended while an answer was on its way
        serve(socket.socket(fileno=0))


if __name__ == "__main__":
    main()
