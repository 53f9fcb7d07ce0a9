"""One server of each store for all tests of the API; tests use ids of their own."""

from collections.abc import Iterator

import pytest

from tests.conftest import STORES
from tests.dealer import Dealer
from tests.postgresql import PostgreSQL
from tests.serving import RunningServer


@pytest.fixture(scope="session", params=STORES)
def server(request: pytest.FixtureRequest) -> Iterator[RunningServer]:
    """A running server of each store: on SQLite one with a process beside it that writes, on PostgreSQL one without."""
    url = ""
    if request.param == "postgresql":
        postgresql: PostgreSQL = request.getfixturevalue("postgresql")
        url = postgresql.create()
    with RunningServer(url, writer="thread" if url else "process") as running:
        yield running


@pytest.fixture
def dealer(server: RunningServer) -> Dealer:
    """A caller of that server."""
    return Dealer(server)
