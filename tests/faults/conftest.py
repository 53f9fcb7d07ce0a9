"""Stores that outlive the processes that serve them."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import STORES
from tests.postgresql import PostgreSQL


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of a store of each kind."""
    if request.param == "postgresql":
        url: str = request.getfixturevalue("postgresql_url")
        return url
    return f"sqlite:///{tmp_path / 'kept.db'}"


@pytest.fixture
def own_postgresql() -> Iterator[PostgreSQL]:
    """A database server of this test alone, which it may stop."""
    database_server = PostgreSQL()
    yield database_server
    database_server.close()
