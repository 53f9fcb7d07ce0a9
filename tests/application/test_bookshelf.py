"""Books kept from batch to batch are those on disk: whoever wrote in between, they are opened anew."""

from collections.abc import Iterator

import pytest
from sqlalchemy import event

from tests.bookkeeping import assert_sound, balances, new_house
from tests.callers import deposit, done, refused, register, seat, three_pots, withdraw
from zhangfang import bookshelf
from zhangfang.application import CountingHouse
from zhangfang.audit.rebuild import rebuild
from zhangfang.errors import Reason


@pytest.fixture
def other(house: CountingHouse, database_url: str) -> Iterator[CountingHouse]:
    """A second house on the same store, as in another process."""
    house_beside = new_house(database_url)
    yield house_beside
    house_beside.database.close()


def damage(house: CountingHouse, silver: int) -> None:
    """Sets P's balance to something that the log does not say."""
    with house.database.write() as connection:
        connection.exec_driver_sql(f"UPDATE accounts SET balance = {silver} WHERE account = 'player/P'")  # noqa: S608


def test_what_another_process_wrote_in_between_is_seen(house: CountingHouse, other: CountingHouse) -> None:
    seat(house, P=100)
    done(other, withdraw("P", 60), register("X"), deposit("X", 7))

    refusal = refused(house, withdraw("P", 50))
    done(house, withdraw("P", 40), withdraw("X", 7))
    again = refused(other, withdraw("X", 1))

    assert (refusal.reason, again.reason) == (Reason.INSUFFICIENT_SILVER, Reason.INSUFFICIENT_SILVER)
    assert balances(house.database, "P", "X") == [0, 0]
    assert_sound(house.database)


def test_while_nobody_else_writes_accounts_are_read_once(house: CountingHouse) -> None:
    seat(house, P=100, Q=100)
    damage(house, 5)

    done(house, withdraw("P", 50))

    assert balances(house.database, "P") == [50]


def test_after_a_batch_that_failed_nothing_of_it_is_remembered(house: CountingHouse) -> None:
    seat(house, P=100)

    def fail(*_arguments: object) -> None:
        raise ZeroDivisionError

    engine = house.database._writer
    event.listen(engine, "commit", fail)
    with pytest.raises(ZeroDivisionError):
        house.execute([withdraw("P", 60), register("X")])
    event.remove(engine, "commit", fail)

    assert refused(house, deposit("X", 1)).reason is Reason.UNKNOWN_PLAYER
    done(house, withdraw("P", 100))
    assert_sound(house.database)


def test_what_a_refused_command_would_have_done_is_not_remembered(house: CountingHouse) -> None:
    seat(house, P=100)

    refusal = refused(house, withdraw("P", 101))
    done(house, withdraw("P", 100))

    assert refusal.reason is Reason.INSUFFICIENT_SILVER


def test_projections_that_were_rebuilt_are_read_anew(house: CountingHouse) -> None:
    seat(house, P=100)
    damage(house, 5)
    house_after_damage = new_house(house.database.url.render_as_string(hide_password=False))
    damaged = refused(house_after_damage, withdraw("P", 50))

    for _ in rebuild(house.database):
        pass
    done(house_after_damage, withdraw("P", 50))

    assert damaged.reason is Reason.INSUFFICIENT_SILVER
    house_after_damage.database.close()
    assert_sound(house.database)


def test_more_accounts_than_are_kept_are_forgotten_and_read_again(
    house: CountingHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bookshelf, "KEPT_ACCOUNTS", 6)
    seat(house, P=100, Q=100, R=100)
    damage(house, 5)

    refusal = refused(house, withdraw("P", 50))

    assert refusal.reason is Reason.INSUFFICIENT_SILVER


def test_level_points_go_on_from_what_was_won(house: CountingHouse, other: CountingHouse) -> None:
    for name, winner in (("1", house), ("2", house), ("3", other), ("4", house)):
        if name == "1":
            seat(house, P=1000, Q=1000)
        done(winner, three_pots(name, "PQ"))

    assert_sound(house.database)
