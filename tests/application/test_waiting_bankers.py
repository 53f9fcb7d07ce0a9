"""Who waits to bank and bets meanwhile: his bet is his own again when the hand ends, before it is asked who banks next.

Also what a table that opens in the same batch as its first hand knows of its players.
"""

from dataclasses import replace

import pytest

from tests.callers import bet, done, finish, lost_bet, open_hand, open_table, request, seat, void, withdraw
from zhangfang.application import CountingHouse
from zhangfang.domain.commands import ChangeBanker
from zhangfang.rules.banking import Bank
from zhangfang.rules.games.jiu_dian_ban.record import BankerMode, Door, JiuDianBanRules
from zhangfang.store.database import Database

NINE = "jiu_dian_ban"
QUEUE = open_table("queue", NINE, 1, house_rules=JiuDianBanRules(banker_mode=BankerMode.QUEUE))
SEATS = replace(open_table("seats", NINE, 1), seats=("east", "south", "west", "north"))


def change_banker(player_id: str, action: str) -> ChangeBanker:
    asked = request(("change_banker", player_id, action))
    return ChangeBanker(request=asked, table_id="queue", player_id=player_id, action=action)


def bank_of(house: CountingHouse, table_id: str) -> Bank:
    table = house.table(table_id)
    assert table is not None
    assert table.bank is not None
    return table.bank


@pytest.fixture
def house(database: Database) -> CountingHouse:
    """East banks at a table with a list, where south waits; at another the bank goes along the seats, east first."""
    counting_house = CountingHouse(database)
    seat(counting_house, east=1000, south=100, west=5, north=5)
    done(counting_house, QUEUE, SEATS, change_banker("east", "apply"), change_banker("south", "apply"))
    return counting_house


def test_jd_14__who_lost_most_of_his_silver_in_the_last_hand_banks_the_next_with_the_rest(
    house: CountingHouse,
) -> None:
    done(house, open_hand("hand", ["east"], "queue"), bet("hand", "south", 60), change_banker("east", "step_down"))

    done(house, finish("hand"))

    assert bank_of(house, "queue") == Bank("south", queue=("south",))


def test_jd_13__the_next_seat_with_silver_banks_though_all_of_it_was_bet(house: CountingHouse) -> None:
    done(house, open_hand("hand", ["east"], "seats"), bet("hand", "south", 100, Door.TIAN), withdraw("east", 1000))

    done(house, finish("hand"))

    assert bank_of(house, "seats").banker == "south"


def test_jd_13__the_next_seat_banks_with_what_it_had_bet_in_a_voided_hand(house: CountingHouse) -> None:
    done(house, open_hand("hand", ["east"], "seats"), bet("hand", "south", 100), withdraw("east", 1000))

    done(house, void("hand"))

    assert bank_of(house, "seats").banker == "south"


@pytest.mark.parametrize("is_one_batch", [True, False], ids=["one batch", "two batches"])
def test_cm_10__a_new_table_knows_the_level_of_its_players_at_once(house: CountingHouse, is_one_batch: bool) -> None:
    free = open_table("free", NINE, 1)
    wins = [lost_bet(f"win {number}", "south", "east", 1, "free", Door.TIAN) for number in range(100)]
    done(house, free, *wins)

    opened, settled = open_table("new", NINE, 1), lost_bet("last", "south", "east", 1, "new", Door.TIAN)
    answers = done(house, opened, settled) if is_one_batch else [*done(house, opened), *done(house, settled)]

    assert answers[-1].event.level_points == (("south", 2),)
