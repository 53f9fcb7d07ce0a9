"""The schema on disk is the one the code speaks of, and a database that does not fit is refused with what to do."""

import multiprocessing
import sqlite3
from collections.abc import Callable

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError, IntegrityError

from tests.bookkeeping import assert_sound
from tests.callers import seat
from tests.postgresql import PostgreSQL
from zhangfang.application import CountingHouse
from zhangfang.errors import Refusal
from zhangfang.store.chain import GENESIS
from zhangfang.store.database import Database, StoreError
from zhangfang.store.log import read_head
from zhangfang.store.migrations.run import check_schema, find_misfit, migrate
from zhangfang.store.schema import metadata


def set_revision(database: Database, revision: str) -> None:
    with database.write() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = :revision"), {"revision": revision})


def test_the_migrations_make_exactly_the_tables_that_the_code_speaks_of(database: Database) -> None:
    with database.read() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True, "compare_server_default": True})

        difference = compare_metadata(context, metadata)

    assert difference == []


def test_migrating_an_empty_database_says_from_where_to_where(empty_database: Database) -> None:
    first = migrate(empty_database)
    again = migrate(empty_database)

    assert first == (None, "0002")
    assert again == ("0002", "0002")
    check_schema(empty_database)


def test_a_database_of_the_first_schema_is_brought_up_with_all_that_is_in_it(database: Database) -> None:
    seat(CountingHouse(database), A=5)
    with database.write() as connection:
        before = read_head(connection)
        connection.exec_driver_sql("ALTER TABLE log_head DROP COLUMN rebuilds")
    set_revision(database, "0001")

    assert migrate(database) == ("0001", "0002")

    with database.read() as connection:
        assert read_head(connection) == before
    assert_sound(database)


def test_a_new_log_is_empty_and_its_head_is_the_genesis(database: Database) -> None:
    with database.read() as connection:
        head = read_head(connection)

    assert head == (0, GENESIS, 0)


def test_the_log_has_one_head(database: Database) -> None:
    with pytest.raises(IntegrityError, match="one_log_head"), database.write() as connection:
        connection.exec_driver_sql(
            "INSERT INTO log_head (id, position, hash, recorded_at_us) SELECT 2, position, hash, 0 FROM log_head"
        )


def test_a_database_without_a_schema_is_refused_with_the_command_that_makes_one(empty_database: Database) -> None:
    with pytest.raises(StoreError, match="no schema yet: run `zhangfang migrate`"):
        check_schema(empty_database)


def test_a_database_of_a_newer_version_is_refused_and_not_called_old(database: Database) -> None:
    set_revision(database, "9999")

    with pytest.raises(StoreError, match=r"schema 9999, made by a newer version; this one knows up to 0002"):
        check_schema(database)


def test_a_database_of_a_newer_version_is_not_migrated(database: Database) -> None:
    set_revision(database, "9999")

    with pytest.raises(StoreError, match=r"schema 9999, made by a newer version"):
        migrate(database)


def test_a_database_of_an_older_version_is_refused_with_the_command_that_brings_it_up() -> None:
    assert find_misfit("0002", ["0003", "0002", "0001"]) == (
        "the database has schema 0002, this version needs 0003: run `zhangfang migrate`"
    )


def migrate_at(url: str, started: Callable[[], object]) -> None:
    database = Database(url)
    started()
    migrate(database)
    database.close()


@pytest.mark.parametrize("store", ["sqlite", "postgresql"])
def test_processes_that_migrate_at_the_same_time_wait_for_each_other(
    store: str, tmp_path: object, request: pytest.FixtureRequest
) -> None:
    server: PostgreSQL | None = request.getfixturevalue("postgresql") if store == "postgresql" else None
    url = server.create("template0") if server else f"sqlite:///{tmp_path}/new.db"
    context = multiprocessing.get_context("spawn")
    barrier = context.Barrier(4)

    processes = [context.Process(target=migrate_at, args=(url, barrier.wait)) for _ in range(4)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()

    assert [process.exitcode for process in processes] == [0, 0, 0, 0]
    database = Database(url)
    check_schema(database)
    database.close()
    if server:
        server.drop(url)


def test_a_migration_that_fails_leaves_nothing_behind(empty_database: Database) -> None:
    with empty_database.write() as connection:
        connection.exec_driver_sql("CREATE TABLE hands (hand_id TEXT)")

    with pytest.raises((Refusal, DBAPIError)) as failed:
        migrate(empty_database)
    assert "hands" in what_the_driver_said(failed.value)

    with pytest.raises(StoreError, match="no schema yet"):
        check_schema(empty_database)
    with pytest.raises((Refusal, DBAPIError)) as failed, empty_database.read() as connection:
        read_head(connection)
    assert "log_head" in what_the_driver_said(failed.value)


def what_the_driver_said(error: Exception) -> str:
    return str(error.__cause__ or error)


def test_an_embedded_store_is_written_through_to_the_disk(sqlite_url: str) -> None:
    database = Database(sqlite_url)
    with database.write() as connection:
        settings = {
            name: connection.exec_driver_sql(f"PRAGMA {name}").scalar_one() for name in ("journal_mode", "synchronous")
        }
    database.close()

    assert settings == {"journal_mode": "wal", "synchronous": 2}
    assert sqlite3.sqlite_version_info >= (3, 35)
