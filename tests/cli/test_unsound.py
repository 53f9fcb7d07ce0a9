"""Books that are not right any more: the commands that look say so, in words and as JSON, and exit with 1."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tests.audit.tampering import chain_again, edit_body, spoil_column, tamper
from tests.dealer import Dealer
from tests.samples import SIMPLE
from tests.serving import RunningServer
from zhangfang.cli.application import application
from zhangfang.store.database import Database
from zhangfang.store.schema import accounts
from zhangfang.wire.v1 import events_pb2


@pytest.fixture
def kept(tmp_path: Path) -> Iterator[Database]:
    """A store in which one hand was settled, and which nobody serves."""
    url = f"sqlite:///{tmp_path / 'kept.db'}"
    with RunningServer(url) as server:
        Dealer(server).settle(SIMPLE["ban_bian_tian_zha"])
    database = Database(url)
    yield database
    database.close()


def raise_amount(message: Any) -> None:
    message.judgement.steps[0].amount += 1


def test_a_hand_that_would_be_judged_otherwise_is_listed(kept: Database) -> None:
    with kept.read() as connection:
        query = "SELECT position FROM events WHERE topic = 'HandSettled'"
        position = connection.exec_driver_sql(query).scalar_one()
    tamper(kept, edit_body(position, raise_amount, events_pb2.HandSettled), chain_again)

    environment = {"ZHANGFANG_DATABASE_URL": f"sqlite:///{kept.sqlite_path}"}
    told, as_json = (
        CliRunner().invoke(application, ["rejudge", *more], env=environment, catch_exceptions=False)
        for more in ((), ("--json",))
    )

    assert [told.exit_code, as_json.exit_code] == [1, 1]
    assert told.stdout.startswith(f"{position}  ")
    assert "1 hands judged again, 1 differ" in told.stdout
    difference, judged = map(json.loads, as_json.stdout.splitlines())
    assert (difference["position"], difference["place"], judged["different_count"]) == (position, "steps", 1)


def test_a_balance_that_does_not_follow_from_the_log_is_found(kept: Database) -> None:
    tamper(kept, spoil_column(accounts, "balance"))

    with RunningServer(f"sqlite:///{kept.sqlite_path}") as server:
        environment = {"ZHANGFANG_TARGET": server.target, "COLUMNS": "200"}
        told, as_json = (
            CliRunner().invoke(application, ["verify", *more], env=environment, catch_exceptions=False)
            for more in ((), ("--json",))
        )

    assert [told.exit_code, as_json.exit_code] == [1, 1]
    assert "The log is NOT sound." in told.stdout
    assert "Discrepancies" in told.stdout
    assert not json.loads(as_json.stdout)["finding"].get("isSound")
