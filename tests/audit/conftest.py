"""A store of each kind in which one evening was played, fresh for every test."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.audit.evening import play
from tests.conftest import STORES
from tests.postgresql import PostgreSQL
from zhangfang.store.database import Database
from zhangfang.store.migrations.run import migrate


@pytest.fixture(scope="session")
def _played_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("audit") / "played.db"
    database = Database(f"sqlite:///{path}")
    migrate(database)
    play(database)
    database.close()
    return path


@pytest.fixture(scope="session")
def _played_template(postgresql: PostgreSQL) -> str:
    url = postgresql.create()
    database = Database(url)
    play(database)
    database.close()
    return url.partition("@/")[2].partition("?")[0]


@pytest.fixture
def played_sqlite(_played_file: Path, tmp_path: Path) -> Iterator[Database]:
    """The evening on the embedded store."""
    path = tmp_path / "played.db"
    shutil.copyfile(_played_file, path)
    database = Database(f"sqlite:///{path}")
    yield database
    database.close()


@pytest.fixture
def played_postgresql(request: pytest.FixtureRequest) -> Iterator[Database]:
    """The evening on PostgreSQL."""
    server: PostgreSQL = request.getfixturevalue("postgresql")
    url = server.create(request.getfixturevalue("_played_template"))
    database = Database(url)
    yield database
    database.close()
    server.drop(url)


@pytest.fixture(params=STORES)
def played(request: pytest.FixtureRequest) -> Database:
    """The evening on a store of each kind."""
    database: Database = request.getfixturevalue(f"played_{request.param}")
    return database
