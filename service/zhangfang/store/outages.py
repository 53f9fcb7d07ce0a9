"""When the store does not answer: callers are told the kind of reason and to try again, operators what was said.

What a driver says may name hosts, ports, files and tables. That is nobody's business at the other end of a call.
"""

from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from zhangfang.errors import Reason, Refusal, Status

NO_CONNECTION = "no connection could be made"
LOST = "the connection was lost"
ALL_IN_USE = "all connections are in use"
LOCKED = "a lock was waited for too long"
SLOW = "a statement took too long"
SILENT = "no answer came in time"
IDLE = "a transaction stood still for too long"
READ_ONLY = "it takes no changes now"
FULL = "its disk is full"
FAILED = "it could not do its work"

REASONS = {
    # PostgreSQL's error codes
    "25006": READ_ONLY,  # as a server that was made a standby
    "25P03": IDLE,
    "40P01": LOCKED,
    "53100": FULL,
    "55P03": LOCKED,
    "57014": SLOW,
    # SQLite's
    "SQLITE_BUSY": LOCKED,
    "SQLITE_CANTOPEN": NO_CONNECTION,
    "SQLITE_FULL": FULL,
    "SQLITE_READONLY": READ_ONLY,
}


def outage_of(error: DBAPIError | PoolTimeoutError) -> Refusal | None:
    """The refusal for an error that passes when the store does better; None for any other."""
    reason = _reason_of(error)
    if reason is None:
        return None
    return Refusal(Status.UNAVAILABLE, Reason.STORE_UNAVAILABLE, f"the store does not answer: {reason}; try again")


def explained(refusal: Refusal) -> str:
    """A refusal for operators: what callers are told, and the first line of what the driver said."""
    cause = refusal.__cause__
    said = str(getattr(cause, "orig", cause) or "").partition("\n")[0]
    return f"{refusal.text} ({said})" if said else refusal.text


def _reason_of(error: DBAPIError | PoolTimeoutError) -> str | None:
    if isinstance(error, PoolTimeoutError):
        return ALL_IN_USE
    told = getattr(error.orig, "sqlstate", None) or getattr(error.orig, "sqlite_errorname", None) or ""
    kind = "_".join(told.split("_")[:2])  # SQLITE_BUSY_SNAPSHOT is a kind of SQLITE_BUSY
    if kind in REASONS:
        return REASONS[kind]
    if error.connection_invalidated:
        return SILENT if _is_silence(error) else LOST
    if not _is_operational(error):
        return None
    return FAILED if told else NO_CONNECTION


def _is_silence(error: DBAPIError) -> bool:
    from zhangfang.store.postgresql import NoAnswerError

    return isinstance(error.orig, NoAnswerError)


def _is_operational(error: DBAPIError) -> bool:
    import sqlite3

    import psycopg

    return isinstance(error.orig, sqlite3.OperationalError | psycopg.OperationalError)
