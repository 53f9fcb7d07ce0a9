"""A hand that arrives piece by piece, and the law that it ends like the same hand at once."""

from dataclasses import replace

import pytest
from hypothesis import given, settings

from tests.rules.jiu_dian_ban.tables import PLAIN, all_rules, bets, deal, legal_hands, places
from zhangfang.rules.game import Opening, Progress
from zhangfang.rules.games.jiu_dian_ban import GAME
from zhangfang.rules.games.jiu_dian_ban.record import BetChoice, Door, Ending, JiuDianBanHand, JiuDianBanRules
from zhangfang.rules.games.jiu_dian_ban.stages import ANYBODY

RULES = JiuDianBanRules()
BANK = GAME.begin(("Z",))


def choose(record, player, door, silver, had=None, stake=1):
    return GAME.choose(record, player, BetChoice(door, silver), RULES, stake, had or {})


@settings(max_examples=60, deadline=None)
@given(all_rules.flatmap(lambda rules: legal_hands(rules).map(lambda drawn: (rules, *drawn))))
def test_jd_2__a_hand_fed_piece_by_piece_ends_like_the_same_hand_at_once(drawn):
    rules, whole, silver = drawn
    for is_dealt_first in (True, False):
        record = replace(GAME.begin(("Z",)), seats=whole.seats)

        for bet in whole.bets:
            record = GAME.choose(record, bet.player, BetChoice(bet.door, bet.silver), rules, 1, silver)
        if is_dealt_first:
            record = GAME.deal(record, whole.deal, rules)
        record = GAME.finish(record, Ending() if is_dealt_first else Ending(whole.deal), rules)

        assert (record.banker, record.bets, record.deal) == (whole.banker, whole.bets, whole.deal)
        assert GAME.judge(record, rules, 1, silver) == GAME.judge(whole, rules, 1, silver)


@pytest.mark.parametrize(
    ("players", "banker"),
    [pytest.param(("Z",), "Z", id="the banker alone"), pytest.param((), "", id="nobody")],
)
def test_jd_1__a_hand_opens_with_its_banker(players, banker):
    record = GAME.begin(players)

    assert record == JiuDianBanHand(banker)
    assert GAME.opening_seats == (1, 1)


@pytest.mark.parametrize(
    ("player", "door", "silver", "expected"),
    [
        pytest.param("Z", Door.SHANG, 5, [("JD-1", "Z", 1)], id="the banker bets"),
        pytest.param("P1", 7, 5, [("JD-1", "P1", 1)], id="no door"),
        pytest.param("P1", Door.SHANG, 1, [("JD-2", "P1", 1)], id="below the stake"),
        pytest.param("P1", Door.SHANG, 4, [("JD-2", "P1", 1)], id="over his silver with the bet before"),
        pytest.param("P2", Door.SHANG, 16, [("JD-2", "P2", 1)], id="over the banker's silver with the bet before"),
    ],
)
def test_jd_2__a_bet_is_refused_when_it_is_made(player, door, silver, expected):
    had = {"Z": 20, "P1": 8}
    record = choose(BANK, "P1", Door.TIAN, 5, had)

    assert places(choose(record, player, door, silver, had, stake=2)) == expected
    assert choose(record, "P1", Door.XIA, 3, had).bets == bets("P1 tian 5, P1 xia 3")


def test_jd_2__nobody_bets_after_the_deal():
    record = GAME.deal(choose(BANK, "P1", Door.TIAN, 5), PLAIN, RULES)

    assert places(choose(record, "P1", Door.TIAN, 5)) == [("JD-2", "P1", 1)]


@pytest.mark.parametrize(
    ("dealt", "expected"),
    [
        pytest.param(deal("8s Td | 2s 3s | 9h | As Ad"), [("JD-1", "tian")], id="one card"),
        pytest.param(deal("8s Td | 2s 3s | 9h 8s | As Ad"), [("JD-1", "tian", "8s")], id="a card twice"),
        pytest.param(deal("8s Td | 2s 3s | 9h w | As Ad", "W"), [("JD-11", "turned_card", "W")], id="a joker turned"),
    ],
)
def test_jd_1__a_faulty_deal_is_refused_when_it_is_recorded_or_ends_the_hand(dealt, expected):
    assert places(GAME.deal(BANK, dealt, RULES)) == expected
    assert places(GAME.finish(BANK, Ending(dealt), RULES)) == expected


def test_jd_1__a_hand_is_dealt_once():
    record = GAME.deal(BANK, PLAIN, RULES)

    assert places(GAME.deal(record, PLAIN, RULES)) == [("JD-1",)]
    assert places(GAME.finish(record, Ending(PLAIN), RULES)) == [("JD-1",)]
    assert GAME.finish(record, Ending(), RULES) == record


def test_jd_1__a_hand_that_finishes_without_cards_is_faulty():
    record = GAME.finish(BANK, Ending(), RULES)

    assert places(GAME.judge(record, RULES, 1, {})) == [("JD-1", name) for name in ("banker", "shang", "tian", "xia")]


def test_jd_2__anybody_may_bet_until_the_deal():
    assert GAME.progress(BANK, RULES) == Progress("bet", (Opening(ANYBODY, ("bet",)),))
    assert GAME.progress(GAME.deal(BANK, PLAIN, RULES), RULES) == Progress("finish", ())


def test_jd_2__a_bet_holds_its_silver_and_makes_its_bettor_take_part():
    record = choose(choose(choose(BANK, "P2", Door.TIAN, 5), "P1", Door.XIA, 5), "P2", Door.XIA, 7)

    assert GAME.participants(record) == ("Z", "P2", "P1")
    assert GAME.held_by(BetChoice(Door.XIA, 7)) == 7
