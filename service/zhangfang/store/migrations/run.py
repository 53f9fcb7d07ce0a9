"""Bringing a database to the schema of this code, or refusing one that does not fit."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection

from zhangfang.store.database import Database, StoreError


def migrate(database: Database) -> tuple[str | None, str]:
    """Runs every missing change of the schema; returns the revisions before and after."""
    with database.write() as connection:
        before = _revision(connection)
        config = _config()
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
        return before, _head()


def check_schema(database: Database) -> None:
    """Refuses a database whose schema this code does not know.

    Raises:
        StoreError: says what to run.
    """
    with database.read() as connection:
        revision = _revision(connection)
    if revision == _head():
        return
    if revision is None:
        raise StoreError("the database has no schema yet: run `zhangfang migrate`")
    known = {script.revision for script in ScriptDirectory.from_config(_config()).walk_revisions()}
    if revision in known:
        raise StoreError(f"the database has schema {revision}, this version needs {_head()}: run `zhangfang migrate`")
    raise StoreError(
        f"the database has schema {revision}, made by a newer version; this one knows up to {_head()}: "
        "install that version or restore a backup"
    )


def _revision(connection: Connection) -> str | None:
    return MigrationContext.configure(connection).get_current_revision()


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent))
    return config


def _head() -> str:
    return str(ScriptDirectory.from_config(_config()).get_current_head())
