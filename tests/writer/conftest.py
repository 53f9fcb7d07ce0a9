"""A house with two players, on both stores."""

import os
import sys
from collections.abc import Iterator

import pytest

from tests.bookkeeping import assert_sound
from tests.callers import seat
from zhangfang.application import CountingHouse
from zhangfang.store.database import Database


@pytest.fixture
def house(database: Database) -> CountingHouse:
    counting_house = CountingHouse(database)
    seat(counting_house, A=1000, B=1000)
    return counting_house


@pytest.fixture(autouse=True)
def _path(monkeypatch: pytest.MonkeyPatch) -> None:
    """The process is to know what these tests tell."""
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(map(os.path.abspath, sys.path)))


@pytest.fixture
def sound(house: CountingHouse) -> Iterator[Database]:
    """The database of the house, which has to be in order after all."""
    yield house.database
    assert_sound(house.database)
