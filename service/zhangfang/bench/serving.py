"""Server processes for the benchmark: the house itself, an echo, and the simple design.

``python -m zhangfang.bench.serving KIND URL SEED PORT`` serves until its standard input ends; its first line of output
is the port.
"""

import asyncio
import logging
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from threading import Thread
from typing import Self

import structlog
import uvloop

from zhangfang.api.server import Server
from zhangfang.bench import echo, naive
from zhangfang.beside import cpu_seconds, resident_bytes
from zhangfang.config import Settings

KINDS = ("house", "worker", "echo", "naive")
"""A worker is a house that does everything itself, as those of ``serve --workers`` do."""


class ServerProcess:
    """One server in a process of its own, while the ``with`` block runs.

    Args:
        kind: one of KINDS.
        url: its database; an echo has none.
        port: 0 takes a free one.
    """

    def __init__(self, kind: str, url: str = "", seed: int = 0, port: int = 0) -> None:
        self.url = url
        arguments = [kind, url, str(seed), str(port)]
        self._process = subprocess.Popen(  # noqa: S603 - our own module
            [sys.executable, "-m", __name__, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.port = 0

    def __enter__(self) -> Self:
        assert self._process.stdout  # noqa: S101 - it was asked for
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"a server for the benchmark did not start (exit code {self._process.wait()})")
        self.port = int(line)
        return self

    def __exit__(self, *_exception: object) -> None:
        assert self._process.stdin  # noqa: S101 - it was asked for
        self._process.stdin.close()
        self._process.wait()
        assert self._process.stdout  # noqa: S101 - it was asked for
        self._process.stdout.close()

    @property
    def target(self) -> str:
        """Where to call it."""
        return f"127.0.0.1:{self.port}"

    @property
    def cpu_seconds(self) -> float:
        """CPU time that it and the processes beside it have used since it began."""
        return sum([cpu_seconds(pid) for pid in family_of(self._process.pid)])

    @property
    def resident_bytes(self) -> int:
        """Memory that it and the processes beside it hold now."""
        return sum([resident_bytes(pid) for pid in family_of(self._process.pid)])


def family_of(pid: int) -> list[int]:
    """A process and its children."""
    return [pid, *map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split())]


async def serve(kind: str, url: str, seed: int, port: int) -> None:
    """Serves until standard input ends."""
    structlog.configure(
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR),
    )
    loop = asyncio.get_running_loop()
    if kind in ("house", "worker"):
        settings = Settings(database_url=url, port=port, metrics_port=0, log_level="error")
        server = Server(settings, shares_port=kind == "worker")
        _at_end_of_input(loop, server.stop)
        await server.run(on_ready=lambda ready: print(ready.port, flush=True))
        return
    other, free_port = echo.make_server(seed) if kind == "echo" else naive.make_server(url)
    stopping = asyncio.Event()
    _at_end_of_input(loop, stopping.set)
    await other.start()
    print(free_port, flush=True)
    await stopping.wait()
    await other.stop(1)


def _at_end_of_input(loop: asyncio.AbstractEventLoop, stop: Callable[[], None]) -> None:
    """Calls ``stop`` when standard input ends; a daemon, so that a server that cannot start still ends."""

    def wait() -> None:
        sys.stdin.read()
        loop.call_soon_threadsafe(stop)

    Thread(target=wait, daemon=True).start()


if __name__ == "__main__":
    uvloop.run(serve(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])))
