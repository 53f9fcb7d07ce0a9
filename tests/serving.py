"""A server of the house in this process, on free ports and a fresh database, with stubs to call it.

with RunningServer() as server:
    server.accounts.RegisterPlayer(RegisterPlayerRequest(request_id="r-1", player_id="A"))
"""

import asyncio
import tempfile
from concurrent.futures import Future
from pathlib import Path
from threading import Thread
from typing import Any, Self
from urllib.request import urlopen

import grpc
import uvloop
from grpc_health.v1.health_pb2_grpc import HealthStub

from zhangfang.api.server import Server
from zhangfang.config import Settings
from zhangfang.wire.v1.accounts_pb2_grpc import AccountServiceStub
from zhangfang.wire.v1.audit_pb2_grpc import AuditServiceStub
from zhangfang.wire.v1.settlement_pb2_grpc import SettlementServiceStub

START_SECONDS = 30
DEADLINE_SECONDS = 60


class Client:
    """The stubs of one channel; ``message_bytes_max`` -1 lets a test send what the server must refuse."""

    def __init__(self, target: str) -> None:
        options = [("grpc.max_send_message_length", -1), ("grpc.max_receive_message_length", -1)]
        # A channel of its own: by default channels to one address share a connection.
        self.channel = grpc.insecure_channel(target, [*options, ("grpc.use_local_subchannel_pool", 1)])
        self.settlement = SettlementServiceStub(self.channel)
        self.accounts = AccountServiceStub(self.channel)
        self.audit = AuditServiceStub(self.channel)
        self.health = HealthStub(self.channel)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.channel.close()


class RunningServer(Client):
    """Serves in a thread with its own event loop while the ``with`` block runs; then drains and ends.

    Args:
        database_url: the store to serve; a fresh SQLite file by default, which goes away with the server.
        settings: other settings by name; ports are free ones, the drain is short.

    ``target`` is ``127.0.0.1:<port>``, ``metrics_url`` where the metrics are, ``server`` the Server itself.
    """

    def __init__(self, database_url: str = "", **settings: Any) -> None:
        self._folder = None if database_url else tempfile.TemporaryDirectory(prefix="zhangfang-")
        self.database_url = database_url or f"sqlite:///{Path(self._folder.name) / 'zhangfang.db'}"  # type: ignore[union-attr]
        self.settings = Settings(
            **{
                "port": 0,
                "metrics_port": 0,
                "judges": 0,
                "writer": "thread",
                "drain_seconds": 5,
                "database_url": self.database_url,
                **settings,
            }
        )
        self.server: Server
        self.target = ""
        self.metrics_url = ""
        self._ready: Future[None] = Future()
        self._thread: Thread | None = None
        self._loop: asyncio.AbstractEventLoop

    def __enter__(self) -> Self:
        self._thread = Thread(target=self._run, name="served")
        self._thread.start()
        try:
            self._ready.result(START_SECONDS)
        except BaseException:
            self._thread.join()
            self._clean_up()
            raise
        self.target = f"127.0.0.1:{self.server.port}"
        self.metrics_url = f"http://127.0.0.1:{self.server.metrics_port}/metrics"
        Client.__init__(self, self.target)
        return self

    def __exit__(self, *_exception: object) -> None:
        self.channel.close()
        self.stop()
        self._clean_up()

    def stop(self) -> None:
        """Drains and ends the server; the database stays until the block ends."""
        if self._thread and self._thread.is_alive():
            self._loop.call_soon_threadsafe(self.server.stop)
            self._thread.join()

    def new_client(self) -> Client:
        """Another client, on a connection of its own."""
        return Client(self.target)

    def scrape(self) -> str:
        """What Prometheus gets."""
        with urlopen(self.metrics_url, timeout=DEADLINE_SECONDS) as response:  # noqa: S310 - our own address
            return str(response.read().decode())

    def _clean_up(self) -> None:
        if self._folder:
            self._folder.cleanup()

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            self._loop = runner.get_loop()
            try:
                runner.run(self._serve())
            except Exception as error:
                if self._ready.done():
                    raise
                self._ready.set_exception(error)

    async def _serve(self) -> None:
        self.server = Server(self.settings)
        await self.server.run(on_ready=lambda _: self._ready.set_result(None))
