"""The bank of a table: along the four seats or along the list, before, during and after a hand."""

from types import SimpleNamespace

import pytest

from tests.rules.jiu_dian_ban.tables import SEATS, hand
from zhangfang.rules.banking import Bank
from zhangfang.rules.games.jiu_dian_ban import GAME
from zhangfang.rules.games.jiu_dian_ban.record import BankerMode, JiuDianBanRules
from zhangfang.rules.verdict import Fault

ALONG_SEATS = JiuDianBanRules()
ALONG_LIST = JiuDianBanRules(banker_mode=BankerMode.QUEUE)
BANKING = GAME.banking
RICH = dict.fromkeys([*SEATS, "A", "B", "C"], 10)
BEATEN, UNBEATEN = [SimpleNamespace(banker_beaten_by_all=is_beaten) for is_beaten in (True, False)]


@pytest.mark.parametrize(
    ("rules", "seats", "bank"),
    [
        pytest.param(ALONG_SEATS, SEATS, Bank("Z", seats=SEATS), id="the first seat banks"),
        pytest.param(ALONG_SEATS, (), None, id="every hand names its banker"),
        pytest.param(ALONG_LIST, (), Bank(), id="an empty list"),
    ],
)
def test_jd_13__a_table_begins_with_its_bank(rules, seats, bank):
    assert BANKING.begin(rules, seats) == bank


@pytest.mark.parametrize(
    ("rules", "seats"),
    [
        pytest.param(ALONG_SEATS, SEATS[:3], id="three seats"),
        pytest.param(ALONG_SEATS, ("Z", "Z", "P1", "P2"), id="a player twice"),
        pytest.param(ALONG_LIST, SEATS, id="seats where the list decides"),
    ],
)
def test_jd_1__bad_seats_are_refused(rules, seats):
    faults = BANKING.begin(rules, seats)

    assert [(fault.rule, fault.field) for fault in faults] == [("JD-1", "seats")]


@pytest.mark.parametrize(
    ("draws", "banker"),
    [
        pytest.param("Kh Ks Ah Qs", 1, id="the highest suit of the highest rank"),
        pytest.param("w 2c W Kd", 2, id="the big joker"),
        pytest.param("2s As 3d Ah", 2, id="an ace is low"),
    ],
)
def test_jd_12__the_seat_that_drew_the_highest_card_banks_first(draws, banker):
    assert BANKING.begin(ALONG_SEATS, SEATS, tuple(draws.split(" "))) == Bank(SEATS[banker], seats=SEATS)


@pytest.mark.parametrize(
    ("rules", "seats", "draws", "place"),
    [
        pytest.param(ALONG_SEATS, SEATS, "Kh Ks Ah", ("JD-12", None, "draws", None), id="three cards"),
        pytest.param(ALONG_SEATS, (), "Kh Ks Ah Qs", ("JD-12", None, "draws", None), id="nobody sits there"),
        pytest.param(ALONG_LIST, (), "Kh", ("JD-12", None, "draws", None), id="the list decides"),
        pytest.param(ALONG_SEATS, SEATS, "Kh Ks Kh Qs", ("JD-12", SEATS[2], None, 2), id="a card twice"),
        pytest.param(ALONG_SEATS, SEATS, "Kh Ks 1h Qs", ("JD-12", SEATS[2], None, 2), id="no card"),
        pytest.param(ALONG_SEATS, SEATS[:3], "Kh Ks Ah", ("JD-1", None, "seats", None), id="three seats draw"),
    ],
)
def test_jd_12__bad_draws_are_refused(rules, seats, draws, place):
    faults = BANKING.begin(rules, seats, tuple(draws.split(" ")))

    assert [(fault.rule, fault.player, fault.field, fault.event) for fault in faults] == [place]


@pytest.mark.parametrize(
    ("outcome", "silver", "banker"),
    [
        pytest.param(UNBEATEN, {}, "Z", id="he stays"),
        pytest.param(BEATEN, {}, "P1", id="every door beat him"),
        pytest.param(None, {}, "Z", id="the hand was voided"),
        pytest.param(UNBEATEN, {"Z": 0}, "P1", id="he has no silver"),
        pytest.param(BEATEN, {"P1": 0, "P2": -4}, "P3", id="who has no silver is passed over"),
        pytest.param(BEATEN, dict.fromkeys(SEATS, 0), "P1", id="nobody has any"),
    ],
)
def test_jd_13__the_bank_passes_along_the_seats(outcome, silver, banker):
    running = BANKING.open_hand(Bank("Z", seats=SEATS), ALONG_SEATS, "Z", RICH)

    after = BANKING.close_hand(running, ALONG_SEATS, outcome, RICH | silver)

    assert running == Bank("Z", seats=SEATS, is_hand_open=True)
    assert after == Bank(banker, seats=SEATS)


def test_jd_14__the_bank_passes_along_the_list():
    bank = Bank()
    for player in "ABC":
        bank = BANKING.change(bank, ALONG_LIST, player, "apply", RICH)
    bank = BANKING.change(bank, ALONG_LIST, "B", "leave", RICH)
    running = BANKING.open_hand(bank, ALONG_LIST, "A", RICH)

    leaving = BANKING.change(running, ALONG_LIST, "A", "step_down", RICH)
    after = BANKING.close_hand(leaving, ALONG_LIST, UNBEATEN, RICH)

    assert bank == Bank("A", queue=("A", "C"))
    assert leaving == Bank("A", queue=("A", "C"), is_stepping_down=True, is_hand_open=True)
    assert after == Bank("C", queue=("C",))
    assert BANKING.close_hand(running, ALONG_LIST, None, RICH | {"A": 0, "C": 0}) == Bank()


@pytest.mark.parametrize(
    ("result", "rule", "player"),
    [
        pytest.param(BANKING.change(Bank("Z"), ALONG_SEATS, "A", "apply", RICH), "JD-13", "A", id="no list to join"),
        pytest.param(BANKING.change(Bank(), ALONG_LIST, "X", "apply", RICH), "JD-14", "X", id="nothing to bank with"),
        pytest.param(
            BANKING.open_hand(Bank("Z", seats=SEATS), ALONG_SEATS, "P1", RICH), "JD-13", "P1", id="not his seat's turn"
        ),
        pytest.param(
            BANKING.open_hand(Bank("Z", seats=SEATS, is_hand_open=True), ALONG_SEATS, "Z", RICH),
            "JD-13",
            "Z",
            id="a hand within a hand",
        ),
        pytest.param(
            BANKING.open_hand(Bank("A", queue=("A", "B")), ALONG_LIST, "B", RICH), "JD-14", "B", id="not the head"
        ),
        pytest.param(BANKING.open_hand(Bank(), ALONG_LIST, "A", RICH), "JD-14", None, id="an empty list"),
    ],
)
def test_jd_13_and_jd_14__what_is_refused(result, rule, player):
    assert isinstance(result, Fault)
    assert (result.rule, result.player) == (rule, player)


def test_jd_14__a_hand_that_never_opened_cannot_close():
    with pytest.raises(AssertionError, match="none is running"):
        BANKING.close_hand(Bank("A", queue=("A",)), ALONG_LIST, None, RICH)


def test_jd_1__the_banker_of_a_hand_is_its_own():
    assert BANKING.banker_of(hand()) == "Z"
