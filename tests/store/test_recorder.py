"""The event-sourcing library's own recorder test cases, on both stores, with ids as text and as UUIDs.

The log keeps stream ids as text. The library's cases that use UUIDs compare what they wrote with what they read, so
the recorder of those reads its ids back as UUIDs.
"""

import unittest
from collections.abc import Callable, Sequence
from dataclasses import replace
from threading import enumerate as enumerate_threads
from typing import Any
from uuid import UUID, uuid4

import pytest
from eventsourcing.persistence import StoredEvent
from eventsourcing.tests.persistence import (
    AggregateRecorderTestCase,
    ApplicationRecorderTestCase,
    NonInterleavingNotificationIDsBaseCase,
)

from zhangfang.store.database import Database
from zhangfang.store.recorder import LogEntry, LogRecorder


class UuidRecorder(LogRecorder):
    """Reads stream ids as UUIDs."""

    def select_events(self, *arguments: Any, **options: Any) -> Sequence[LogEntry]:
        return [_with_uuid(entry) for entry in super().select_events(*arguments, **options)]

    def select_notifications(self, *arguments: Any, **options: Any) -> Sequence[LogEntry]:
        return [_with_uuid(entry) for entry in super().select_notifications(*arguments, **options)]


def _with_uuid(entry: LogEntry) -> LogEntry:
    return replace(entry, originator_id=UUID(str(entry.originator_id)))


KINDS = {"text": LogRecorder, "uuid": UuidRecorder}


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    """What stream ids are."""
    return str(request.param)


@pytest.fixture
def run(database: Database, kind: str, request: pytest.FixtureRequest) -> Callable[[type, str], None]:
    """Runs one test of a library case against the store."""

    def run_case(case_type: type, method: str, wrap: Callable[[LogRecorder], Any] = lambda recorder: recorder) -> None:
        class Case(case_type):  # type: ignore[misc]
            def new_originator_id(self) -> UUID | str:
                return uuid4() if kind == "uuid" else f"hand/{uuid4()}"

            def create_recorder(self) -> Any:
                return wrap(KINDS[kind](database))

        result = unittest.TestResult()
        threads = set(enumerate_threads())
        Case(method).run(result)
        # Some cases tell a reading thread to end and do not wait for it: the database is closed after it has.
        for thread in set(enumerate_threads()) - threads:
            thread.join()
        for _, text in (*result.errors, *result.failures):
            pytest.fail(text, pytrace=False)
        assert result.testsRun == 1
        assert not result.skipped

    return run_case


class AsAggregateRecorder:
    """The library's aggregate recorders answer an insert with None; ours says the positions."""

    def __init__(self, recorder: LogRecorder) -> None:
        self._recorder = recorder
        self.select_events = recorder.select_events

    def insert_events(self, stored_events: Sequence[StoredEvent]) -> None:
        self._recorder.insert_events(stored_events)


APPLICATION_TESTS = (
    "test_insert_select",
    "test_performance",
    "test_concurrent_no_conflicts",
    "test_concurrent_throughput",
    "optional_test_insert_subscribe",
)


@pytest.mark.parametrize("method", APPLICATION_TESTS)
def test_the_log_is_an_application_recorder(run: Any, method: str) -> None:
    run(ApplicationRecorderTestCase, method)


@pytest.mark.parametrize("method", ["test_insert_and_select", "test_performance"])
def test_the_log_is_an_aggregate_recorder(run: Any, method: str) -> None:
    run(AggregateRecorderTestCase, method, AsAggregateRecorder)


def test_appends_of_two_threads_do_not_interleave(run: Any) -> None:
    run(NonInterleavingNotificationIDsBaseCase, "test")


def test_no_test_of_the_library_is_left_out() -> None:
    for case, known in (
        (ApplicationRecorderTestCase, {*APPLICATION_TESTS}),
        (AggregateRecorderTestCase, {"test_insert_and_select", "test_performance"}),
        (NonInterleavingNotificationIDsBaseCase, {"test"}),
    ):
        offered = {name for name in dir(case) if name.startswith(("test", "optional_test"))}
        assert offered == known
