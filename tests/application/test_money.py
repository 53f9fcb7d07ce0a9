"""What hands do to silver and level points, from the command to the row on disk, on both stores."""

from tests.bookkeeping import assert_sound, balances, silver_of
from tests.callers import (
    bet,
    deposit,
    done,
    finish,
    lost_bet,
    open_hand,
    open_table,
    refused,
    reverse,
    seat,
    three_pots,
    withdraw,
)
from zhangfang.application import CountingHouse
from zhangfang.domain.events import HandSettled, PlayerSettlement
from zhangfang.errors import Reason, Refusal, Status
from zhangfang.ledger.accounts import CASH, FEES, SHORTFALL
from zhangfang.projections.players import read_player
from zhangfang.rules.games.jiu_dian_ban.record import Door
from zhangfang.rules.levels import PointsPerWin, StakeMode
from zhangfang.rules.payment import ShortfallPolicy
from zhangfang.rules.verdict import INT64_MAX, INT64_MIN
from zhangfang.store.database import Database


def settled(house: CountingHouse, *commands: object) -> dict[str, PlayerSettlement]:
    """What the last of these commands did to each player's silver."""
    event = done(house, *commands)[-1].event  # type: ignore[arg-type]
    assert isinstance(event, HandSettled)
    return {settlement.player_id: settlement for settlement in event.players}


def points(database: Database, player_id: str, game: str = "bi_ji") -> int:
    with database.read() as connection:
        player = read_player(connection, player_id)
    assert player is not None
    return player.points.get(game, 0)


def test_deposits_and_withdrawals_have_the_cash_account_as_their_other_side(house: CountingHouse) -> None:
    done(house, deposit("A", 500), withdraw("A", 1500))

    assert balances(house.database, "A") == [0]
    assert silver_of(house.database, CASH) == -3000
    assert_sound(house.database)


def test_nobody_withdraws_more_than_he_has_or_what_is_held_for_a_bet(house: CountingHouse) -> None:
    done(house, open_hand("h", "Z"), bet("h", "A", 300))

    refusal = refused(house, withdraw("A", 701))

    assert (refusal.status, refusal.reason) == (Status.FAILED_PRECONDITION, Reason.INSUFFICIENT_SILVER)
    assert refusal.metadata == {
        "player_id": "A",
        "available": "700",
        "balance": "1000",
        "held": "300",
        "amount": "701",
    }
    done(house, withdraw("A", 700))


def test_cm_6__pro_rata_shares_what_the_loser_has(house: CountingHouse) -> None:
    done(house, open_table("U", stake=1000))

    hand = settled(house, three_pots("h", "ABC", "U"))

    assert {player: each.net for player, each in hand.items()} == {"A": -1000, "B": -3000, "C": 4000}
    assert (hand["B"].paid, hand["B"].shortfall, hand["C"].received) == (1000, 2000, 2000)
    assert balances(house.database, "A", "B", "C") == [0, 0, 3000]
    assert_sound(house.database)


def test_cm_6__owe_lets_the_loser_go_below_zero(house: CountingHouse) -> None:
    done(house, open_table("U", stake=1000, shortfall=ShortfallPolicy.OWE))

    hand = settled(house, three_pots("h", "ABC", "U"))

    assert (hand["B"].paid, hand["B"].shortfall) == (3000, 0)
    assert balances(house.database, "A", "B", "C") == [0, -2000, 5000]
    assert refused(house, withdraw("B", 1)).reason is Reason.INSUFFICIENT_SILVER
    assert_sound(house.database)


def test_cm_6__the_house_pays_in_the_place_of_the_loser(house: CountingHouse) -> None:
    done(house, open_table("U", stake=1000, shortfall=ShortfallPolicy.HOUSE_PAYS))

    hand = settled(house, three_pots("h", "ABC", "U"))

    assert (hand["B"].paid, hand["B"].shortfall) == (1000, 2000)
    assert balances(house.database, "A", "B", "C") == [0, 0, 5000]
    assert silver_of(house.database, SHORTFALL) == -2000
    assert_sound(house.database)


def test_cm_6__silver_held_for_another_bet_is_not_lost_twice(house: CountingHouse) -> None:
    done(house, open_table("U", stake=1000), open_hand("h", "Z"), bet("h", "A", 300))

    hand = settled(house, three_pots("i", "AC", "U"), finish("h"))
    lost = settled(house, lost_bet("j", "C", "Z", 1))

    assert hand["A"].paid == 300
    assert lost["Z"].received == 1
    assert balances(house.database, "A", "C", "Z") == [0, 1699, 1301]
    assert_sound(house.database)


def test_cm_7_cm_8__rake_then_fee_go_to_the_house(house: CountingHouse) -> None:
    done(house, open_table("U", stake=100, table_fee=7, rake_per_mille=50))

    hand = settled(house, three_pots("h", "ABC", "U"))

    assert [hand[player].rake for player in "ABC"] == [0, 0, 20]
    assert [hand[player].table_fee for player in "ABC"] == [7, 7, 7]
    assert balances(house.database, "A", "B", "C") == [893, 693, 1373]
    assert silver_of(house.database, FEES) == 41
    assert_sound(house.database)


def test_cm_11__a_reversal_gives_rake_and_fee_back_too(house: CountingHouse) -> None:
    done(house, open_table("U", stake=100, table_fee=7, rake_per_mille=50), three_pots("h", "ABC", "U"))

    done(house, reverse("h"))

    assert balances(house.database, "A", "B", "C") == [1000, 1000, 1000]
    assert silver_of(house.database, FEES) == 0
    assert_sound(house.database)


def test_cm_11__a_reversal_may_drive_a_balance_below_zero(house: CountingHouse) -> None:
    done(house, lost_bet("h", "A", "Z", 600), withdraw("Z", 1600))

    done(house, reverse("h"))

    assert balances(house.database, "A", "Z") == [1000, -600]
    assert_sound(house.database)


def test_cm_9__a_stake_by_wealth_follows_the_poorest_when_the_hand_opens(house: CountingHouse) -> None:
    done(house, open_table("U", stake_mode=StakeMode.BY_WEALTH), deposit("B", 100_000_000))
    first = settled(house, three_pots("h", "AB", "U"))
    done(house, deposit("A", 100_000_000))

    second = settled(house, three_pots("i", "AB", "U"))

    assert first["B"].net < second["B"].net
    assert_sound(house.database)


def test_cm_9__silver_held_for_a_bet_is_wealth_too(house: CountingHouse) -> None:
    seat(house, R=10_000_000, S=10_000_000, Y=10_000_000)
    done(house, open_table("U", stake_mode=StakeMode.BY_WEALTH))
    before = settled(house, three_pots("h", "RS", "U"), reverse("h"), three_pots("i", "RS", "U"))
    done(house, reverse("i"), open_hand("open", "Y"), bet("open", "R", 9_999_000))

    held = settled(house, three_pots("j", "RS", "U"))

    assert held["S"].net == before["S"].net


def test_cm_10__points_of_a_level_accrue_and_are_taken_back(house: CountingHouse) -> None:
    done(house, three_pots("h", "AB"), three_pots("i", "AB"))
    assert points(house.database, "B") == 2

    done(house, reverse("h"))

    assert points(house.database, "B") == 1
    assert points(house.database, "A") == 0
    assert_sound(house.database)


def test_cm_10__points_of_one_game_are_none_of_another(house: CountingHouse) -> None:
    done(house, three_pots("h", "AB"), lost_bet("i", "B", "Z", 5, door=Door.TIAN))

    assert (points(house.database, "B", "bi_ji"), points(house.database, "B", "jiu_dian_ban")) == (1, 1)


def test_cm_10__a_winner_gains_the_points_of_the_level_he_has_then(house: CountingHouse) -> None:
    done(house, *[lost_bet(f"h{number}", "A", "Z", 1) for number in range(101)])

    reached = points(house.database, "Z", "jiu_dian_ban")
    done(house, lost_bet("i", "A", "Z", 1))

    assert points(house.database, "Z", "jiu_dian_ban") - reached > 1
    assert_sound(house.database)


def test_cm_10__a_table_may_give_no_points(house: CountingHouse) -> None:
    done(house, open_table("U", points_per_win=PointsPerWin.NONE), three_pots("h", "AB", "U"))

    assert points(house.database, "B") == 0


def out_of_range(refusal: Refusal) -> bool:
    return (refusal.status, refusal.reason) == (Status.OUT_OF_RANGE, Reason.AMOUNT_OUT_OF_RANGE)


def test_cm_1__a_balance_may_reach_the_largest_amount_and_not_one_more(database: Database) -> None:
    house = CountingHouse(database)
    seat(house, A=INT64_MAX)

    refusal = refused(house, deposit("A", 1))

    assert out_of_range(refusal)
    assert refusal.faults[0].rule == "CM-1"
    assert "player/A" in refusal.text
    assert balances(database, "A") == [INT64_MAX]
    assert silver_of(database, CASH) == -INT64_MAX
    assert_sound(database)


def test_cm_1__the_cash_account_has_bounds_as_well(database: Database) -> None:
    house = CountingHouse(database)
    seat(house, A=INT64_MAX, B=1)

    refusal = refused(house, deposit("B", 1))

    assert out_of_range(refusal)
    assert CASH in refusal.text
    assert silver_of(database, CASH) == INT64_MIN
    assert_sound(database)


def test_cm_1__debits_and_credits_may_exceed_what_a_balance_can(database: Database) -> None:
    house = CountingHouse(database)
    seat(house, A=INT64_MAX)

    done(house, withdraw("A", INT64_MAX), deposit("A", INT64_MAX), withdraw("A", 1), deposit("A", 1))

    assert balances(database, "A") == [INT64_MAX]
    assert_sound(database)


def test_cm_1__a_hand_whose_steps_do_not_fit_is_refused(house: CountingHouse) -> None:
    done(house, open_table("U", stake=INT64_MAX))

    refusal = refused(house, three_pots("h", "ABC", "U"))

    assert out_of_range(refusal)


def test_cm_1__a_hand_that_would_lift_a_balance_out_of_range_is_refused(database: Database) -> None:
    house = CountingHouse(database)
    seat(house, A=1, B=INT64_MAX - 1)
    done(house, open_table("U", stake=2, shortfall=ShortfallPolicy.OWE))

    refusal = refused(house, three_pots("h", "AB", "U"))

    assert out_of_range(refusal)
    assert "player/B" in refusal.text
    assert balances(database, "A", "B") == [1, INT64_MAX - 1]
    assert_sound(database)


def test_cm_1__a_hand_that_would_sink_a_balance_out_of_range_is_refused(database: Database) -> None:
    house = CountingHouse(database)
    seat(house, A=0, B=0, C=0)
    done(house, open_table("U", stake=INT64_MAX // 2, shortfall=ShortfallPolicy.OWE))
    done(house, three_pots("h", "AB", "U"), three_pots("i", "AC", "U"))

    refusal = refused(house, three_pots("j", "AB", "U"))

    assert out_of_range(refusal)
    assert_sound(database)


def test_cm_1__what_is_available_stays_in_range_beside_a_balance_that_does(database: Database) -> None:
    house = CountingHouse(database)
    seat(house, A=10, B=0, C=0, Z=10)
    done(house, open_table("九點半", "jiu_dian_ban", 1), open_hand("open", "Z"), bet("open", "A", 10))
    done(house, open_table("U", stake=INT64_MAX, shortfall=ShortfallPolicy.OWE), three_pots("h", "AB", "U"))
    done(house, open_table("V", stake=5, shortfall=ShortfallPolicy.OWE))

    refusal = refused(house, three_pots("i", "AC", "V"))

    assert out_of_range(refusal)
    assert balances(database, "A") == [10 - INT64_MAX]
    assert_sound(database)


def test_cm_1__a_reversal_that_would_sink_what_is_available_out_of_range_is_refused(database: Database) -> None:
    house = CountingHouse(database)
    seat(house, A=0, B=0, C=0, Z=10)
    done(house, open_table("U", stake=INT64_MAX, shortfall=ShortfallPolicy.OWE), three_pots("won", "BA", "U"))
    done(house, open_table("九點半", "jiu_dian_ban", 1), open_hand("open", "Z"), bet("open", "A", 10))
    done(house, three_pots("lost", "AC", "U"))

    refusal = refused(house, reverse("won"))

    assert out_of_range(refusal)
    assert_sound(database)


def test_bj_and_jd_hands_at_the_top_of_the_range_settle_exactly(database: Database) -> None:
    house = CountingHouse(database)
    seat(house, A=2**53 + 1, Z=2**62)
    done(house, open_table("九點半", "jiu_dian_ban", 1))

    done(house, lost_bet("h", "A", "Z", 2**53 + 1))

    assert balances(database, "A", "Z") == [0, 2**62 + 2**53 + 1]
    assert_sound(database)
