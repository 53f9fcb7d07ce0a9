"""Settled hands are judged again by today's code; what would be otherwise is listed, and nothing changes."""

import pytest

from tests.audit.evening import Evening
from tests.audit.findings import ODD, stored_rows
from tests.audit.tampering import chain_again, edit_body, set_event, tamper
from tests.audit.test_rebuild import contents
from tests.callers import bet, done, finish, open_hand, open_table, seat, withdraw
from tests.samples import EVERY_SAMPLE
from zhangfang.application import CountingHouse
from zhangfang.audit.findings import UnsoundLogError
from zhangfang.audit.receipts import head
from zhangfang.audit.rejudge import Difference, Rejudged, rejudge
from zhangfang.rules.games.jiu_dian_ban.record import Door
from zhangfang.store.database import Database
from zhangfang.wire.v1 import events_pb2


def judged_again(database: Database) -> tuple[list[Difference], Rejudged]:
    steps = list(rejudge(database))
    assert isinstance(steps[-1], Rejudged)
    return [step for step in steps if isinstance(step, Difference)], steps[-1]


def settled(database: Database, hand_id: str) -> int:
    return next(
        row.position for row in stored_rows(database) if row.stream == f"hand/{hand_id}" and row.topic == "HandSettled"
    )


def test_todays_code_says_of_every_hand_what_it_said(played):
    before, receipt = contents(played), head(played)

    differences, end = judged_again(played)

    assert differences == []
    judged = [row for row in stored_rows(played) if row.topic == "HandSettled" or row.stream == "hand/dz redeal"]
    assert end == Rejudged(len(judged), 0)
    assert (contents(played), head(played)) == (before, receipt)


def test_every_golden_hand_is_judged_again_alike(database):
    evening = Evening(database)
    for sample in EVERY_SAMPLE:
        prefix = f"{sample.id}-"
        for player_id, silver in sample.silver(prefix).items():
            evening.fund(max(silver, 1), player_id)
        evening.open_table(sample.id, sample)
        evening.settle(sample.id, sample.id, sample, prefix)

    differences, end = judged_again(database)

    assert differences == []
    assert end == Rejudged(len(EVERY_SAMPLE), 0)


def raise_amount(message):
    message.judgement.steps[0].amount += 1


def forget_step(message):
    del message.judgement.steps[-1]


def add_step(message):
    message.judgement.steps.add(rule="BB-99", payer="A", payee="B", amount=5, text="by the way")


def other_winner(message):
    message.judgement.outcome.ban_bian_tian_zha.first_out += 1


def swap_players(message):
    message.judgement.players.reverse()


def ended_otherwise(message):
    message.judgement.ended = 3


def higher_stake(message):
    message.judgement.stake += 1


def spoil_card(message):
    message.judgement.record.ban_bian_tian_zha.deal.hands[0] = "Xx"


@pytest.mark.parametrize(
    ("change", "places"),
    [
        pytest.param(raise_amount, {("steps", "BB-28")}, id="amount of a step"),
        pytest.param(forget_step, {("steps", "BB-28")}, id="a step more"),
        pytest.param(add_step, {("steps", "BB-99")}, id="a step less"),
        pytest.param(other_winner, {("outcome", "")}, id="outcome"),
        pytest.param(swap_players, {("players", "")}, id="players"),
        pytest.param(ended_otherwise, {("ended", "")}, id="ended"),
        pytest.param(higher_stake, {("steps", "BB-28")}, id="stake"),
        pytest.param(spoil_card, {("faults", "BB-1")}, id="faulty now"),
    ],
)
def test_what_would_be_judged_otherwise_is_listed_by_hand_and_rule(played_sqlite, change, places):
    position = settled(played_sqlite, "bb-2")
    tamper(played_sqlite, edit_body(position, change, events_pb2.HandSettled), chain_again)

    differences, end = judged_again(played_sqlite)

    assert {(each.place, each.rule) for each in differences} == places
    assert {(each.position, each.hand_id, each.game) for each in differences} == {
        (position, "bb-2", "ban_bian_tian_zha")
    }
    assert all(each.text for each in differences)
    assert end.different_count == 1


def test_a_hand_that_cannot_be_read_ends_it(played_sqlite):
    tamper(played_sqlite, set_event(ODD, body=b"\xff"))

    with pytest.raises(UnsoundLogError):
        judged_again(played_sqlite)


def test_jd_10__a_banker_who_lost_elsewhere_since_the_bets_is_judged_again_alike(database):
    house = CountingHouse(database)
    seat(house, Z=60, A=60)
    done(house, open_table("九點半", "jiu_dian_ban"))
    done(house, open_hand("h", "Z"), bet("h", "A", 50, Door.TIAN), withdraw("Z", 40))

    settled_hand = done(house, finish("h"))[0].subject
    differences, end = judged_again(database)

    assert settled_hand.settlements[0].shortfall == 80
    assert (differences, end) == ([], Rejudged(1, 0))
