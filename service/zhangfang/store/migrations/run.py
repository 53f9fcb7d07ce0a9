"""Bringing a database to the schema of this code, or refusing one that does not fit."""

from collections.abc import Collection
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection

from zhangfang.store.database import Database, StoreError, lift_timeouts

MIGRATION_LOCK = 8_816_061_015_427_846_272
"""The advisory lock under which a PostgreSQL is migrated: any number that nobody else takes there."""


def migrate(database: Database) -> tuple[str | None, str]:
    """Runs every missing change of the schema, one process at a time; returns the revisions before and after.

    Raises:
        StoreError: for a schema of a newer version.
    """
    with database.write() as connection:
        if not database.is_sqlite:
            lift_timeouts(connection, 0)  # whoever changes a large table looks on, and may end it himself
            connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({MIGRATION_LOCK})")
        before = _revision(connection)
        if before is not None and before not in _known():
            raise StoreError(find_misfit(before, _known()))
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
    misfit = find_misfit(revision, _known())
    if misfit:
        raise StoreError(misfit)


def find_misfit(revision: str | None, known: Collection[str]) -> str:
    """What is wrong with a database of this revision for code that knows these, newest first; empty if nothing is."""
    newest = next(iter(known))
    if revision == newest:
        return ""
    if revision is None:
        return "the database has no schema yet: run `zhangfang migrate`"
    if revision in known:
        return f"the database has schema {revision}, this version needs {newest}: run `zhangfang migrate`"
    return (
        f"the database has schema {revision}, made by a newer version; this one knows up to {newest}: "
        "install that version or restore a backup"
    )


def _revision(connection: Connection) -> str | None:
    return MigrationContext.configure(connection).get_current_revision()


def _known() -> list[str]:
    """The revisions of this code, newest first."""
    return [script.revision for script in ScriptDirectory.from_config(_config()).walk_revisions()]


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent))
    return config


def _head() -> str:
    return str(ScriptDirectory.from_config(_config()).get_current_head())
