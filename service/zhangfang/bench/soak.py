"""Whether a server's memory stays flat: some hundred thousand hands through one process, its memory read meanwhile."""

from zhangfang.bench.cast import furnish
from zhangfang.bench.load import LoadProcess
from zhangfang.bench.plan import Plan
from zhangfang.bench.serving import ServerProcess

IN_FLIGHT = 256
READINGS = 10
NO_END_SECONDS = 3600.0
MIB = 1 << 20


def measure(plan: Plan) -> None:
    """``soak.memory`` in MiB, one value for each tenth of the hands; ``soak.rate``."""
    url = plan.new_database("sqlite", "soak")
    furnish(url)
    each = max(1, plan.effort.soak_hands // READINGS)
    with ServerProcess("house", url) as server, LoadProcess(server.target, plan.seed, "soak") as load:
        for reading in range(READINGS):
            outcome = load.run("stream", IN_FLIGHT, NO_END_SECONDS, each)
            plan.figures.add("soak.memory", "MiB", server.resident_bytes / MIB)
            plan.figures.add("soak.rate", "hands/s", outcome.rate)
            plan.tell(f"soak: {(reading + 1) * each:,} hands, {server.resident_bytes / MIB:.0f} MiB")
