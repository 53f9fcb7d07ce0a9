"""``serve`` and ``health``: the service itself, and whether it answers."""

import asyncio
from collections.abc import Callable
from threading import Thread
from typing import TYPE_CHECKING, Annotated

import typer
from grpc_health.v1 import health_pb2, health_pb2_grpc

from zhangfang.api.listening import joined
from zhangfang.cli.configuration import takes_settings
from zhangfang.cli.connection import House, asks_the_house, connect
from zhangfang.cli.printing import Printer
from zhangfang.cli.problems import CommandError, ExitCode, reported
from zhangfang.config import Settings
from zhangfang.errors import Refusal
from zhangfang.store.database import StoreError
from zhangfang.store.outages import explained

if TYPE_CHECKING:
    from zhangfang.api.server import Server

WorkersOption = Annotated[
    int,
    typer.Option(
        "--workers",
        min=1,
        max=64,
        help="PostgreSQL only: so many processes on one port; worker i has its metrics on --metrics-port + i.",
    ),
]
DemoOption = Annotated[bool, typer.Option("--demo", help="Play the sample hands through the wire first; see demo.")]


@takes_settings
def serve(settings: Settings, *, workers: WorkersOption = 1, demo: DemoOption = False) -> None:
    """Serves until SIGTERM or Ctrl-C, then finishes what is running and exits with 0.

    Exits with 2 and says why if the port or the embedded store is taken, or the store does not fit; with 3 if the
    store does not answer.

    Example: zhangfang serve --database-url sqlite:///var/zhangfang.db --port 50051
    """
    from zhangfang.cli import workers as supervision

    on_ready = play_demo_against if demo else None
    try:
        if workers > 1:
            supervision.supervise(settings, workers, on_ready)
        else:
            serve_alone(settings, on_ready)
    except StoreError as error:
        raise CommandError(ExitCode.USAGE, "cannot start", str(error)) from None
    except Refusal as refusal:
        raise CommandError(ExitCode.UNREACHABLE, "cannot start", explained(refusal)) from None


def serve_alone(settings: Settings, on_ready: "Callable[[str], None] | None" = None) -> None:
    """Serves in this process; ``on_ready`` gets the address once it is served."""
    import uvloop

    from zhangfang import logs
    from zhangfang.api.server import CannotStartError, Server

    logs.set_up(settings)

    def ready(server: "Server") -> None:
        if on_ready:
            on_ready(joined(settings.host, server.port))

    async def run() -> None:
        await Server(settings).run(ready)

    try:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(run())
    except CannotStartError as error:
        raise CommandError(ExitCode.USAGE, "cannot start", str(error)) from None


def play_demo_against(target: str) -> None:
    """Plays the demo in a thread beside the server; what goes wrong with it is told and stops nothing."""
    from zhangfang.cli.demo import play

    def run() -> None:
        try:
            with reported():
                house = connect(target, "demo")
                with house.channel:
                    play(house, Printer())
                    Printer().heading(f"Serving on {target}; Ctrl-C ends it.")
        except typer.Exit:
            return

    Thread(target=run, name="demo", daemon=True).start()


@asks_the_house
def health(house: House, printer: Printer) -> None:
    """Asks whether the service is serving: exits with 0 if it is, 1 if it is draining, 3 if nobody answers.

    Example: zhangfang health --target 127.0.0.1:50051 --timeout 2
    """
    answer = house.ask(health_pb2_grpc.HealthStub(house.channel).Check, health_pb2.HealthCheckRequest())
    if printer.is_json:
        printer.message(answer)
    else:
        printer.line(health_pb2.HealthCheckResponse.ServingStatus.Name(answer.status))
    if answer.status != health_pb2.HealthCheckResponse.SERVING:
        raise typer.Exit(ExitCode.REFUSED)
