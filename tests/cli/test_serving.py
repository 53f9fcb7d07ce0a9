"""``serve``, ``health`` and ``demo``: the program as operators start, ask and end it."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import grpc
import pytest
from typer.testing import CliRunner

from tests.cli.conftest import Zhangfang
from tests.serving import RunningServer
from zhangfang.cli.application import application
from zhangfang.cli.connection import connect
from zhangfang.wire.v1.audit_pb2 import GetLogHeadRequest

ROOT = Path(__file__).parent.parent.parent
SECONDS = 60


class Program:
    """``zhangfang serve`` in a process of its own."""

    def __init__(self, *arguments: str, **environment: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "zhangfang.cli", "serve", "--port", "0", "--metrics-port", "0", *arguments],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT / "service"), "ZHANGFANG_LOG_FORMAT": "json", **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def occurrence(self, event: str) -> dict[str, Any]:
        """The next line of the log about an event."""
        assert self.process.stderr
        for line in self.process.stderr:
            occurred: dict[str, Any] = json.loads(line)
            if occurred["event"] == event:
                return occurred
        raise AssertionError(f"ended without {event!r}")

    def end(self, number: signal.Signals = signal.SIGTERM) -> tuple[int, str]:
        """Ends it as an init system does, or as Ctrl-C does; returns its exit code and what it logged since."""
        self.process.send_signal(number)
        _, logged = self.process.communicate(timeout=SECONDS)
        return self.process.returncode, logged


@contextmanager
def program(*arguments: str, **environment: str) -> Iterator[Program]:
    """A program that is gone when the block ends."""
    started = Program(*arguments, **environment)
    try:
        yield started
    finally:
        if started.process.poll() is None:
            started.process.kill()
        started.process.communicate(timeout=SECONDS)


def serve_once(*arguments: str) -> subprocess.CompletedProcess[str]:
    """A start that fails."""
    return subprocess.run(
        [sys.executable, "-m", "zhangfang.cli", "serve", *arguments],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT / "service")},
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )


def test_a_served_store_answers_and_ends_with_0_on_sigterm(tmp_path: Path) -> None:
    with program("--database-url", f"sqlite:///{tmp_path / 'zhangfang.db'}") as served:
        port = served.occurrence("serving")["port"]

        health = CliRunner().invoke(application, ["health", "--target", f"127.0.0.1:{port}"])
        exit_code, _ = served.end()

    assert (health.exit_code, health.stdout) == (0, "SERVING\n")
    assert exit_code == 0


def test_a_second_service_on_the_same_port_is_refused_in_one_line(server: RunningServer, tmp_path: Path) -> None:
    other_store = f"sqlite:///{tmp_path / 'other.db'}"

    result = serve_once("--port", str(server.server.port), "--metrics-port", "0", "--database-url", other_store)

    assert result.returncode == 2
    assert result.stderr.startswith(f"cannot start: port {server.server.port} on 127.0.0.1 is taken")
    assert result.stderr.count("\n") == 1


def test_a_second_service_on_the_same_file_is_refused_in_one_line(server: RunningServer) -> None:
    result = serve_once("--port", "0", "--metrics-port", "0", "--database-url", server.database_url)

    assert result.returncode == 2
    assert "is in use by another zhangfang process" in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        pytest.param(("--log-level", "loud"), "--log-level (ZHANGFANG_LOG_LEVEL) is 'loud'", id="a bad setting"),
        pytest.param(("--port", "70000"), "--port (ZHANGFANG_PORT) is 70000", id="no port"),
        pytest.param(("--workers", "2", "--database-url", "sqlite:///x.db"), "needs PostgreSQL", id="embedded workers"),
    ],
)
def test_a_configuration_that_cannot_be_is_refused(arguments: tuple[str, ...], told: str) -> None:
    result = CliRunner().invoke(application, ["serve", *arguments])

    assert result.exit_code == 2
    assert told in result.stderr


def test_a_store_of_another_kind_is_refused() -> None:
    result = serve_once("--database-url", "mysql://x")

    assert result.returncode == 2
    assert "is not understood" in result.stderr


def test_a_store_that_does_not_answer_is_told_in_one_line_and_can_be_tried_again() -> None:
    result = serve_once("--database-url", "postgresql://nobody@127.0.0.1:1/nothing")

    assert result.returncode == 3
    assert result.stderr.startswith(
        "cannot start: the store does not answer: no connection could be made; try again (connection"
    )
    assert "127.0.0.1" in result.stderr
    assert result.stderr.count("\n") == 1


def test_a_file_that_is_no_database_is_told_in_one_line(tmp_path: Path) -> None:
    letter = tmp_path / "letter.txt"
    letter.write_text("no database at all, but long enough to be read as one\n" * 20)

    result = serve_once("--database-url", f"sqlite:///{letter}")

    assert (result.returncode, result.stderr) == (
        2,
        "cannot start: the file that the database URL names is no SQLite database\n",
    )


def test_a_file_where_none_can_be_is_told_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "letter").touch()

    result = serve_once("--database-url", f"sqlite:///{tmp_path}/letter/zhangfang.db")

    assert result.returncode == 2
    assert result.stderr.startswith(f"cannot start: the folder {tmp_path}/letter cannot be made")


def test_settings_come_from_the_environment() -> None:
    result = CliRunner().invoke(application, ["serve"], env={"ZHANGFANG_DRAIN_SECONDS": "-1"})

    assert result.exit_code == 2
    assert "--drain-seconds (ZHANGFANG_DRAIN_SECONDS) is -1" in result.stderr


def test_a_service_that_does_not_answer_is_told_apart_from_one_that_refuses() -> None:
    result = CliRunner().invoke(application, ["head", "--target", "127.0.0.1:1"])

    assert result.exit_code == 3
    assert result.stderr.startswith("UNAVAILABLE: ")
    assert "--target or ZHANGFANG_TARGET" in result.stderr


def test_an_empty_address_of_the_service_is_a_usage_error() -> None:
    result = CliRunner().invoke(application, ["head", "--target", " "])

    assert result.exit_code == 2
    assert result.stderr == (
        "usage: --target is empty; it is the address of the service, host:port, e.g. 127.0.0.1:50051\n"
    )


@pytest.mark.parametrize(
    "more", [pytest.param((), id="one process"), pytest.param(("--workers", "2"), id="several workers")]
)
def test_an_address_of_another_machine_is_told_as_such(more: tuple[str, ...], sqlite_url: str) -> None:
    store = "postgresql://nobody@127.0.0.1:1/nothing" if more else sqlite_url
    result = serve_once("--host", "192.0.2.1", "--port", "0", "--metrics-port", "0", "--database-url", store, *more)

    assert result.returncode == 2
    assert result.stderr.splitlines()[-1] == (
        "cannot start: this machine has no address 192.0.2.1; "
        "choose another with --host or ZHANGFANG_HOST, 0.0.0.0 takes all"
    )


def test_serve_demo_plays_the_evening_and_goes_on_serving(tmp_path: Path) -> None:
    arguments = ("--demo", "--database-url", f"sqlite:///{tmp_path / 'zhangfang.db'}")
    with program(*arguments) as served:
        assert served.process.stdout
        played: list[str] = []
        for line in served.process.stdout:
            played.append(line)
            if "Ctrl-C ends it" in line:
                break
        exit_code, logged = served.end(signal.SIGINT)

    told = "".join(played)
    for explanation in (
        "stake 1 × fan_bao won 4 × dou 2 × lei 2 × negative_score 2 × chui(banker) 2 × chui(idler) 2 = 128",
        "1(底分)×4(反包赢)×2(负分)×2(庄锤)=16",
        "100(底分)×4(抢地主)×3(让先)×2(反春天)=2400",
    ):
        assert explanation in told
    assert exit_code == 0
    # The log tells that it served and ended, and nothing of all that silver.
    assert [json.loads(line)["event"] for line in logged.splitlines()] == ["serving", "draining", "stopped"]


def test_the_demo_can_be_played_again_and_says_so(zhangfang: Zhangfang) -> None:
    first = zhangfang("demo")
    second = zhangfang("demo")
    as_json = zhangfang("demo", "--json")

    assert (first.exit_code, second.exit_code, as_json.exit_code) == (0, 0, 0)
    assert "played before" not in first.stdout
    assert second.stdout.count("played before") == 4
    assert {json.loads(line)["hand"]["state"] for line in as_json.stdout.splitlines()} == {"HAND_STATE_SETTLED"}


def test_workers_share_a_port_are_replaced_and_end_together(postgresql_url: str) -> None:
    with program("--workers", "2", "--database-url", postgresql_url) as crew:
        workers = [crew.occurrence("serving") for _ in range(2)]
        [port] = {each["port"] for each in workers}
        os.kill(workers[0]["pid"], signal.SIGKILL)
        died = crew.occurrence("worker_died")
        replaced = crew.occurrence("serving")
        house = connect(f"127.0.0.1:{port}")
        with house.channel:
            head = house.ask(house.audit.GetLogHead, GetLogHeadRequest())
        for each in (workers[1], replaced):
            with urlopen(f"http://127.0.0.1:{each['metrics_port']}/metrics", timeout=SECONDS) as response:
                assert b"zhangfang_rpcs" in response.read()
        exit_code, _ = crew.end()

    assert {each["worker"] for each in workers} == {0, 1}
    assert died["exit_code"] == -signal.SIGKILL
    assert replaced["worker"] == workers[0]["worker"]
    assert head.position == 0
    assert exit_code == 0


def test_workers_that_keep_dying_stop_all_with_a_message(postgresql_url: str) -> None:
    with program("--workers", "3", "--database-url", postgresql_url) as crew:
        for _ in range(6):
            os.kill(crew.occurrence("serving")["pid"], signal.SIGKILL)
        _, logged = crew.process.communicate(timeout=SECONDS)

    assert crew.process.returncode == 1
    assert "gave up: workers died more than 5 times in 60 seconds; all are stopped" in logged


def test_workers_end_when_their_supervisor_is_killed(postgresql_url: str) -> None:
    with program("--workers", "2", "--database-url", postgresql_url) as crew:
        port = max(crew.occurrence("serving")["port"] for _ in range(2))

        crew.process.kill()
        crew.process.communicate(timeout=SECONDS)  # until the last worker has let go of stderr

    with grpc.insecure_channel(f"127.0.0.1:{port}") as channel, pytest.raises(grpc.FutureTimeoutError):
        grpc.channel_ready_future(channel).result(timeout=0.5)


def test_workers_that_cannot_start_stop_all_with_a_message(postgresql: Any) -> None:
    url = postgresql.create("template0")
    result = serve_once("--workers", "2", "--port", "0", "--metrics-port", "0", "--database-url", url)
    postgresql.drop(url)

    assert result.returncode == 2
    assert "run `zhangfang migrate`" in result.stderr
    assert "cannot start: worker" in result.stderr


def test_workers_do_not_join_another_crews_port(postgresql_url: str) -> None:
    with program("--workers", "2", "--database-url", postgresql_url) as crew:
        port = crew.occurrence("serving")["port"]

        result = serve_once("--workers", "2", "--port", str(port), "--database-url", postgresql_url)

    assert result.returncode == 2
    assert f"port {port} on 127.0.0.1 is taken" in result.stderr
