"""Processes beside the server: how they are started and spoken to, and why none of them outlives it.

Each is ``python -m`` one of our modules, with a socket to its server as standard input: it ends when the server does,
however that happens. Both ends send messages, pickled, each with its length before it.
"""

import ctypes
import os
import pickle
import signal
import socket
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from struct import Struct
from typing import Any

LENGTH = Struct(">I")

PR_SET_PDEATHSIG = 1

CLOCK_TICKS = os.sysconf("SC_CLK_TCK")
PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


def digest_of_code(parts: Iterable[str] = ("",)) -> bytes:
    """A digest of the code in some folders of the package, by which a server knows processes of its own kind."""
    package = Path(__file__).parent
    digest = sha256()
    for path in sorted(path for part in parts for path in (package / part).rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.digest()


def pack(message: Any) -> bytes:
    """A message with its length before it. Both ends are this program, and nobody else writes to the socket."""
    encoded = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
    return LENGTH.pack(len(encoded)) + encoded


def unpack(encoded: bytes) -> Any:
    """The message of bytes without their length."""
    return pickle.loads(encoded)  # noqa: S301 - what ``pack`` made


class Ear:
    """Puts together messages of what arrives piece by piece."""

    def __init__(self) -> None:
        self._heard = bytearray()

    def hear(self, data: bytes) -> Iterator[Any]:
        """The messages that are complete now."""
        self._heard += data
        while len(self._heard) >= LENGTH.size:
            end = LENGTH.size + LENGTH.unpack_from(self._heard)[0]
            if len(self._heard) < end:
                return
            message = unpack(bytes(self._heard[LENGTH.size : end]))
            del self._heard[:end]
            yield message


def launch(module: str) -> tuple["subprocess.Popen[bytes]", socket.socket]:
    """Starts one of our modules; returns its process and the server's end of the socket between them.

    It takes no code from the folder the server was started in, and is out of reach of a Ctrl-C meant for the server.

    Raises:
        OSError: if it cannot be started.
    """
    ours, its = socket.socketpair()
    with its:
        command = [sys.executable, "-P", "-m", module]
        try:
            return subprocess.Popen(command, stdin=its.fileno(), start_new_session=True), ours  # noqa: S603
        except OSError:
            ours.close()
            raise


def server_of_this_process() -> socket.socket:
    """The socket to the server. Signals to a whole group are the server's to act on: it may still need this process.

    On Linux the kernel ends this process together with the thread of the server that started it.
    """
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, int(signal.SIGKILL))
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    return socket.socket(fileno=0)


def messages_of(server: socket.socket) -> Iterator[Any]:
    """What the server sends, until it ends; a message that it did not come to the end of is none."""
    stream = server.makefile("rb")
    while len(head := stream.read(LENGTH.size)) == LENGTH.size:
        (size,) = LENGTH.unpack(head)
        if len(encoded := stream.read(size)) < size:
            return
        yield unpack(encoded)


def cpu_seconds(pid: int) -> float:
    """CPU time of a process and of those of its children that have ended, user and system; 0 if it has ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0
    return sum(map(int, fields[11:15])) / CLOCK_TICKS


def resident_bytes(pid: int) -> int:
    """Memory that a process holds now; 0 if it has ended."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE_BYTES
    except OSError:
        return 0
