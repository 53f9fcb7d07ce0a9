"""The server: everything put together, started, and drained again."""

import asyncio
import os
import signal
from collections.abc import Callable
from contextlib import suppress

import grpc
import structlog
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from zhangfang.api.accounts import AccountServicer
from zhangfang.api.audit import AuditServicer
from zhangfang.api.counter import Counter
from zhangfang.api.exposition import Exposition
from zhangfang.api.guard import guard
from zhangfang.api.health import HealthServicer
from zhangfang.api.listening import cannot_listen, joined, why_not
from zhangfang.api.settlement import SettlementServicer
from zhangfang.application import CountingHouse
from zhangfang.beside import cpu_seconds, resident_bytes
from zhangfang.collecting import collecting_seldom
from zhangfang.config import Settings
from zhangfang.judges.pool import Judges
from zhangfang.ledger.accounts import SYSTEM_ACCOUNTS
from zhangfang.metrics import Metrics
from zhangfang.projections.accounts import read_accounts
from zhangfang.store.bulk import Sink
from zhangfang.store.database import Database, StoreError, Timeouts
from zhangfang.store.log import read_head
from zhangfang.store.migrations.run import check_schema, migrate
from zhangfang.wire.v1 import accounts_pb2, audit_pb2, settlement_pb2
from zhangfang.writer.desk import Desk

log = structlog.get_logger()

SETTLEMENT = settlement_pb2.DESCRIPTOR.services_by_name["SettlementService"]
ACCOUNTS = accounts_pb2.DESCRIPTOR.services_by_name["AccountService"]
AUDIT = audit_pb2.DESCRIPTOR.services_by_name["AuditService"]
SERVICE_NAMES = (SETTLEMENT.full_name, ACCOUNTS.full_name, AUDIT.full_name)

LAST_WORDS_SECONDS = 0.25

JUDGES_MAX = 4
"""How many judges keep one writer busy."""


class CannotStartError(Exception):
    """The server cannot start as it is configured: a sentence for the operator."""


def open_database(settings: Settings) -> Database:
    """The database this process serves: claimed, migrated if embedded, and of a schema that fits.

    Raises:
        StoreError: if it is in use, unreachable, or its schema does not fit.
    """
    timeouts = Timeouts(statement=settings.statement_seconds)
    database = Database(settings.database_url, timeouts, settings.reader_count)
    try:
        database.claim()
        if database.is_sqlite:
            migrate(database)
        check_schema(database)
        database.check_durability()
    except BaseException:
        database.close()
        raise
    return database


class Server:
    """One process that serves the house.

    Args:
        settings: where to listen and what to open.
        shares_port: whether other workers listen on the same port; otherwise a taken port is refused.
    """

    def __init__(self, settings: Settings, *, shares_port: bool = False) -> None:
        self.settings = settings
        self.metrics = Metrics()
        self._shares_port = shares_port
        self._stopping = asyncio.Event()
        self._exposition: Exposition | None = None

    async def run(self, on_ready: Callable[["Server"], None] | None = None) -> None:
        """Serves until ``stop`` is called or SIGTERM or SIGINT arrives; then drains and closes.

        Raises:
            CannotStartError, StoreError: before anything is served.
        """
        database = open_database(self.settings)
        try:
            await self._serve(CountingHouse(database, referee=self.metrics.referee), on_ready)
        finally:
            database.close()

    async def _serve(self, house: CountingHouse, on_ready: Callable[["Server"], None] | None) -> None:
        desk = self._desk = Desk(house, self.metrics, self.settings, lambda: self._show_opened(house.database))
        self.metrics["writer_queue"].set_function(lambda: desk.queue_length)
        self.metrics["writer_queue_max"].set(self.settings.queue_max)
        self._show_opened(house.database)
        counter = Counter(house, desk, self.metrics, self.settings.reader_count)
        judges = self._judges = Judges(self._judge_count())
        self._show_processes(desk, judges)
        server, health = self._make(counter, judges)
        try:
            judges.start()
            await desk.open(beside=self._writes_beside())
            self._listen(server)
            await server.start()
            health.serve()
            self._catch_signals()
            log.info("serving", port=self.port, metrics_port=self.metrics_port, database=str(house.database.url))
            if on_ready:
                on_ready(self)
            with collecting_seldom():
                await self._stopping.wait()
            log.info("draining", seconds=self.settings.drain_seconds)
            health.drain()
            counter.stopping.set()
            # Whoever balances calls sees NOT_SERVING, and streams that end now get their last words out.
            await asyncio.sleep(LAST_WORDS_SECONDS)
            await server.stop(self.settings.drain_seconds)
        finally:
            await judges.close()
            await desk.close()
            counter.close()
            if self._exposition:
                self._exposition.close()
        log.info("stopped")

    def _show_opened(self, database: Database) -> None:
        with database.read() as connection:
            accounts = read_accounts(Sink(connection), SYSTEM_ACCOUNTS)
            balances = {name: account.balance for name, account in accounts.items()}
            self.metrics.opened(read_head(connection).position, balances)

    def _show_processes(self, desk: Desk, judges: Judges) -> None:
        self.metrics["writer_processes"].set_function(lambda: len(desk.pids))
        self.metrics["judges"].set_function(lambda: judges.alive_count)
        cpu, memory = self.metrics["beside_cpu_seconds"], self.metrics["beside_resident_memory_bytes"]
        cpu.labels("writer").set_function(lambda: sum(map(cpu_seconds, desk.pids)))
        cpu.labels("judge").set_function(lambda: sum(map(cpu_seconds, judges.pids)))
        memory.labels("writer").set_function(lambda: sum(map(resident_bytes, desk.pids)))
        memory.labels("judge").set_function(lambda: sum(map(resident_bytes, judges.pids)))

    def stop(self) -> None:
        """Begins to drain; ``run`` returns when everything is finished."""
        self._stopping.set()

    def _judge_count(self) -> int:
        if self.settings.judges is not None:
            return self.settings.judges
        # Workers on one port are meant to use the cores themselves.
        return 0 if self._shares_port else min(len(os.sched_getaffinity(0)) - 1, JUDGES_MAX)

    def _writes_beside(self) -> bool:
        if self.settings.writer == "auto":
            return self._judge_count() > 0
        return self.settings.writer == "process"

    def _make(self, counter: Counter, judges: Judges) -> tuple[grpc.aio.Server, HealthServicer]:
        server = grpc.aio.server(
            options=[
                ("grpc.so_reuseport", int(self._shares_port)),
                ("grpc.max_receive_message_length", self.settings.message_bytes_max),
                ("grpc.max_send_message_length", -1),
                ("grpc.max_concurrent_streams", 10_000),
                ("grpc.keepalive_time_ms", 60_000),
                ("grpc.http2.min_ping_interval_without_data_ms", 10_000),
            ]
        )
        health = HealthServicer(SERVICE_NAMES)
        health_pb2_grpc.add_HealthServicer_to_server(health, server)
        servicers = {
            SETTLEMENT: SettlementServicer(counter, judges, self.settings.stream_in_flight_max),
            ACCOUNTS: AccountServicer(counter),
            AUDIT: AuditServicer(counter),
        }
        for service, servicer in servicers.items():
            server.add_generic_rpc_handlers((guard(service, servicer, self.metrics),))
        reflection.enable_server_reflection(
            (*SERVICE_NAMES, health_pb2.DESCRIPTOR.services_by_name["Health"].full_name, reflection.SERVICE_NAME),
            server,
        )
        return server, health

    def _listen(self, server: grpc.aio.Server) -> None:
        settings = self.settings
        try:
            self.port = server.add_insecure_port(joined(settings.host, settings.port))
        except RuntimeError:
            self.port = 0
        if not self.port:
            error = why_not(settings.host, settings.port)
            raise CannotStartError(cannot_listen(settings.host, settings.port, error))
        try:
            self._exposition = Exposition(self.metrics.registry, settings.host, settings.metrics_port)
        except OSError as error:
            sentence = cannot_listen(settings.host, settings.metrics_port, error, "metrics-port")
            raise CannotStartError(sentence) from None
        self.metrics_port = self._exposition.port

    def _catch_signals(self) -> None:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            with suppress(NotImplementedError, ValueError, RuntimeError):  # not in the main thread, in tests
                loop.add_signal_handler(number, self.stop)


__all__ = ["CannotStartError", "Server", "StoreError", "open_database"]
