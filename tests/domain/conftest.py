"""A desk with players and two tables."""

import pytest

from tests.callers import open_table
from tests.domain.desk import Desk


@pytest.fixture
def desk() -> Desk:
    """Four players with 1000 silver each, a table of 比機 (T) and one of 九點半."""
    opened = Desk(A=1000, B=1000, C=1000, Z=1000)
    opened.do(open_table("T"), open_table("九點半", "jiu_dian_ban", 1))
    return opened
