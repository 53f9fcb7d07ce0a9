"""A private PostgreSQL for the benchmark: its own folder, a socket and no port, durable as in production."""

import os
import pwd
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any, Self

import psycopg
from psycopg import sql

OWNER = "zhangfang"
SETTINGS = """
fsync = on
synchronous_commit = on
shared_buffers = 256MB
max_wal_size = 4GB
max_connections = 100
"""


def find_programs() -> Path | None:
    """The folder of PostgreSQL's programs, the newest there is; None without any."""
    on_path = shutil.which("initdb")
    if on_path:
        return Path(on_path).resolve().parent
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: float(path.parent.parent.name))
    return found[-1].parent if found else None


class PostgreSQL:
    """A server that lives as long as its ``with`` block; run as root it serves as an unprivileged user."""

    def __init__(self, programs: Path) -> None:
        self._programs = programs
        # A short path: the name of a Unix socket has a limit of 107 bytes.
        self.folder = Path(tempfile.mkdtemp(prefix="zf-bench-"))
        self._user: dict[str, Any] = {}
        if os.geteuid() == 0:
            names = {user.pw_name: user for user in pwd.getpwall()}
            user = names.get("postgres") or names["nobody"]
            os.chown(self.folder, user.pw_uid, user.pw_gid)
            self._user = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}

    def __enter__(self) -> Self:
        data = self.folder / "data"
        try:
            self._run("initdb", "-D", data, "-U", OWNER, "-A", "trust", "-E", "UTF8", "--locale=C")
            with (data / "postgresql.conf").open("a") as settings:
                settings.write(SETTINGS)
            options = f"-k {self.folder} -c listen_addresses=''"
            self._run("pg_ctl", "start", "-w", "-D", data, "-o", options, "-l", self.folder / "server.log")
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    @property
    def pid(self) -> int:
        """The server's first process."""
        return int((self.folder / "data" / "postmaster.pid").read_text().partition("\n")[0])

    @property
    def version(self) -> str:
        """Which PostgreSQL this is."""
        return self._run("postgres", "--version").strip()

    def url(self, database: str) -> str:
        """Where one of its databases is."""
        return f"postgresql://{OWNER}@/{database}?host={self.folder}"

    def create(self, name: str) -> str:
        """Makes an empty database and returns its URL."""
        name = name.replace("-", "_")
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        return self.url(name)

    def transactions_per_second(self, clients: int, seconds: int) -> float | None:
        """What the server's own ``pgbench -N`` reaches with so many clients; None if it is not installed."""
        if not (self._programs / "pgbench").exists():
            return None
        where = ["-h", str(self.folder), "-U", OWNER, "pgbench"]
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            found = connection.execute("SELECT 1 FROM pg_database WHERE datname = 'pgbench'").fetchone()
        if not found:
            self.create("pgbench")
            self._run("pgbench", "-i", "-q", "-s", "10", *where)
        output = self._run("pgbench", "-N", "-c", str(clients), "-j", "1", "-T", str(seconds), *where)
        line = next(line for line in output.splitlines() if line.startswith("tps"))
        return float(line.split()[2])

    def close(self) -> None:
        """Ends the server and removes its data."""
        if (self.folder / "data" / "postmaster.pid").exists():
            self._run("pg_ctl", "stop", "-w", "-D", self.folder / "data", "-m", "immediate")
        shutil.rmtree(self.folder, ignore_errors=True)

    def _run(self, program: str, *arguments: str | Path) -> str:
        # A file instead of a pipe: the server inherits it and would keep a pipe open for ever.
        with tempfile.TemporaryFile("w+") as output:
            done = subprocess.run(  # noqa: S603 - PostgreSQL's own programs, found by us
                [self._programs / program, *arguments],
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                check=False,
                **self._user,
            )
            output.seek(0)
            text = output.read()
        if done.returncode:
            raise RuntimeError(f"{program} failed with {done.returncode}:\n{text}")
        return text
