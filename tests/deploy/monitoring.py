"""The real Prometheus and its promtool, started by the tests for themselves and gone when they end."""

import json
import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from threading import Event
from typing import Any, Self
from urllib.error import URLError
from urllib.parse import urlencode
from urllib.request import urlopen

import yaml

from tests.serving import RunningServer

DEPLOY = Path(__file__).parent.parent.parent / "deploy"
PROMETHEUS = DEPLOY / "prometheus"

START_SECONDS = 60
POLL_SECONDS = 0.2


def find_program(name: str) -> str:
    """One of Prometheus's programs; installs them where that is possible."""
    found = shutil.which(name)
    if found is None and os.geteuid() == 0 and shutil.which("apt-get"):
        # Run level 1: the package does not start a server of its own.
        environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive", "RUNLEVEL": "1"}
        for arguments in (["update"], ["install", "--yes", "--no-install-recommends", "prometheus"]):
            subprocess.run(["apt-get", *arguments], check=True, env=environment)
        found = shutil.which(name)
    if found is None:
        raise RuntimeError(
            f"these tests need {name}: install the package `prometheus` (Debian: apt-get install prometheus), "
            "or put its programs on PATH"
        )
    return found


def promtool(*arguments: str | Path, stdin: str = "") -> subprocess.CompletedProcess[str]:
    """Runs promtool where the rules are."""
    return subprocess.run(
        [find_program("promtool"), *arguments], cwd=PROMETHEUS, input=stdin, capture_output=True, text=True, check=False
    )


def read_yaml(path: Path) -> Any:
    """A YAML file of one document."""
    return yaml.safe_load(path.read_text(encoding="utf-8"))


class Prometheus:
    """Scrapes one target with our own configuration and rules, only much more often.

    Args:
        target: ``host:port`` of the metrics.
        interval: how often it scrapes and evaluates, in Prometheus's words.
        copies: as how many targets it takes the one there is, to scrape it that much more often.
    """

    def __init__(self, target: str, interval: str = "250ms", copies: int = 1) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="zf-prometheus-"))
        self._target = target
        self._interval = interval
        self._copies = copies
        self._log = (self._folder / "log").open("w+")
        self._process: subprocess.Popen[str] | None = None
        self.url = ""

    def __enter__(self) -> Self:
        self._configure()
        port = free_port()
        self.url = f"http://127.0.0.1:{port}"
        self._process = subprocess.Popen(
            [
                find_program("prometheus"),
                f"--config.file={self._folder / 'prometheus.yml'}",
                f"--storage.tsdb.path={self._folder / 'data'}",
                f"--web.listen-address=127.0.0.1:{port}",
                "--log.level=warn",
            ],
            stdout=self._log,
            stderr=subprocess.STDOUT,
            text=True,
        )
        wait_until(self._is_ready, START_SECONDS, self.output)
        return self

    def __exit__(self, *_exception: object) -> None:
        if self._process:
            self._process.terminate()
            self._process.wait()
        self._log.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def output(self) -> str:
        """All it has written."""
        return (self._folder / "log").read_text()

    def query(self, expression: str) -> list[dict[str, Any]]:
        """What an expression gives now: samples with labels and value."""
        data = self.ask("query", query=expression)
        if data["resultType"] == "scalar":
            return [{"metric": {}, "value": data["result"]}]
        result: list[dict[str, Any]] = data["result"]
        return result

    def ask(self, path: str, **parameters: str) -> Any:
        """The data of one answer of its HTTP interface."""
        address = f"{self.url}/api/v1/{path}?{urlencode(parameters)}"
        with urlopen(address, timeout=START_SECONDS) as response:  # noqa: S310 - our own address
            answer = json.load(response)
        assert answer["status"] == "success", answer
        return answer["data"]

    def _is_ready(self) -> bool:
        assert self._process
        assert self._process.poll() is None, self.output()
        try:
            with urlopen(f"{self.url}/-/ready", timeout=START_SECONDS) as response:  # noqa: S310 - our own address
                return bool(response.status == 200)
        except URLError:
            return False

    def _configure(self) -> None:
        settings: dict[str, Any] = read_yaml(PROMETHEUS / "prometheus.yml")
        settings["global"] = dict.fromkeys(settings["global"], self._interval)
        settings["rule_files"] = [str(PROMETHEUS / name) for name in settings["rule_files"]]
        settings["scrape_configs"][0]["static_configs"] = [
            {"targets": [self._target], "labels": {"__param_copy": str(copy), "copy": str(copy)}}
            for copy in range(self._copies)
        ]
        (self._folder / "prometheus.yml").write_text(yaml.safe_dump(settings))


def metrics_target(server: RunningServer) -> str:
    """Where Prometheus scrapes a server."""
    return server.metrics_url.removeprefix("http://").removesuffix("/metrics")


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port: int = taken.getsockname()[1]
        return port


def wait_until(is_so: Any, seconds: float, tell: Any) -> None:
    """Asks again and again until something is so; fails with what ``tell`` says when it takes too long."""
    until = time.monotonic() + seconds
    pause = Event()
    while not is_so():
        assert time.monotonic() < until, tell()
        pause.wait(POLL_SECONDS)


def rules_of(name: str) -> list[Mapping[str, Any]]:
    """The rules of a rule file, whatever group they are in."""
    return [rule for group in read_yaml(PROMETHEUS / name)["groups"] for rule in group["rules"]]


RECORDINGS = rules_of("recording.rules.yml")
ALERTS = rules_of("alerts.rules.yml")
