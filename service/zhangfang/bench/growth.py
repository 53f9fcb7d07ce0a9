"""Whether a hand costs more when the log is long: the writer at batch 64 on logs of several sizes.

Also what a hand takes up on disk, in the log and with everything that is kept beside it.
"""

from itertools import islice

from zhangfang.application import CountingHouse
from zhangfang.bench.cast import Cast, execute
from zhangfang.bench.figures import spent
from zhangfang.bench.filling import bytes_of, fill, grow, last_position, settle_down
from zhangfang.bench.plan import Plan
from zhangfang.store.database import Database

BATCH = 64


def measure(plan: Plan) -> None:
    """``growth.<store>.<size>.cpu`` and ``.wall`` in µs a hand; ``growth.<store>.bytes`` of a hand on disk.

    The first size is called ``short``, the last ``long``, the others by their number of events.
    """
    for store in plan.stores:
        plan.tell(f"filling a log on {store}")
        sizes = plan.effort.growth_events
        database = fill(plan.new_database(store, "growth"), plan.seed, sizes[0])
        try:
            _measure_bytes(plan, store, database)
            for size in sizes:
                plan.tell(f"a log of {size:,} events on {store}")
                grow(database, size)
                name = {sizes[0]: "short", sizes[-1]: "long"}.get(size, str(size))
                plan.figures.add(f"growth.{store}.{name}.events", "events", last_position(database))
                _measure_hands(plan, f"growth.{store}.{name}", database, f"g{size}")
        finally:
            database.close()


def _measure_bytes(plan: Plan, store: str, database: Database) -> None:
    house, commands = CountingHouse(database), Cast.of_seed(plan.seed).commands("bytes")
    before, size = last_position(database), bytes_of(database)
    for _ in range(max(1, plan.effort.growth_hands // BATCH)):
        execute(house, list(islice(commands, BATCH)))
    hands = last_position(database) - before
    settle_down(database)
    plan.figures.add(f"growth.{store}.bytes", "bytes", (bytes_of(database) - size) / hands)


def _measure_hands(plan: Plan, name: str, database: Database, prefix: str) -> None:
    house, commands = CountingHouse(database), Cast.of_seed(plan.seed).commands(prefix)
    batches = max(4, plan.effort.growth_hands // BATCH)
    for batch in range(batches // 4):  # until the pages that matter are in memory
        execute(house, list(islice(commands, BATCH)))
        plan.tell(f"{name}: warming up {batch + 1}")
    for _ in range(plan.effort.rounds):
        work = [list(islice(commands, BATCH)) for _ in range(max(1, batches // plan.effort.rounds))]
        took = spent(lambda work=work: [execute(house, batch) for batch in work])  # type: ignore[misc]
        count = len(work) * BATCH
        plan.figures.add(f"{name}.cpu", "µs", took.cpu_seconds / count * 1e6)
        plan.figures.add(f"{name}.wall", "µs", took.wall_seconds / count * 1e6)
