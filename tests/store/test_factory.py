"""Our log as a persistence module of the event-sourcing library: what it offers, and what it says it does not have."""

import pytest
from eventsourcing.utils import Environment

from tests.callers import deposit, done, seat
from zhangfang.application import CountingHouse
from zhangfang.store.database import Database, StoreError
from zhangfang.store.factory import LogFactory
from zhangfang.store.mapper import EventMapper
from zhangfang.store.recorder import LogEntry, LogRecorder


def test_the_environment_names_the_database(database_url: str) -> None:
    factory = LogFactory(Environment("zhangfang", {"DATABASE_URL": database_url}))

    recorder = factory.application_recorder()

    assert isinstance(recorder, LogRecorder)
    assert recorder.max_notification_id() is None
    assert isinstance(factory.mapper(), EventMapper)
    factory.database.close()


def test_an_environment_without_a_database_is_refused() -> None:
    with pytest.raises(StoreError, match="database URL"):
        LogFactory(Environment("zhangfang", {})).application_recorder()


@pytest.mark.parametrize("kind", ["aggregate_recorder", "tracking_recorder", "process_recorder"])
def test_there_are_no_recorders_but_that_of_the_log(kind: str) -> None:
    with pytest.raises(NotImplementedError):
        getattr(LogFactory(Environment("zhangfang", {})), kind)()


def test_the_library_s_notification_log_reads_ours(database: Database) -> None:
    house = CountingHouse(database)
    seat(house, A=5)
    done(house, *[deposit("A", 1) for _ in range(23)])

    section = house.notification_log["1,10"]
    sections = [section]
    while sections[-1].next_id:
        sections.append(house.notification_log[sections[-1].next_id])
    selected = house.notification_log.select(start=24, limit=10)

    ids = [notification.id for each in sections for notification in each.items]
    assert ids == list(range(1, 26))
    assert [notification.id for notification in selected] == [24, 25]


def test_a_log_entry_is_what_was_stored_wherever_it_stands() -> None:
    first = LogEntry("table/T", 1, "TableClosed", b"body", 1, 1000, b"")
    moved = LogEntry("table/T", 1, "TableClosed", b"body", 7, 2000, b"hash")
    other = LogEntry("table/T", 2, "TableClosed", b"body", 1, 1000, b"")

    assert first == moved
    assert hash(first) == hash(moved)
    assert first != other
    assert first != "table/T"
