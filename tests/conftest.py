"""What all tests share: a migrated store of each kind, fresh for every test."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import structlog

from tests.postgresql import PostgreSQL
from zhangfang.store.database import Database
from zhangfang.store.migrations.run import migrate

STORES = ("sqlite", "postgresql")


@pytest.fixture(autouse=True, scope="session")
def _plain_logs() -> None:
    """Tracebacks without the variables of every frame: those of a batch are long, and slow to print."""
    plain = structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback)
    structlog.configure(processors=[structlog.processors.add_log_level, plain])


@pytest.fixture(scope="session")
def postgresql() -> Iterator[PostgreSQL]:
    """A running PostgreSQL server."""
    server = PostgreSQL()
    yield server
    server.close()


@pytest.fixture(scope="session")
def _migrated_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("store") / "migrated.db"
    database = Database(f"sqlite:///{path}")
    migrate(database)
    database.close()
    return path


@pytest.fixture
def sqlite_url(_migrated_file: Path, tmp_path: Path) -> str:
    """A migrated SQLite file."""
    path = tmp_path / "zhangfang.db"
    shutil.copyfile(_migrated_file, path)
    return f"sqlite:///{path}"


@pytest.fixture
def postgresql_url(postgresql: PostgreSQL) -> Iterator[str]:
    """A migrated PostgreSQL database."""
    url = postgresql.take()
    yield url
    postgresql.give_back(url)


@pytest.fixture(params=STORES)
def database_url(request: pytest.FixtureRequest) -> str:
    """A migrated store of each kind."""
    url: str = request.getfixturevalue(f"{request.param}_url")
    return url


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    """A migrated store of each kind, open."""
    opened = Database(database_url)
    yield opened
    opened.close()


@pytest.fixture(params=STORES)
def empty_database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    """A store of each kind in which nothing was ever made."""
    if request.param == "sqlite":
        opened = Database(f"sqlite:///{tmp_path / 'empty.db'}")
        yield opened
        opened.close()
        return
    server: PostgreSQL = request.getfixturevalue("postgresql")
    url = server.create("template0")
    opened = Database(url)
    yield opened
    opened.close()
    server.drop(url)
