"""The house as a process of its own, to be stopped, drained or killed as operators and accidents do it."""

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Self

from tests.serving import Client

START_SECONDS = 60
STOP_SECONDS = 90
ROOT = Path(__file__).parent.parent


class Process:
    """A served store in a process; start it as often as a test kills it.

    Args:
        database_url: the store.
        port, metrics_port: where to listen; 0 takes free ones.
        environment: other settings, e.g. ``ZHANGFANG_DRAIN_SECONDS="5"``.
    """

    def __init__(self, database_url: str, port: int = 0, metrics_port: int = 0, **environment: str) -> None:
        self._environment = {
            **os.environ,
            "PYTHONPATH": str(ROOT / "service"),
            "PYTHONWARNINGS": "default",
            "ZHANGFANG_DATABASE_URL": database_url,
            "ZHANGFANG_PORT": str(port),
            "ZHANGFANG_METRICS_PORT": str(metrics_port),
            "ZHANGFANG_LOG_FORMAT": "json",
            **environment,
        }
        self._output = tempfile.TemporaryFile("w+")  # noqa: SIM115 - closed with the process
        self._process: subprocess.Popen[str] | None = None
        self.port = 0
        self.metrics_port = 0

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_exception: object) -> None:
        if self._process and self._process.poll() is None:
            self.kill()
        self._output.close()

    def refused(self) -> tuple[int, str]:
        """Starts it where it cannot start; returns its exit code and what it wrote."""
        self.launch()
        try:
            return self.wait(), self.output
        finally:
            self._output.close()

    @property
    def target(self) -> str:
        """Where to call it."""
        return f"127.0.0.1:{self.port}"

    @property
    def output(self) -> str:
        """All it has written, standard output and error."""
        self._output.seek(0)
        return self._output.read()

    def start(self) -> None:
        """Starts it and waits until it serves."""
        self.launch()
        assert self._process
        assert self._process.stdout
        line = self._process.stdout.readline()
        if not line:
            raise AssertionError(f"it did not start, exit code {self._process.wait(STOP_SECONDS)}:\n{self.output}")
        self.port, self.metrics_port = (int(number) for number in line.split())

    def launch(self) -> None:
        """Starts it and does not wait."""
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.served"],
            cwd=ROOT,
            env=self._environment,
            stdout=subprocess.PIPE,
            stderr=self._output,
            text=True,
        )

    def client(self) -> Client:
        """A client of it."""
        return Client(self.target)

    def terminate(self) -> None:
        """Asks it to drain and end: SIGTERM."""
        self._send(signal.SIGTERM)

    def kill(self) -> None:
        """Ends it on the spot: SIGKILL."""
        self._send(signal.SIGKILL)
        self.wait()

    def wait(self) -> int:
        """Its exit code, once it has ended."""
        assert self._process
        code = self._process.wait(STOP_SECONDS)
        if self._process.stdout:
            self._process.stdout.close()
        return code

    def _send(self, number: signal.Signals) -> None:
        assert self._process
        self._process.send_signal(number)
