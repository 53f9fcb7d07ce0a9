"""The database behind the log: one writer at a time, many readers, on an embedded SQLite file or PostgreSQL.

Acknowledged means on disk: SQLite runs in WAL mode with ``synchronous=FULL`` and every write begins with
``BEGIN IMMEDIATE``; PostgreSQL is refused when ``synchronous_commit`` or ``fsync`` are off.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from zhangfang.store.driver import driver_of, raising_as_usual
from zhangfang.store.outages import outage_of

# What is sorted goes to a temporary file when it grows: with temp_store=MEMORY an index of a million hands would not.
SQLITE_PRAGMAS = ("journal_mode=WAL", "synchronous=FULL", "cache_size=-65536")


# The writer reads beside its own transaction; a verification holds one connection for long.
SPARE_CONNECTIONS = 4

# An audit sorts whole tables. Still bounded: one that waits for a server that hangs keeps others from being begun.
LIFTED_SECONDS = 3600


class StoreError(Exception):
    """The store cannot be used as it is configured: a sentence for the operator."""


@dataclass(frozen=True, slots=True)
class Timeouts:
    """How long the store may wait before it answers UNAVAILABLE, in seconds.

    ``statement`` is also how long somebody waits for a free connection, and on SQLite for a lock.
    """

    connection: int = 5
    lock: int = 10
    statement: int = 30

    @property
    def answer(self) -> int:
        """How long PostgreSQL's answer is waited for: it breaks a statement off before that, if it still works."""
        return self.statement + self.connection


class Database:
    """Connections to one database.

    Args:
        url: ``sqlite:///zhangfang.db`` or ``postgresql://user@host/name``.
        timeouts: bounds on every wait.
        reader_count: how many questions may be answered at once; a few more connections are kept for the writer
            and for verifications.

    Raises:
        StoreError: for a URL of another kind.
    """

    def __init__(self, url: str, timeouts: Timeouts | None = None, reader_count: int = 8) -> None:
        self.timeouts = timeouts or Timeouts()
        self.url = _parse_url(url)
        self.is_sqlite = self.url.get_backend_name() == "sqlite"
        self._claim: IO[str] | None = None
        if self.is_sqlite:
            self._writer = self._sqlite_engine("BEGIN IMMEDIATE", 1)
            self._reader = self._sqlite_engine("BEGIN", reader_count + SPARE_CONNECTIONS)
        else:
            from zhangfang.store.postgresql import make_engine

            self._writer = self._reader = make_engine(self.url, self.timeouts, reader_count + SPARE_CONNECTIONS)

    @property
    def sqlite_path(self) -> Path:
        """The file of an embedded store."""
        return Path(self.url.database or "")

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """One transaction that may write; on SQLite it holds the only write lock from its first moment."""
        with translated(), self._writer.begin() as connection:
            yield connection

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """One transaction that reads, a consistent view of the database from its first statement on."""
        with translated(), self._reader.connect() as connection:
            if not self.is_sqlite:
                connection.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
            with connection.begin():
                yield connection

    def claim(self) -> None:
        """Makes this process the only server of an embedded store; does nothing on PostgreSQL.

        Raises:
            StoreError: if another process serves the same file.
        """
        if not self.is_sqlite or self._claim:
            return
        path = self.sqlite_path.with_name(self.sqlite_path.name + ".lock")
        try:
            lock = path.open("a+")
        except OSError as error:
            raise StoreError(f"{path} cannot be written: {error.strerror}") from None
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            lock.seek(0)
            owner = lock.read().strip() or "unknown"
            lock.close()
            raise StoreError(
                f"{self.sqlite_path} is in use by another zhangfang process (pid {owner}); stop it, choose another "
                "file with ZHANGFANG_DATABASE_URL, or use PostgreSQL, which several processes can share"
            ) from None
        lock.truncate(0)
        lock.write(str(os.getpid()))
        lock.flush()
        self._claim = lock

    def check_durability(self) -> None:
        """Refuses a PostgreSQL server that acknowledges commits before they are on disk.

        What counts is what our own sessions see, wherever it was set. ``local`` passes: acknowledged means on the
        primary's disk, whether or not a standby has it.

        Raises:
            StoreError: if ``fsync`` or ``synchronous_commit`` is off.
        """
        if self.is_sqlite:
            return
        with self.read() as connection:
            for setting in ("fsync", "synchronous_commit"):
                if connection.exec_driver_sql(f"SHOW {setting}").scalar_one() == "off":
                    raise StoreError(f"PostgreSQL has {setting} = off: an acknowledged hand could be lost; turn it on")

    def close(self) -> None:
        """Closes every connection and gives the embedded file free."""
        self._writer.dispose()
        self._reader.dispose()
        if self._claim:
            self._claim.close()
            self._claim = None

    def _sqlite_engine(self, begin: str, pool_size: int) -> Engine:
        try:
            self.sqlite_path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(f"the folder {self.sqlite_path.parent} cannot be made: {error.strerror}") from None
        engine = create_engine(
            self.url,
            pool_size=pool_size,
            max_overflow=0,
            hide_parameters=True,  # nobody's silver in a traceback
            pool_timeout=self.timeouts.statement,
            connect_args={"check_same_thread": False, "isolation_level": None, "timeout": self.timeouts.statement},
        )

        @event.listens_for(engine, "connect")
        def _set_pragmas(connection: Any, _record: object) -> None:
            for pragma in SQLITE_PRAGMAS:
                connection.execute(f"PRAGMA {pragma}")

        @event.listens_for(engine, "begin")
        def _begin(connection: Connection) -> None:
            with raising_as_usual(connection):
                driver_of(connection).execute(begin)

        return engine


def require_file(url: str) -> None:
    """Refuses the URL of an embedded store that is not there, which opening it would make; does nothing on PostgreSQL.

    Raises:
        StoreError: for that, or for a URL of another kind.
    """
    parsed = _parse_url(url)
    if parsed.get_backend_name() == "sqlite" and not Path(parsed.database or "").is_file():
        raise StoreError(f"there is no file {parsed.database}; the database URL says where the store is")


def lift_timeouts(connection: Connection, statement_seconds: int = LIFTED_SECONDS) -> None:
    """Lets each statement of one PostgreSQL transaction take so long, and the transaction as long as it takes.

    Its locks are still waited for no longer than others. With 0 there is no limit: nobody but the server's end then
    tells a statement that takes long from a server that hangs.
    """
    connection.exec_driver_sql(f"SET LOCAL statement_timeout = '{statement_seconds}s'")
    connection.exec_driver_sql("SET LOCAL idle_in_transaction_session_timeout = 0")
    driver: Any = connection.connection.driver_connection
    driver.answer_seconds = statement_seconds or None


@contextmanager
def translated() -> Iterator[None]:
    """Turns what a driver raises when the database is away, locked or slow into a refusal: "send it again"."""
    try:
        yield
    except (DBAPIError, PoolTimeoutError) as error:
        outage = outage_of(error)
        if outage:
            raise outage from error
        if getattr(getattr(error, "orig", None), "sqlite_errorname", "") == "SQLITE_NOTADB":
            raise StoreError("the file that the database URL names is no SQLite database") from None
        raise


def _parse_url(text: str) -> URL:
    # A port that is no number is a plain ValueError. The text itself is not told: it may hold a password.
    with suppress(ArgumentError, ValueError):
        url = make_url(text)
        backend = url.get_backend_name()
        if backend == "postgresql":
            return url.set(drivername="postgresql+psycopg")
        if backend == "sqlite" and url.database and url.database != ":memory:":
            return url.set(drivername="sqlite")
    scheme = text.partition(":")[0] if "://" in text else ""
    raise StoreError(
        f"the database URL{f' of kind {scheme!r}' if scheme else ''} is not understood; "
        "use sqlite:///path/to/zhangfang.db or postgresql://user@host/name"
    )
