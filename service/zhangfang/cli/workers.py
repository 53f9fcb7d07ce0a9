"""Several processes that serve one port: started, watched, replaced, and ended together.

The kernel spreads connections over the workers (SO_REUSEPORT); PostgreSQL orders what they append. Each worker has
metrics of its own, worker i on the metrics port plus i: its counters start again when it does, and no process ever
has to add up another one's, so that Prometheus scrapes each and sums.
"""

import multiprocessing
import os
import signal
import socket
import sys
from collections import deque
from collections.abc import Callable
from multiprocessing.connection import wait
from multiprocessing.context import SpawnProcess
from threading import Thread
from time import monotonic
from typing import Any

import structlog

from zhangfang import logs
from zhangfang.api.listening import cannot_listen, family_of, joined, why_not
from zhangfang.cli.problems import CommandError, ExitCode
from zhangfang.config import Settings
from zhangfang.errors import Refusal
from zhangfang.store.database import StoreError
from zhangfang.store.outages import explained

log = structlog.get_logger()

DEATHS_MAX = 5
DEATHS_SECONDS = 60

_spawn = multiprocessing.get_context("spawn")


def supervise(settings: Settings, worker_count: int, on_ready: Callable[[str], None] | None = None) -> None:
    """Runs the workers until SIGTERM or SIGINT, which is passed on to them.

    A worker that dies is replaced. One that cannot start stops all, and so do more than ``DEATHS_MAX``
    deaths in ``DEATHS_SECONDS``.

    Raises:
        CommandError: when the workers cannot start or do not stay alive.
    """
    if not settings.database_url.startswith("postgresql"):
        raise CommandError(
            ExitCode.USAGE,
            "cannot start",
            f"--workers {worker_count} needs PostgreSQL: an embedded store is served by one process; "
            "set --database-url or ZHANGFANG_DATABASE_URL to postgresql://…",
        )
    logs.set_up(settings, worker="supervisor")
    reserved = reserve_port(settings)
    with reserved:
        settings = settings.model_copy(update={"port": reserved.getsockname()[1]})
        _Crew(settings, worker_count, on_ready).run()


def reserve_port(settings: Settings) -> socket.socket:
    """Takes the port for this crew: nobody else may be listening there, not even with SO_REUSEPORT.

    The socket never listens; it keeps the number, so that the port also of a free choice (0) stays the same for all.

    Raises:
        CommandError: if nobody can listen there.
    """
    address = (settings.host, settings.port)
    error = why_not(*address)
    if error:
        raise CommandError(ExitCode.USAGE, "cannot start", cannot_listen(*address, error))
    reserved = socket.socket(family_of(settings.host))
    reserved.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    reserved.bind(address)
    return reserved


class _Crew:
    """The workers of one supervisor."""

    def __init__(self, settings: Settings, worker_count: int, on_ready: Callable[[str], None] | None) -> None:
        self._settings = settings
        self._on_ready = on_ready
        self._awaited = set(range(worker_count))
        self._workers: dict[int, SpawnProcess] = {}
        self._deaths: deque[float] = deque(maxlen=DEATHS_MAX)
        self._is_stopping = False
        self._ready, self._say_ready = _spawn.Pipe(duplex=False)
        self._signalled, self._signal = os.pipe()

    def run(self) -> None:
        """Starts, watches and at last ends the workers."""
        os.set_blocking(self._signal, False)
        previous = signal.set_wakeup_fd(self._signal)
        handlers = {number: signal.signal(number, lambda *_: None) for number in (signal.SIGTERM, signal.SIGINT)}
        try:
            for index in sorted(self._awaited):
                self._start(index)
            while self._workers:
                self._watch()
        finally:
            self._stop()
            for worker in self._workers.values():
                worker.join()
            signal.set_wakeup_fd(previous)
            for number, handler in handlers.items():
                signal.signal(number, handler)

    def _start(self, index: int) -> None:
        base = self._settings.metrics_port
        settings = self._settings.model_copy(update={"metrics_port": base + index if base else 0})
        worker = _spawn.Process(target=work, args=(settings, index, self._say_ready), name=f"worker-{index}")
        worker.start()
        self._workers[index] = worker

    def _watch(self) -> None:
        """Waits for a signal, a worker that is ready, or one that has ended."""
        happened = wait([self._signalled, self._ready, *(worker.sentinel for worker in self._workers.values())])
        if self._signalled in happened:
            os.read(self._signalled, 4096)
            self._stop()
        if self._ready in happened:
            self._greet(self._ready.recv())
        for index, worker in list(self._workers.items()):
            if worker.sentinel in happened:
                worker.join()
                del self._workers[index]
                self._bury(index, worker.exitcode or 0)

    def _greet(self, index: int) -> None:
        if self._awaited:
            self._awaited.discard(index)
            if not self._awaited and self._on_ready:
                self._on_ready(joined(self._settings.host, self._settings.port))

    def _bury(self, index: int, exit_code: int) -> None:
        """A worker has ended: replaced, unless all are to end or it is no use."""
        if self._is_stopping:
            return
        log.error("worker_died", index=index, exit_code=exit_code)
        now = monotonic()
        is_hopeless = len(self._deaths) == DEATHS_MAX and now - self._deaths[0] < DEATHS_SECONDS
        self._deaths.append(now)
        if exit_code == ExitCode.USAGE:
            raise CommandError(
                ExitCode.USAGE, "cannot start", f"worker {index} cannot start as configured; all stopped"
            )
        if is_hopeless:
            raise CommandError(
                ExitCode.REFUSED,
                "gave up",
                f"workers died more than {DEATHS_MAX} times in {DEATHS_SECONDS} seconds; all are stopped",
            )
        self._start(index)

    def _stop(self) -> None:
        if not self._is_stopping:
            self._is_stopping = True
            for worker in self._workers.values():
                worker.terminate()


def work(settings: Settings, index: int, say_ready: Any) -> None:
    """One worker process: serves until it is told to stop, or until its supervisor is gone."""
    import asyncio

    import uvloop

    from zhangfang.api.server import CannotStartError, Server

    logs.set_up(settings, worker=index, pid=os.getpid())

    async def run() -> None:
        server = Server(settings, shares_port=True)
        loop = asyncio.get_running_loop()

        def watch_supervisor() -> None:
            parent = multiprocessing.parent_process()
            if parent:
                parent.join()
                loop.call_soon_threadsafe(server.stop)

        def ready(_server: Server) -> None:
            Thread(target=watch_supervisor, name="supervisor-watch", daemon=True).start()
            say_ready.send(index)

        await server.run(ready)

    try:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(run())
    except (CannotStartError, StoreError) as error:
        log.error("cannot_start", reason=str(error))
        sys.exit(ExitCode.USAGE)
    except Refusal as refusal:
        # The store does not answer: another worker is tried, until too many have died.
        log.error("cannot_start", reason=explained(refusal))
        sys.exit(ExitCode.UNREACHABLE)
