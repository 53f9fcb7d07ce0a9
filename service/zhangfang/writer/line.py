"""The line to a process beside the server that writes: how it is started, how it shows that it lives, how it ends."""

import asyncio
import subprocess
from collections.abc import Callable
from typing import Any

import structlog

from zhangfang.beside import Ear, launch, pack
from zhangfang.config import Settings
from zhangfang.writer import process as writing
from zhangfang.writer.process import PING

log = structlog.get_logger()

START_SECONDS = 30
PATIENCE_SECONDS = 3
"""How long the process may take until it is there, and then for a sign of life."""

LOOKS = 2
"""How often no sign of life is seen before the process is taken for dead: when a whole machine stood still, the first
look comes before anything is heard."""


class Line(asyncio.Protocol):
    """One process and what it says, in the event loop.

    Args:
        on_message: called with each message, but for the first: that one says what code the process runs, and other
            code may understand us otherwise.
        on_loss: called once if the process ends unasked, when it has ended.
    """

    def __init__(self, on_message: Callable[[Any], None], on_loss: Callable[[], None]) -> None:
        self._on_message = on_message
        self._on_loss = on_loss
        self._ear = Ear()
        self._process: subprocess.Popen[bytes] | None = None
        self._transport: asyncio.WriteTransport | None = None
        self._patience: asyncio.TimerHandle | None = None
        self._was_heard = False
        self._is_ended = False
        self._burial: asyncio.Task[None] | None = None
        self._known = asyncio.Event()
        self.is_alive = False

    @property
    def pid(self) -> int:
        """The process, 0 if there is none."""
        return self._process.pid if self._process else 0

    async def start(self, settings: Settings) -> None:
        """Starts the process; returns when it is there, or lost.

        Raises:
            OSError: if it cannot be started at all.
        """
        self._process, ours = launch(writing.__name__)
        loop = asyncio.get_running_loop()
        self._transport, _ = await loop.create_connection(lambda: self, sock=ours)
        self._transport.write(pack(settings))
        self._patience = loop.call_later(START_SECONDS, self._give_up, "it does not start")
        await self._known.wait()

    def send(self, message: Any) -> None:
        """Sends it a message."""
        encoded = pack(message)
        if self._transport:
            self._transport.write(encoded)

    async def end(self) -> None:
        """Ends the process, which has nothing more to do; or waits until one that was lost has ended."""
        was_alive, self.is_alive, self._is_ended = self.is_alive, False, True
        if self._burial:
            await self._burial
        if self._transport:
            self._transport.close()
        await self._bury(kill=not was_alive)

    def data_received(self, data: bytes) -> None:
        """The process speaks."""
        self._was_heard = True
        for said in self._ear.hear(data):
            if self.is_alive:
                self._on_message(said)
            elif said == writing.CODE:
                self.is_alive = True
                self._be_patient()
                self._known.set()
            else:
                self._give_up("it runs other code than this server: it was changed, and the server not restarted")
                return

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - the process's exit code says more
        """The process died, or was given up, or was ended."""
        self._stop_waiting()
        self.is_alive = False
        if not self._is_ended:
            self._burial = asyncio.get_running_loop().create_task(self._lose())

    def _be_patient(self) -> None:
        """Asks for a sign of life, and waits for it from now on."""
        self._stop_waiting()
        self._was_heard = False
        self.send(PING)
        self._look_later(LOOKS)

    def _look_later(self, looks: int) -> None:
        self._patience = asyncio.get_running_loop().call_later(PATIENCE_SECONDS, self._look, looks)

    def _look(self, looks: int) -> None:
        if self._was_heard:
            self._be_patient()
        elif looks > 1:
            self._look_later(looks - 1)
        else:
            self._give_up("it does not answer")

    def _stop_waiting(self) -> None:
        if self._patience:
            self._patience.cancel()
            self._patience = None

    def _give_up(self, why: str) -> None:
        log.error("writer_given_up", writer_pid=self.pid, reason=why)
        self._stop_waiting()
        if self._transport:
            self._transport.abort()

    async def _lose(self) -> None:
        process = self._process
        await self._bury(kill=True)
        status = process and process.returncode  # below zero a signal's number, our own SIGKILL's if it was given up
        log.error("writer_died", writer_pid=process and process.pid, exit=status)
        try:
            self._on_loss()
        finally:
            self._known.set()

    async def _bury(self, *, kill: bool) -> None:
        process, self._process = self._process, None
        if process:
            if kill:
                process.kill()
            await asyncio.shield(asyncio.to_thread(_wait_for, process))


def _wait_for(process: "subprocess.Popen[bytes]") -> None:
    """Waits for the end of a process that has nothing more to do."""
    try:
        process.wait(PATIENCE_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
