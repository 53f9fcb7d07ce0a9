"""Processes that share one store: some append, one follows. Each function is the whole of one process."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from tests.callers import deposit, done
from zhangfang.application import CountingHouse
from zhangfang.domain.events import DomainEvent
from zhangfang.store.chain import GENESIS, next_hash
from zhangfang.store.database import Database
from zhangfang.store.recorder import LogEntry, LogTransaction

BATCH_COMMANDS = 50
ROLLED_BACK_EVERY = 7
DELAYED_EVERY = 11

SLOW_STATEMENTS = {
    "sqlite": "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50000) SELECT max(i) FROM n",
    "postgresql": "SELECT pg_sleep(0.03)",
}


class RolledBackError(Exception):
    """An append that is given up after everything of it was written."""


class UnsteadyHouse(CountingHouse):
    """A house some of whose appends are given up at the end, and some of whose commits come late."""

    append_count = 0
    gives_up = False

    def save(self, *events: DomainEvent, transaction: LogTransaction, **options: Any) -> Any:  # type: ignore[override]
        recordings = super().save(*events, transaction=transaction, **options)
        self.append_count += 1
        if self.append_count % DELAYED_EVERY == 0:
            connection = transaction.sink.connection
            connection.exec_driver_sql(SLOW_STATEMENTS[connection.dialect.name]).all()
        if self.gives_up:
            raise RolledBackError
        return recordings


def append(url: str, player_id: str, event_count: int, start: Callable[[], object]) -> None:
    """Deposits one silver again and again, as fast as it can, with a rollback now and then."""
    database = Database(url)
    house = UnsteadyHouse(database)
    start()
    for batch in range(event_count // BATCH_COMMANDS):
        commands = [
            deposit(player_id, 1, request_id=f"{player_id}-{batch}-{number}") for number in range(BATCH_COMMANDS)
        ]
        if batch % ROLLED_BACK_EVERY == 0:
            house.gives_up = True
            with suppress(RolledBackError):
                house.execute(commands)
            house.gives_up = False
        done(house, *commands)
    database.close()


def follow(url: str, last_position: int, start: Callable[[], object]) -> None:
    """Follows the log from its beginning; fails at the first event that is missing, out of order or not chained."""
    database = Database(url)
    house = CountingHouse(database)
    start()
    expected, last_hash = 1, GENESIS
    with house.recorder.subscribe(gt=0) as subscription:
        for entry in subscription:
            assert isinstance(entry, LogEntry)
            stream, version = str(entry.originator_id), entry.originator_version
            last_hash = next_hash(last_hash, entry.id, version, entry.recorded_at_us, stream, entry.topic, entry.state)
            assert (entry.id, entry.hash) == (expected, last_hash)
            if entry.id == last_position:
                break
            expected += 1
    database.close()
