"""One call a hand: the house on both stores, beside an echo and the simple design, with few and with many callers.

Every round visits all servers in turn. The client runs on the same machine and takes its share of the CPU, so the
server's own CPU time a call is measured too: it does not depend on who else is busy.
"""

from contextlib import ExitStack

from zhangfang.bench.cast import furnish
from zhangfang.bench.load import LoadProcess
from zhangfang.bench.naive import can_use
from zhangfang.bench.plan import Plan
from zhangfang.bench.serving import ServerProcess

WARM_UP_SECONDS = 0.5
WORKERS = 2


def measure(plan: Plan) -> None:
    """Rate, latencies and server CPU as ``unary.<server>[.<store>].c<callers>.<what>``."""
    with ExitStack() as stack:
        servers = {"echo": ServerProcess("echo", seed=plan.seed)}
        for store in plan.stores:
            house = plan.new_database(store, "unary-house")
            furnish(house)
            servers[f"house.{store}"] = ServerProcess("house", house)
            if can_use(store):
                servers[f"naive.{store}"] = ServerProcess("naive", plan.new_database(store, "unary-naive"))
        loads = {}
        for name, server in servers.items():
            stack.enter_context(server)
            loads[name] = stack.enter_context(LoadProcess(server.target, plan.seed, "u"))
            loads[name].run("unary", 8, WARM_UP_SECONDS)
        for _ in range(plan.effort.rounds):
            for callers in plan.effort.concurrencies:
                for name, server in servers.items():
                    plan.tell(f"{name}, {callers} callers at once")
                    _burst(plan, f"unary.{name}.c{callers}", server, loads[name], callers)


def _burst(plan: Plan, name: str, server: ServerProcess, load: LoadProcess, callers: int) -> None:
    cpu = server.cpu_seconds
    outcome = load.run("unary", callers, plan.effort.window_seconds)
    cpu = server.cpu_seconds - cpu
    add = plan.figures.add
    add(f"{name}.rate", "calls/s", outcome.rate)
    for percent, milliseconds in outcome.milliseconds.items():
        add(f"{name}.p{percent}", "ms", milliseconds)
    add(f"{name}.server_cpu", "µs", cpu / outcome.answers * 1e6)
    add(f"{name}.client_cpu", "µs", outcome.client_cpu_seconds / outcome.answers * 1e6)
