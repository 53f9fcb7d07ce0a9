"""The command line against a running service: one server for all these tests, and everything by fresh ids."""

from collections.abc import Callable, Iterator

import pytest
from typer.testing import CliRunner, Result

from tests.dealer import Dealer
from tests.serving import RunningServer
from zhangfang.cli.application import application

Zhangfang = Callable[..., Result]


@pytest.fixture(scope="package")
def server() -> Iterator[RunningServer]:
    """A running service."""
    with RunningServer() as running:
        yield running


@pytest.fixture
def dealer(server: RunningServer) -> Dealer:
    """Somebody who sets tables and players up."""
    return Dealer(server)


@pytest.fixture
def zhangfang(server: RunningServer) -> Zhangfang:
    """The program: arguments in, exit code and output out."""

    def run(*arguments: str, stdin: str | None = None) -> Result:
        environment = {"ZHANGFANG_TARGET": server.target, "COLUMNS": "200"}
        return CliRunner().invoke(application, list(arguments), input=stdin, env=environment, catch_exceptions=False)

    return run
