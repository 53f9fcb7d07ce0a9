"""A log that is sound is found sound, in one moment, while the house goes on."""

from contextlib import closing

import pytest

from tests.audit.evening import Evening
from tests.audit.findings import ODD, found, head, stored_rows
from tests.audit.tampering import (
    set_event,
    spoil_column,
    tamper,
)
from zhangfang.audit.fold import Requests
from zhangfang.audit.verify import Finding, Progress, verify
from zhangfang.audit.view import whole_view
from zhangfang.contract.judging import WireScribe
from zhangfang.domain.books import Books
from zhangfang.domain.commands import RegisterPlayer
from zhangfang.domain.decide import decide
from zhangfang.domain.events import EVENT_TYPES, Metadata, PlayerRegistered
from zhangfang.errors import Reason, Refusal
from zhangfang.store.chain import GENESIS
from zhangfang.store.schema import PROJECTION_TABLES


def test_an_evening_with_every_kind_of_event_is_sound(played):
    steps = list(verify(played))

    finding = steps[-1]
    assert finding == Finding(head(played).position, head(played).hash)
    assert finding.is_sound
    assert all(isinstance(step, Progress) for step in steps[:-1])
    assert {row.topic for row in stored_rows(played)} == {event.TOPIC for event in EVENT_TYPES}


def test_an_empty_log_is_sound(database):
    assert found(database) == Finding(0, GENESIS)


@pytest.mark.parametrize("batch_events", [1, 2, 3, 7])
def test_the_fold_is_the_same_in_batches_of_any_size(played_sqlite, batch_events, monkeypatch):
    monkeypatch.setattr("zhangfang.audit.verify.BATCH_EVENTS", batch_events)

    assert found(played_sqlite).is_sound


def test_a_verification_sees_one_moment_while_the_house_goes_on(played):
    tamper_later = set_event(ODD, hash=bytes(32))
    with closing(verify(played)) as steps:
        next(steps)
        tamper(played, tamper_later, spoil_column(PROJECTION_TABLES[1], "balance"))
        *_, finding = steps

    assert finding.is_sound
    assert not found(played).is_sound


def test_a_verification_that_is_left_early_leaves_nothing_behind(played):
    for _ in range(20):
        with closing(verify(played)) as steps:
            next(steps)

    assert found(played).is_sound


def register_and_fail(evening: Evening) -> None:
    """An append that comes as far as the commit, and no further."""
    with evening.house.recorder.transaction() as transaction:
        books = Books(WireScribe(), "test")
        for event in decide(books, RegisterPlayer(request=evening.request(), player_id="gone")):
            event.take_place(transaction.position + 1, transaction.next_time_us())
            evening.house.save(event, transaction=transaction)
        raise ZeroDivisionError


def test_appends_that_were_rolled_back_leave_neither_gap_nor_trace(played):
    evening = Evening(played, first_number=5_000)
    before = head(played)
    for _ in range(3):
        with pytest.raises(ZeroDivisionError):
            register_and_fail(evening)
        assert head(played) == before
        evening.fund(3, f"stays {before.position}")
        before = head(played)

    assert found(played).is_sound
    assert [row.position for row in stored_rows(played)] == list(range(1, before.position + 1))


def test_a_verification_may_take_longer_than_a_request(played_postgresql):
    with whole_view(played_postgresql) as view:
        for setting, lifted in (("statement_timeout", "1h"), ("idle_in_transaction_session_timeout", "0")):
            assert view.exec_driver_sql(f"SHOW {setting}").scalar_one() == lifted

    with played_postgresql.read() as connection:
        assert connection.exec_driver_sql("SHOW statement_timeout").scalar_one() == "30s"


def test_a_database_that_goes_away_is_no_finding(played_postgresql, postgresql, monkeypatch):
    monkeypatch.setattr("zhangfang.audit.verify.BATCH_EVENTS", 5)
    steps = verify(played_postgresql)
    next(steps)
    postgresql.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'zhangfang'")

    with pytest.raises(Refusal) as raised:
        list(steps)

    assert raised.value.reason is Reason.STORE_UNAVAILABLE


def test_a_request_without_end_does_not_fill_the_memory(monkeypatch):
    monkeypatch.setattr("zhangfang.audit.fold.REQUEST_EVENTS_MAX", 10)
    metadata = Metadata("", "the same", b"", None, "")
    event = PlayerRegistered(
        originator_id="player/x", originator_version=1, metadata=metadata, player_id="x", display_name=""
    )
    requests = Requests()

    taken = [len(requests.whole([event] * 4)) for _ in range(6)]

    assert taken == [0, 0, 12, 0, 0, 12]
    assert requests.rest() == []
