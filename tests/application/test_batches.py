"""A batch is one append: all of what was accepted or nothing of it, and nobody suffers from his neighbour."""

from collections.abc import Iterator, Sequence
from threading import Thread

import pytest

from tests.bookkeeping import assert_sound, balances, new_house
from tests.callers import (
    bet,
    close_table,
    deposit,
    done,
    finish,
    lost_bet,
    open_hand,
    open_table,
    refused,
    register,
    request,
    reverse,
    seat,
    three_pots,
    void,
    withdraw,
)
from zhangfang.application import Answer, CountingHouse
from zhangfang.domain.commands import Command
from zhangfang.domain.events import DomainEvent
from zhangfang.errors import Reason, Refusal
from zhangfang.store.database import Database, Timeouts
from zhangfang.store.recorder import LogTransaction


def test_a_bad_command_does_not_touch_its_neighbours(house: CountingHouse) -> None:
    batch = [
        deposit("A", 1),
        deposit("nobody", 1),
        three_pots("h", "AB"),
        three_pots("h", "AC"),
        lost_bet("i", "A", "Z", 100_000),
        withdraw("B", 10_000),
        reverse("unknown"),
        deposit("B", 1),
    ]

    answers = house.execute(batch)

    assert [answer.reason if isinstance(answer, Refusal) else "done" for answer in answers] == [
        "done",
        Reason.UNKNOWN_PLAYER,
        "done",
        Reason.HAND_EXISTS,
        Reason.HAND_FAULTY,
        Reason.INSUFFICIENT_SILVER,
        Reason.UNKNOWN_HAND,
        "done",
    ]
    assert balances(house.database, "A", "B") == [991, 1011]
    assert_sound(house.database)


def test_a_command_sees_what_those_before_it_in_the_batch_did(house: CountingHouse) -> None:
    batch = [
        register("D"),
        deposit("D", 50),
        open_table("U"),
        three_pots("h", "DA", "U"),
        withdraw("D", 41),
        withdraw("D", 40),
        close_table("U"),
        three_pots("i", "DA", "U"),
        reverse("h"),
    ]

    answers = house.execute(batch)

    refusals = [answer.reason for answer in answers if isinstance(answer, Refusal)]
    assert refusals == [Reason.INSUFFICIENT_SILVER, Reason.TABLE_CLOSED]
    assert balances(house.database, "D", "A") == [10, 1000]
    assert_sound(house.database)


def test_an_open_hand_lives_through_batches_and_within_one(house: CountingHouse) -> None:
    done(house, open_hand("h", "Z"), bet("h", "A", 7), open_hand("i", "Z"))
    done(house, bet("h", "B", 3), finish("h"), bet("i", "A", 1), void("i"), reverse("h"))

    assert balances(house.database, "A", "B", "Z") == [1000, 1000, 1000]
    assert_sound(house.database)


def test_an_empty_batch_and_a_batch_of_refusals_write_nothing(house: CountingHouse) -> None:
    position = house.recorder.max_notification_id()

    assert house.execute([]) == []
    refused(house, deposit("nobody", 1))

    assert house.recorder.max_notification_id() == position


class SteppingClock:
    """A clock that tells the moments it was given, in nanoseconds, and then stands still."""

    def __init__(self, moments_us: Sequence[int]) -> None:
        self._moments = iter(moments_us)
        self._now = 0

    def __call__(self) -> int:
        self._now = next(self._moments, self._now)
        return self._now * 1000


def test_log_time_increases_strictly_when_the_clock_stands_still_or_jumps_back(database: Database) -> None:
    moments = [1000, 1000, 1000, 5000, 20, 0, -7, 6000]
    house = CountingHouse(database, SteppingClock(moments))

    answers = done(house, *[register(f"P{number}") for number in range(len(moments))])

    assert [answer.event.recorded_at_us for answer in answers] == [1000, 1001, 1002, 5000, 5001, 5002, 5003, 6000]
    assert_sound(database)


def test_a_new_process_with_a_clock_that_is_behind_goes_on_after_the_log(database: Database) -> None:
    done(CountingHouse(database, lambda: 10**18), register("A"))

    answer = done(CountingHouse(database, lambda: 5), register("B"))[0]

    assert answer.event.recorded_at_us == 10**15 + 1
    assert_sound(database)


class BreakdownError(Exception):
    """What goes wrong in the middle of an append."""


class BreakingHouse(CountingHouse):
    """A house whose append breaks down after its events and projections were written, but not committed."""

    breaks = False

    def save(self, *events: DomainEvent, transaction: LogTransaction, **kwargs: object) -> list[object]:  # type: ignore[override]
        recordings = super().save(*events, transaction=transaction, **kwargs)
        if self.breaks:
            raise BreakdownError
        return recordings  # type: ignore[return-value]


def test_an_append_that_breaks_down_leaves_no_trace_and_no_gap(database: Database) -> None:
    house = BreakingHouse(database)
    seat(house, A=1000, B=1000, Z=1000)
    done(house, open_table("T"), open_table("九點半", "jiu_dian_ban", 1), open_hand("open", "Z"))
    before = assert_sound(database)
    story = [three_pots("h", "AB"), bet("open", "A", 5), close_table("T"), reverse("h"), register("D")]

    house.breaks = True
    for _ in range(3):
        with pytest.raises(BreakdownError):
            house.execute(story)
        assert assert_sound(database) == before

    house.breaks = False
    answers = done(house, *story)
    assert not any(answer.is_repeat for answer in answers)
    after = assert_sound(database)
    assert [event.position for event in after[len(before) :]] == list(range(len(before) + 1, len(before) + 6))


def test_followers_ring_only_for_what_was_committed(database: Database) -> None:
    house = BreakingHouse(database)
    rung: list[int | None] = []
    house.recorder.wakeup.add(lambda: rung.append(house.recorder.max_notification_id()))

    done(house, register("A"))
    refused(house, register("A"))
    house.breaks = True
    with pytest.raises(BreakdownError):
        house.execute([register("B")])

    assert rung == [1]


def test_a_follower_that_fails_does_not_fail_the_append(database: Database) -> None:
    def fail() -> None:
        raise BreakdownError

    house = CountingHouse(database)
    house.recorder.wakeup.add(fail)

    answer = done(house, register("A"))[0]

    assert answer.is_repeat is False


@pytest.fixture
def narrow_house(database_url: str) -> Iterator[CountingHouse]:
    """A house that remembers nothing, with one reading connection, which is told after a second that there is none."""
    database = Database(database_url, Timeouts(statement=1), reader_count=1)
    yield CountingHouse(database)
    database.close()


def test_one_reading_connection_is_enough_for_everything(house: CountingHouse, narrow_house: CountingHouse) -> None:
    done(house, three_pots("h", "AB"), open_hand("open", "Z"), bet("open", "A", 5))

    preview = narrow_house.preview(lost_bet("", "A", "Z", 7))
    answers = done(narrow_house, reverse("h"), finish("open"), three_pots("i", "AB", replaces="h"))

    assert preview.event.position == 0
    assert len(answers) == 3
    assert_sound(house.database)


def test_many_previews_and_appends_at_once_do_not_wait_for_each_other_s_connections(
    house: CountingHouse, narrow_house: CountingHouse
) -> None:
    done(house, *[open_table(f"T{number}") for number in range(8)])
    answers: list[Answer | Refusal] = []

    def preview(number: int) -> None:
        answers.append(narrow_house.preview(three_pots("", "AB", f"T{number}")))

    threads = [Thread(target=preview, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(answers) == 8


def test_a_preview_leaves_no_trace(house: CountingHouse) -> None:
    before = assert_sound(house.database)

    shown = house.preview(three_pots("h", "ABC"))

    assert assert_sound(house.database) == before
    settled = done(house, three_pots("h", "ABC"))[0]
    assert shown.event.postings == settled.event.postings


def test_a_preview_is_refused_as_the_command_would_be(house: CountingHouse) -> None:
    with pytest.raises(Refusal) as refusal:
        house.preview(lost_bet("h", "A", "Z", 1001))

    assert refusal.value.reason is Reason.HAND_FAULTY


def test_what_two_processes_remember_of_tables_and_hands_is_brought_up_to_date(
    house: CountingHouse, database_url: str
) -> None:
    other = new_house(database_url)
    done(house, open_hand("h", "Z"), bet("h", "A", 1))
    done(other, bet("h", "A", 2))
    done(house, bet("h", "A", 4))
    done(other, close_table("T"), finish("h"))

    late = [three_pots("i", "AB"), bet("h", "A", 8)]

    assert [refused(house, command).reason for command in late] == [Reason.TABLE_CLOSED, Reason.HAND_NOT_OPEN]
    assert balances(house.database, "A") == [993]
    other.database.close()
    assert_sound(house.database)


def test_a_batch_of_many_is_one_append(house: CountingHouse) -> None:
    commands: list[Command] = [deposit("A", 1) for _ in range(1000)]

    answers = done(house, *commands)

    positions = [answer.event.position for answer in answers]
    assert positions == list(range(positions[0], positions[0] + 1000))
    assert balances(house.database, "A") == [2000]


def test_every_request_of_the_tests_has_an_id_of_its_own() -> None:
    assert request("a").request_id != request("a").request_id
