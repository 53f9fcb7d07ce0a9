"""A house with two players, on both stores."""

import pytest

from tests.callers import seat
from zhangfang.application import CountingHouse
from zhangfang.store.database import Database


@pytest.fixture
def house(database: Database) -> CountingHouse:
    counting_house = CountingHouse(database)
    seat(counting_house, A=1000, B=1000)
    return counting_house
