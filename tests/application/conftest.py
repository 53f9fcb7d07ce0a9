"""A house with a table of 比機 (T), a table of 九點半, and players with silver, on both stores."""

import pytest

from tests.callers import done, open_table, seat
from zhangfang.application import CountingHouse
from zhangfang.store.database import Database


@pytest.fixture
def house(database: Database) -> CountingHouse:
    counting_house = CountingHouse(database)
    seat(counting_house, A=1000, B=1000, C=1000, Z=1000)
    done(counting_house, open_table("T"), open_table("九點半", "jiu_dian_ban", 1))
    return counting_house
