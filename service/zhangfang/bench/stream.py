"""Many hands in one call or one stream, and two processes on one store: the ways to more hands a second.

A batch spares gRPC's cost of a message for each hand, a stream that of a call; a second process doubles what judges
and speaks gRPC, while the log is still written by one at a time.
"""

from contextlib import ExitStack

from zhangfang.bench.cast import furnish
from zhangfang.bench.load import LoadProcess
from zhangfang.bench.plan import Plan
from zhangfang.bench.serving import ServerProcess

UNARY_CALLERS = 64
IN_FLIGHT = 512
BATCH_CALLERS = 4
WORKER_CALLERS = 256
WARM_UP_SECONDS = 0.5


def measure(plan: Plan) -> None:
    """``stream.<server>[.<store>].<kind>.rate`` and ``.server_cpu``; ``stream.workers<n>.rate`` on PostgreSQL."""
    with ExitStack() as stack:
        servers = {"echo": ServerProcess("echo", seed=plan.seed)}
        for store in plan.stores:
            url = plan.new_database(store, "stream")
            furnish(url)
            servers[f"house.{store}"] = ServerProcess("house", url)
            if store == "postgresql":
                servers |= {"first": ServerProcess("worker", url), "second": ServerProcess("worker", url)}
        loads = {}
        for name, server in servers.items():
            stack.enter_context(server)
            loads[name] = stack.enter_context(LoadProcess(server.target, plan.seed, f"s-{name}"))
            loads[name].run("unary", 8, WARM_UP_SECONDS)
        workers = [loads.pop(name) for name in ("first", "second") if name in loads]
        for _ in range(plan.effort.rounds):
            for name, load in loads.items():
                kinds = {"unary": UNARY_CALLERS, "stream": IN_FLIGHT, "batch": BATCH_CALLERS}
                if name == "echo":
                    del kinds["batch"]
                for kind, size in kinds.items():
                    plan.tell(f"{name}, {kind}")
                    _burst(plan, f"stream.{name}.{kind}", servers[name], load, kind, size)
            if workers:
                plan.tell("two processes on PostgreSQL")
                _compare_workers(plan, *workers)


def _burst(plan: Plan, name: str, server: ServerProcess, load: LoadProcess, kind: str, size: int) -> None:
    cpu = server.cpu_seconds
    outcome = load.run(kind, size, plan.effort.window_seconds)
    plan.figures.add(f"{name}.rate", "hands/s", outcome.rate)
    plan.figures.add(f"{name}.server_cpu", "µs", (server.cpu_seconds - cpu) / outcome.answers * 1e6)


def _compare_workers(plan: Plan, first: LoadProcess, second: LoadProcess) -> None:
    seconds = plan.effort.window_seconds
    plan.figures.add("stream.workers1.rate", "calls/s", first.run("unary", WORKER_CALLERS, seconds).rate)
    for load in (first, second):
        load.order("unary", WORKER_CALLERS // 2, seconds)
    plan.figures.add("stream.workers2.rate", "calls/s", first.outcome().rate + second.outcome().rate)
