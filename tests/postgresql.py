"""A real PostgreSQL for the tests: started by them, for them alone, and gone when they end.

Its data lie in a folder of their own, it listens on a socket in there and on no port, and it writes through to the
disk as in production. PostgreSQL refuses to run as root, so under root it runs as an unprivileged user.
"""

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Any

import psycopg

from zhangfang.store.database import Database
from zhangfang.store.migrations.run import migrate
from zhangfang.store.schema import PROJECTION_TABLES, events

OWNER = "zhangfang"
TEMPLATE = "migrated"
START_SECONDS = 60

BREAK_OFF_OTHERS = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s AND pid <> pg_backend_pid()"
)
SHAPE = """
    SELECT relname::text, relkind::text FROM pg_class WHERE relnamespace = 'public'::regnamespace
    UNION ALL SELECT 'revision ' || version_num, '' FROM alembic_version
    UNION ALL SELECT 'setting', setconfig::text FROM pg_db_role_setting
        WHERE setdatabase = (SELECT oid FROM pg_database WHERE datname = current_database())
    ORDER BY 1, 2
"""
EMPTY = [f"DELETE FROM {table.name}" for table in (events, *PROJECTION_TABLES)]  # noqa: S608 - names of the schema
REWIND = "UPDATE log_head SET position = 0, hash = decode(repeat('00', 32), 'hex'), recorded_at_us = 0"


class PostgreSQL:
    """One server with a template of the migrated schema, from which every test gets a database of its own."""

    def __init__(self) -> None:
        self._programs = find_programs()
        # A short path: the name of a Unix socket has a limit of 107 bytes.
        self._folder = Path(tempfile.mkdtemp(prefix="zf-pg-", dir="/tmp"))
        self._user = unprivileged_user()
        self._numbers = count(1)
        self._clean: list[str] = []
        self._shape: list[Any] = []
        if self._user:
            os.chown(self._folder, self._user.pw_uid, self._user.pw_gid)
        self._guard = self._stand_guard()
        try:
            self._run("initdb", "-D", self.data, "-U", OWNER, "-A", "trust", "-E", "UTF8", "--locale=C")
            self._configure()
            self.start()
            self._make_template()
        except BaseException:
            self.close()
            raise

    @property
    def data(self) -> Path:
        """The folder of the server's data."""
        return self._folder / "data"

    def url(self, database: str) -> str:
        """Where one of its databases is."""
        return f"postgresql://{OWNER}@/{database}?host={self._folder}"

    def create(self, template: str = TEMPLATE) -> str:
        """Makes a database of the migrated schema, or with the template ``template0`` an empty one; returns its URL."""
        name = f"test_{next(self._numbers)}"
        self.execute(f"CREATE DATABASE {name} TEMPLATE {template}")
        return self.url(name)

    def drop(self, url: str) -> None:
        """Drops a database, with whoever is connected to it."""
        self.execute(f"DROP DATABASE {name_in(url)} WITH (FORCE)")

    def take(self) -> str:
        """A database of the migrated schema in which nothing has happened: one given back before, or a new one."""
        return self._clean.pop() if self._clean else self.create()

    def give_back(self, url: str) -> None:
        """Empties a database for the next test, which is much faster than making one; drops one that was altered."""
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(BREAK_OFF_OTHERS, [name_in(url)])
            shape = connection.execute(SHAPE).fetchall()
            if shape == self._shape:
                connection.execute(";".join([*EMPTY, REWIND]).encode())
        if shape == self._shape:
            self._clean.append(url)
        else:
            self.drop(url)

    def execute(self, statement: str) -> None:
        """Runs a statement that no transaction may hold."""
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(statement.encode())

    def start(self) -> None:
        """Starts the server and waits until it answers."""
        options = f"-k {self._folder} -c listen_addresses=''"
        log = self._folder / "server.log"
        self._run("pg_ctl", "start", "-w", "-t", str(START_SECONDS), "-D", self.data, "-o", options, "-l", log)

    def stop(self, mode: str = "fast") -> None:
        """Stops the server: ``fast`` breaks connections off, ``immediate`` is a crash."""
        self._run("pg_ctl", "stop", "-w", "-D", self.data, "-m", mode)

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """While the block runs every process of the server stands still, and its connections stay open."""
        processes = [self._postmaster, *children_of(self._postmaster)]
        with ExitStack() as thawed:
            for process_id in processes:  # the first one first: it would start others
                thawed.enter_context(stopped(process_id))
            yield

    @property
    def _postmaster(self) -> int:
        return int((self.data / "postmaster.pid").read_text().splitlines()[0])

    def close(self) -> None:
        """Stops the server and removes its data."""
        if self._guard.stdin:
            self._guard.stdin.close()
        self._guard.wait()

    def _stand_guard(self) -> "subprocess.Popen[bytes]":
        """A process that waits for the end of this one, however it comes, and then clears everything away."""
        # Whoever was killed with the server frozen cannot thaw it any more.
        thaw = f"p=$(head -n 1 '{self.data}/postmaster.pid') && kill -CONT $p $(cat /proc/$p/task/$p/children)"
        end = f"'{self._programs}/pg_ctl' stop -w -m immediate -D '{self.data}'"
        clear_away = f"read _; {thaw}; {end}; rm -rf '{self._folder}'"
        return subprocess.Popen(
            ["/bin/sh", "-c", clear_away],
            cwd="/",
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C is meant for the tests alone
            **self._as_user(),
        )

    def _configure(self) -> None:
        with (self.data / "postgresql.conf").open("a") as settings:
            settings.write("fsync = on\nsynchronous_commit = on\nmax_connections = 200\nshared_buffers = 64MB\n")

    def _make_template(self) -> None:
        self.execute(f"CREATE DATABASE {TEMPLATE} TEMPLATE template0")
        database = Database(self.url(TEMPLATE))
        try:
            migrate(database)
        finally:
            database.close()
        with psycopg.connect(self.url(TEMPLATE)) as connection:
            self._shape = connection.execute(SHAPE).fetchall()

    def _run(self, program: str, *arguments: str | Path) -> None:
        # A file instead of a pipe: the server inherits it and would keep a pipe open for ever.
        with tempfile.TemporaryFile("w+") as output:
            done = subprocess.run(
                [self._programs / program, *arguments],
                cwd=self._folder,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                check=False,
                **self._as_user(),
            )
            output.seek(0)
            if done.returncode:
                raise RuntimeError(f"{program} failed with {done.returncode}:\n{output.read()}")

    def _as_user(self) -> dict[str, Any]:
        if not self._user:
            return {}
        return {"user": self._user.pw_uid, "group": self._user.pw_gid, "extra_groups": []}


@contextmanager
def stopped(process_id: int) -> Iterator[None]:
    """While the block runs a process stands still, as on a machine that is frozen: SIGSTOP."""
    os.kill(process_id, signal.SIGSTOP)
    try:
        yield
    finally:
        with suppress(ProcessLookupError):
            os.kill(process_id, signal.SIGCONT)


def children_of(process_id: int) -> list[int]:
    """The processes that a process started and that have not ended."""
    return [int(child) for child in Path(f"/proc/{process_id}/task/{process_id}/children").read_text().split()]


def name_in(url: str) -> str:
    """The database's name in a URL of ours."""
    return url.partition("@/")[2].partition("?")[0]


def unprivileged_user() -> pwd.struct_passwd | None:
    """Whom the server runs as when the tests run as root; None otherwise."""
    if os.geteuid() != 0:
        return None
    names = {user.pw_name: user for user in pwd.getpwall()}
    return names.get("postgres") or names["nobody"]


def find_programs() -> Path:
    """The folder of PostgreSQL's programs; installs them where that is possible."""
    found = installed_programs()
    if found is None and os.geteuid() == 0 and shutil.which("apt-get"):
        for arguments in (["update"], ["install", "--yes", "--no-install-recommends", "postgresql"]):
            subprocess.run(["apt-get", *arguments], check=True, env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"})
        found = installed_programs()
    if found is None:
        raise RuntimeError(
            "these tests need PostgreSQL's own programs (initdb, pg_ctl) and start a server with them: install the "
            "package `postgresql` (Debian: apt-get install postgresql), or put its bin folder on PATH"
        )
    return found


def installed_programs() -> Path | None:
    """The newest PostgreSQL there is, on PATH or where Debian puts it."""
    on_path = shutil.which("initdb")
    if on_path:
        return Path(on_path).resolve().parent
    versions = sorted(
        Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: float(path.parent.parent.name), reverse=True
    )
    return versions[0].parent if versions else None
