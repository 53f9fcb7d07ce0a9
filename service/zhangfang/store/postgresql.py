"""PostgreSQL behind the store: no wait is without an end, also not one for a server that stopped answering.

A server whose machine is frozen keeps its TCP connections alive and fires none of its own timeouts. So the client has a
limit of its own: a little beyond the server's, which comes first whenever the server still works.
"""

from select import POLLIN, poll
from typing import TYPE_CHECKING, Any

import psycopg
from psycopg.abc import RV, PQGen
from sqlalchemy import URL, Engine, create_engine, event
from sqlalchemy.exc import DisconnectionError

if TYPE_CHECKING:
    from zhangfang.store.database import Timeouts

KEEPALIVES = {"keepalives_idle": 10, "keepalives_interval": 5, "keepalives_count": 3}
# A machine gone with a question on its way: the kernel would go on sending for a quarter of an hour.
TCP_USER_TIMEOUT_MILLISECONDS = 25_000


class NoAnswerError(psycopg.OperationalError):
    """The server did not answer in time; what became of the statement is not known."""


class BoundedConnection(psycopg.Connection[Any]):
    """A connection that is closed when its server does not answer.

    ``answer_seconds`` is how long a statement and its answer may take; None waits for ever.
    """

    answer_seconds: float | None = None

    def wait(self, gen: PQGen[RV], interval: float = 0.1, timeout: float | None = None) -> RV:
        """What the server answers; the driver comes here with all that it asks on an open connection.

        Raises:
            NoAnswerError: if it does not answer in time; the connection is closed then.
        """
        if timeout is not None:
            return super().wait(gen, interval, timeout)
        try:
            return super().wait(gen, interval, self.answer_seconds)
        except psycopg.errors._WaitTimeout:  # noqa: SLF001 - the driver documents it as what this method raises
            self.pgconn.finish()
            raise NoAnswerError(f"the server did not answer within {self.answer_seconds} seconds") from None


def make_engine(url: URL, timeouts: "Timeouts", pool_size: int) -> Engine:
    """Connections to a PostgreSQL, each of them bounded and looked at before it is used again."""
    milliseconds = {
        "lock_timeout": timeouts.lock * 1000,
        "statement_timeout": timeouts.statement * 1000,
        "idle_in_transaction_session_timeout": timeouts.statement * 2000,
    }
    engine = create_engine(
        url,
        # Whoever waited for the log head must see what was committed meanwhile, whatever the server's default is.
        isolation_level="READ COMMITTED",
        pool_size=pool_size,
        max_overflow=0,
        hide_parameters=True,  # nobody's silver in a traceback
        pool_timeout=timeouts.statement,
        connect_args={
            "connect_timeout": timeouts.connection,
            "application_name": "zhangfang",
            "options": " ".join(f"-c {name}={limit}" for name, limit in milliseconds.items()),
            **KEEPALIVES,
            "tcp_user_timeout": TCP_USER_TIMEOUT_MILLISECONDS,
        },
    )

    @event.listens_for(engine, "do_connect")
    def _connect(_dialect: object, _record: object, arguments: Any, options: Any) -> BoundedConnection:
        connection = BoundedConnection.connect(*arguments, **options)
        connection.answer_seconds = timeouts.answer
        return connection

    @event.listens_for(engine, "checkout")
    def _check_out(connection: BoundedConnection, record: Any, _fairy: object) -> None:
        connection.answer_seconds = timeouts.answer  # whoever had it last may have lifted it
        if record.info.setdefault("is_new", True):
            record.info["is_new"] = False
        elif _has_ended(connection):
            raise DisconnectionError

    return engine


def _has_ended(connection: BoundedConnection) -> bool:
    """Whether the server let an unused connection go, as a restart does: unasked, it has nothing else to say.

    Looking costs no round trip, unlike asking.
    """
    if connection.closed:
        return True
    heard = poll()
    heard.register(connection.fileno(), POLLIN)
    return bool(heard.poll(0))
