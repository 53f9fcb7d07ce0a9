"""What the writer alone does: judged hands in batches of several sizes, decided, appended and committed.

Beside it PostgreSQL's own ``pgbench -N`` with eight clients, a transaction of three writes each, and bare inserts of
the same event bytes into a table without any index but its key: what the driver and the disk give.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import islice
from time import perf_counter

from sqlalchemy import text

from zhangfang.application import CountingHouse
from zhangfang.bench.cast import Cast, execute, furnish
from zhangfang.bench.figures import spent
from zhangfang.bench.plan import Plan
from zhangfang.domain.commands import SettleHand
from zhangfang.store.database import Database

PGBENCH_CLIENTS = 8
PGBENCH_SECONDS = 4


def measure(plan: Plan) -> None:
    """Hands a second and CPU a hand as ``writer.<store>.b<batch>.<what>``, bare inserts as ``writer.<store>.bare…``."""
    with ExitStack() as stack:
        houses: dict[str, tuple[CountingHouse, Iterator[SettleHand]]] = {}
        inserts: dict[str, Callable[[int, int], None]] = {}
        for store in plan.stores:
            url = plan.new_database(store, "writer")
            furnish(url)
            database = Database(url)
            stack.callback(database.close)
            houses[store] = CountingHouse(database), Cast.of_seed(plan.seed).commands("w")
            inserts[store] = _bare_inserts(database)
        for _ in range(plan.effort.rounds):
            for size in plan.effort.batch_sizes:
                for store, (house, commands) in houses.items():
                    plan.tell(f"writer on {store}, batches of {size}")
                    _write(plan, f"writer.{store}.b{size}", house, commands, size)
                    _insert(plan, f"writer.{store}.bare{size}", inserts[store], size)
            if plan.postgresql:
                plan.tell(f"pgbench with {PGBENCH_CLIENTS} clients")
                seconds = min(PGBENCH_SECONDS, max(1, round(2 * plan.effort.window_seconds)))
                rate = plan.postgresql.transactions_per_second(PGBENCH_CLIENTS, seconds)
                if rate:
                    plan.figures.add(f"writer.pgbench.c{PGBENCH_CLIENTS}", "transactions/s", rate)


def _batches(plan: Plan, size: int) -> int:
    """How many batches are written: small ones take longest, so fewer hands go in them."""
    hands = min(plan.effort.batch_hands, 256 * size)
    return max(1, hands // size)


def _write(plan: Plan, name: str, house: CountingHouse, commands: Iterator[SettleHand], size: int) -> None:
    batches = [list(islice(commands, size)) for _ in range(_batches(plan, size))]
    milliseconds = []

    def write() -> None:
        for batch in batches:
            started = perf_counter()
            execute(house, batch)
            milliseconds.append((perf_counter() - started) * 1000)

    took = spent(write)
    hands = size * len(batches)
    plan.figures.add(f"{name}.rate", "hands/s", hands / took.wall_seconds)
    plan.figures.add(f"{name}.cpu", "µs", took.cpu_seconds / hands * 1e6)
    plan.figures.add(f"{name}.batch", "ms", sum(milliseconds) / len(milliseconds))


def _insert(plan: Plan, name: str, insert: Callable[[int, int], None], size: int) -> None:
    batches = _batches(plan, size)
    took = spent(lambda: insert(batches, size))
    plan.figures.add(f"{name}.rate", "rows/s", batches * size / took.wall_seconds)


def _bare_inserts(database: Database) -> Callable[[int, int], None]:
    """A function that commits so many batches of so many rows of two kilobytes."""
    with database.write() as connection:
        body = "BLOB" if database.is_sqlite else "BYTEA"
        key = "INTEGER PRIMARY KEY" if database.is_sqlite else "BIGSERIAL PRIMARY KEY"
        connection.execute(text(f"CREATE TABLE bare (position {key}, body {body} NOT NULL)"))
    payload = bytes(2000)
    statement = (
        "INSERT INTO bare (body) VALUES (?)"
        if database.is_sqlite
        else "INSERT INTO bare (body) SELECT unnest(%b::bytea[])"
    )

    def insert(batches: int, size: int) -> None:
        for _ in range(batches):
            with database.write() as connection:
                if database.is_sqlite:
                    connection.exec_driver_sql(statement, [(payload,)] * size)
                else:
                    connection.exec_driver_sql(statement, ([payload] * size,))

    return insert
