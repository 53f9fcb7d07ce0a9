"""Server processes for the benchmark: the house itself, an echo, and the simple design.

``python -m zhangfang.bench.serving KIND URL SEED PORT`` serves until its standard input ends; its first line of output
is the port.
"""

import asyncio
import logging
import os
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
from zhangfang.config import Settings

KINDS = ("house", "echo", "naive")
CLOCK_TICKS = os.sysconf("SC_CLK_TCK")
PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


class ServerProcess:
    """One server in a process of its own, while the ``with`` block runs.

    Args:
        kind: one of KINDS.
        url: its database; an echo has none.
        port: 0 takes a free one; another one is shared with other workers.
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
        """CPU time it has used since it began."""
        return cpu_seconds(self._process.pid)

    @property
    def resident_bytes(self) -> int:
        """Memory it holds now."""
        return int(Path(f"/proc/{self._process.pid}/statm").read_text().split()[1]) * PAGE_BYTES


def cpu_seconds(pid: int) -> float:
    """CPU time of a process and of those of its children that have ended, user and system."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / CLOCK_TICKS


def cpu_seconds_below(pid: int) -> float:
    """CPU time of a process and of all its children, those that run included."""
    children = [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return cpu_seconds(pid) + sum([cpu_seconds(child) for child in children])


async def serve(kind: str, url: str, seed: int, port: int) -> None:
    """Serves until standard input ends."""
    structlog.configure(
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR),
    )
    loop = asyncio.get_running_loop()
    if kind == "house":
        server = Server(Settings(database_url=url, port=port, metrics_port=0, log_level="error"), shares_port=port > 0)
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
