"""The logs of every version ever released are read to the same hash and the same silver, for ever."""

import json
from pathlib import Path

import pytest

from tests.audit.findings import found, stored_rows
from tests.audit.golden_log import GOLDEN, expected
from tests.audit.test_export import imported
from tests.audit.test_rebuild import rebuilt
from zhangfang.application import CountingHouse
from zhangfang.audit.receipts import Receipt, check_receipt
from zhangfang.domain.events import EVENT_TYPES
from zhangfang.store.database import Database

LOGS = sorted(GOLDEN.glob("log-*.jsonl"))


@pytest.fixture(params=LOGS, ids=lambda path: path.stem)
def golden(request: pytest.FixtureRequest) -> Path:
    path: Path = request.param
    return path


@pytest.fixture
def replayed(golden: Path, database: Database) -> Database:
    """A golden log in a store of each kind."""
    with golden.open(encoding="utf-8") as lines:
        imported(database, list(lines))
    return database


@pytest.fixture
def promised(golden: Path) -> dict[str, object]:
    return json.loads(golden.with_suffix(".expected.json").read_text(encoding="utf-8"))


def test_there_is_a_golden_log_with_every_kind_of_event(replayed):
    assert "log-0.1" in {path.stem for path in LOGS}
    assert {row.topic for row in stored_rows(replayed)} == {event.TOPIC for event in EVENT_TYPES}


def test_a_golden_log_comes_to_what_it_came_to_when_it_was_written(replayed, promised):
    receipt = Receipt.read(promised["receipt"])

    assert expected(replayed) == promised
    assert check_receipt(replayed, receipt.position, receipt.hash) is None
    assert found(replayed).is_sound
    assert rebuilt(replayed).discrepancies == ()


def test_hands_and_answers_of_a_golden_log_can_still_be_told(replayed, promised):
    house = CountingHouse(replayed)

    assert {hand_id: house.hand(hand_id).state for hand_id in promised["hands"]} == promised["hands"]
    for row in stored_rows(replayed):
        assert house.tell(row.position).is_repeat
