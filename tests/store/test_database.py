"""Opening a store: which URLs are understood, who may serve it, and what is refused as not durable."""

import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Thread

import psycopg
import pytest

from tests.postgresql import PostgreSQL, name_in
from zhangfang.errors import Reason, Refusal, Status
from zhangfang.store.database import Database, StoreError, Timeouts
from zhangfang.store.outages import explained

SHORT = Timeouts(connection=2, lock=1, statement=1)

BAD_URLS = {
    "nothing": "",
    "a word": "zhangfang",
    "another database": "mysql://root@localhost/zhangfang",
    "no file": "sqlite://",
    "memory": "sqlite:///:memory:",
    "a port that is no number": "postgresql://zhangfang@localhost:abc/zhangfang",
    "no scheme": "/var/lib/zhangfang.db",
}


@contextmanager
def opened(url: str, timeouts: Timeouts = SHORT, reader_count: int = 2) -> Iterator[Database]:
    database = Database(url, timeouts, reader_count)
    try:
        yield database
    finally:
        database.close()


@pytest.mark.parametrize("url", BAD_URLS.values(), ids=BAD_URLS.keys())
def test_a_url_that_is_no_store_is_refused_with_those_that_are(url: str) -> None:
    with pytest.raises(StoreError, match=r"use sqlite:///path/to/zhangfang\.db or postgresql://user@host/name"):
        Database(url)


def test_a_refused_url_does_not_tell_its_password() -> None:
    with pytest.raises(StoreError) as refused:
        Database("mysql://root:hunter2@localhost/zhangfang")

    assert "hunter2" not in str(refused.value)


def test_an_embedded_store_is_made_with_its_folder(tmp_path: Path) -> None:
    path = tmp_path / "new" / "folder" / "zhangfang.db"

    with opened(f"sqlite:///{path}") as database, database.write():
        pass

    assert path.exists()


def test_a_second_server_of_an_embedded_store_is_refused_and_told_who_has_it(sqlite_url: str) -> None:
    with opened(sqlite_url) as first, opened(sqlite_url) as second:
        first.claim()
        first.claim()

        with pytest.raises(StoreError, match=rf"in use by another zhangfang process \(pid {os.getpid()}\)"):
            second.claim()


def test_an_embedded_store_is_free_again_when_its_server_is_gone(sqlite_url: str) -> None:
    program = f"""
import os
from zhangfang.store.database import Database
Database({sqlite_url!r}).claim()
os.kill(os.getpid(), 9)
"""
    killed = subprocess.run([sys.executable, "-c", program], check=False, env={**os.environ, "PYTHONPATH": "service"})
    assert killed.returncode == -9

    with opened(sqlite_url) as database:
        database.claim()


def test_several_processes_may_serve_one_postgresql(postgresql_url: str) -> None:
    with opened(postgresql_url) as first, opened(postgresql_url) as second:
        first.claim()
        second.claim()


def test_stores_that_keep_what_they_acknowledge_are_accepted(database: Database) -> None:
    database.check_durability()


@pytest.mark.parametrize("whose", ["DATABASE {name}", "ROLE zhangfang IN DATABASE {name}"])
def test_postgresql_with_asynchronous_commits_is_refused_wherever_that_was_set(
    postgresql_url: str, postgresql: PostgreSQL, whose: str
) -> None:
    setting = whose.format(name=name_in(postgresql_url))
    postgresql.execute(f"ALTER {setting} SET synchronous_commit = off")

    with (
        opened(postgresql_url) as database,
        pytest.raises(StoreError, match="synchronous_commit = off: an acknowledged hand could be lost"),
    ):
        database.check_durability()


def test_postgresql_that_waits_for_its_own_disk_alone_is_accepted(postgresql_url: str, postgresql: PostgreSQL) -> None:
    postgresql.execute(f"ALTER DATABASE {name_in(postgresql_url)} SET synchronous_commit = local")

    with opened(postgresql_url) as database:
        database.check_durability()


def test_postgresql_without_fsync_is_refused(postgresql_url: str, postgresql: PostgreSQL) -> None:
    postgresql.execute("ALTER SYSTEM SET fsync = off")
    postgresql.execute("SELECT pg_reload_conf()")
    try:
        wait_for_setting(postgresql_url, "fsync", "off")
        with opened(postgresql_url) as database, pytest.raises(StoreError, match="fsync = off"):
            database.check_durability()
    finally:
        postgresql.execute("ALTER SYSTEM RESET fsync")
        postgresql.execute("SELECT pg_reload_conf()")
        wait_for_setting(postgresql_url, "fsync", "on")


def wait_for_setting(url: str, name: str, value: str) -> None:
    """Until new connections see a setting that was just reloaded."""
    while True:
        with psycopg.connect(url) as connection:
            row = connection.execute(f"SHOW {name}").fetchone()
            if row and row[0] == value:
                return


def test_a_server_that_is_not_there_is_unavailable(tmp_path: Path) -> None:
    url = f"postgresql://zhangfang@/none?host={tmp_path}"

    with opened(url) as database, pytest.raises(Refusal) as refused, database.read():
        pass

    assert (refused.value.status, refused.value.reason) == (Status.UNAVAILABLE, Reason.STORE_UNAVAILABLE)
    assert refused.value.text == "the store does not answer: no connection could be made; try again"
    assert f'connection to server on socket "{tmp_path}/' in explained(refused.value)
    assert "\n" not in explained(refused.value)


def test_an_append_waits_for_a_lock_no_longer_than_it_was_told(database_url: str) -> None:
    with opened(database_url) as holder, opened(database_url) as waiter, holder.write() as held:
        held.exec_driver_sql("UPDATE log_head SET position = position")

        with pytest.raises(Refusal) as refused, waiter.write() as connection:
            connection.exec_driver_sql("UPDATE log_head SET position = position")

    assert refused.value.reason is Reason.STORE_UNAVAILABLE
    assert "a lock was waited for too long" in refused.value.text or "a statement took too long" in refused.value.text
    with opened(database_url) as database, database.write() as connection:
        connection.exec_driver_sql("UPDATE log_head SET position = position")


def test_a_store_that_was_locked_is_used_again_by_the_same_connection(database_url: str) -> None:
    with opened(database_url) as holder, opened(database_url) as waiter:
        with holder.write() as held:
            held.exec_driver_sql("UPDATE log_head SET position = position")
            with pytest.raises(Refusal), waiter.write() as connection:
                connection.exec_driver_sql("UPDATE log_head SET position = position")

        with waiter.write() as connection:
            connection.exec_driver_sql("UPDATE log_head SET position = position")


def test_a_database_whose_machine_vanished_is_not_waited_for_longer_than_half_a_minute(postgresql_url: str) -> None:
    database = Database(postgresql_url)

    with database.read() as connection:
        told = connection.connection.driver_connection.info.get_parameters()  # type: ignore[union-attr]
    database.close()

    silent = sum(int(told[f"keepalives_{name}"]) * count for name, count in (("idle", 1), ("interval", 3)))
    assert silent == 25  # nothing was asked
    assert told["tcp_user_timeout"] == "25000"  # something was


def test_a_statement_that_takes_too_long_is_broken_off(postgresql_url: str) -> None:
    with (
        opened(postgresql_url) as database,
        pytest.raises(Refusal, match="a statement took too long") as refused,
        database.read() as connection,
    ):
        connection.exec_driver_sql("SELECT pg_sleep(60)")

    assert refused.value.status is Status.UNAVAILABLE
    assert explained(refused.value).endswith("try again (canceling statement due to statement timeout)")


def test_readers_beyond_their_number_wait_and_are_then_told(database_url: str) -> None:
    with opened(database_url, reader_count=3) as database, ExitStack() as readers:
        refusals = [refusal for refusal in (read_along(database, readers) for _ in range(9)) if refusal]

    assert {refusal.text for refusal in refusals} == {
        "the store does not answer: all connections are in use; try again"
    }
    assert len(refusals) <= 9 - 3


def read_along(database: Database, readers: ExitStack) -> Refusal | None:
    """One more reader who goes on reading; or why he cannot."""
    try:
        readers.enter_context(database.read())
    except Refusal as refusal:
        return refusal
    return None


def test_a_reader_sees_one_moment_however_much_is_written_meanwhile(database: Database) -> None:
    def positions() -> int:
        return int(reader.exec_driver_sql("SELECT position FROM log_head").scalar_one())

    with database.read() as reader:
        before = positions()
        with database.write() as writer:
            writer.exec_driver_sql("UPDATE log_head SET position = 7")
        during = positions()

    assert (before, during) == (0, 0)
    with database.read() as reader:
        assert positions() == 7


def test_a_reader_cannot_write(postgresql_url: str) -> None:
    with opened(postgresql_url) as database, pytest.raises(Refusal) as refused, database.read() as reader:
        reader.exec_driver_sql("UPDATE log_head SET position = 7")

    assert "it takes no changes now" in refused.value.text
    assert "read-only transaction" in explained(refused.value)


def test_a_writer_sees_what_others_committed_while_it_waited(postgresql_url: str, postgresql: PostgreSQL) -> None:
    name = name_in(postgresql_url)
    postgresql.execute(f"ALTER DATABASE {name} SET default_transaction_isolation = 'repeatable read'")
    seen: list[int] = []

    def add_one(database: Database) -> None:
        with database.write() as connection:
            connection.exec_driver_sql("SELECT 1")
            connection.exec_driver_sql("SELECT position FROM log_head FOR UPDATE")
            connection.exec_driver_sql("UPDATE log_head SET position = position + 1")
            seen.append(connection.exec_driver_sql("SELECT position FROM log_head").scalar_one())

    with opened(postgresql_url, Timeouts()) as database:
        threads = [Thread(target=add_one, args=(database,)) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    assert sorted(seen) == [1, 2, 3]


def test_the_file_of_an_embedded_store_is_plain_sqlite(sqlite_url: str) -> None:
    with sqlite3.connect(sqlite_url.removeprefix("sqlite:///")) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connection.close()
