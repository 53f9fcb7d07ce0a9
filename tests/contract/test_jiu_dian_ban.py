"""九點半 over the wire: what is written is read back, and what was read is written alike."""

import re
from pathlib import Path

import pytest
from google.protobuf import json_format
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.rules.jiu_dian_ban.tables import SEATS, all_rules, deal, hand, judged, legal_hands
from zhangfang.contract.games.jiu_dian_ban import CODEC
from zhangfang.rules.games.jiu_dian_ban import GAME
from zhangfang.rules.games.jiu_dian_ban.record import (
    BankerMode,
    Bet,
    BetCap,
    BetChoice,
    CardValues,
    Deal,
    Door,
    Ending,
    JiuDianBanHand,
    JiuDianBanRules,
    PairRanking,
)
from zhangfang.wire.games.v1 import jiu_dian_ban_pb2 as wire
from zhangfang.wire.v1 import settlement_pb2

SMALL_INT64 = st.integers(-(2**63), 2**63 - 1)
deals = st.builds(Deal, *[st.text("9sK hw", max_size=6)] * 5)
doors = st.one_of(st.sampled_from(Door), st.sampled_from([0, 4, 99]))


def sent(message):
    """The message as it arrives on the other side."""
    return type(message).FromString(message.SerializeToString())


@settings(max_examples=60, deadline=None)
@given(all_rules.flatmap(legal_hands))
def test_a_legal_hand_comes_back_as_it_was_sent(drawn):
    record, _ = drawn
    message = CODEC.write_hand(record)

    assert CODEC.read_hand(sent(message)) == record
    assert CODEC.write_hand(CODEC.read_hand(message)) == message


@given(all_rules)
def test_house_rules_come_back_with_every_field_said(rules):
    message = CODEC.write_rules(rules)

    assert CODEC.read_rules(sent(message)) == rules
    assert CODEC.write_rules(CODEC.read_rules(message)) == message
    assert len(message.ListFields()) == 4


@pytest.mark.parametrize(
    ("message", "rules"),
    [
        pytest.param(wire.JiuDianBanRules(), JiuDianBanRules(), id="nothing said"),
        pytest.param(
            wire.JiuDianBanRules(card_values=0, pair_ranking=0, bet_cap=0, banker_mode=0),
            JiuDianBanRules(),
            id="unspecified",
        ),
        pytest.param(
            wire.JiuDianBanRules(card_values=2, pair_ranking=2, bet_cap=2, banker_mode=2),
            JiuDianBanRules(
                CardValues.J1_Q2_K3, PairRanking.BY_RANK, BetCap.BANKER_SILVER_OVER_MAX_PAYOUT, BankerMode.QUEUE
            ),
            id="other values",
        ),
        pytest.param(
            wire.JiuDianBanRules(card_values=77, pair_ranking=78, bet_cap=79, banker_mode=-3),
            JiuDianBanRules(77, 78, 79, -3),
            id="unknown",
        ),
    ],
)
def test_house_rules_are_read_with_the_defaults_of_the_rulebook(message, rules):
    assert CODEC.read_rules(sent(message)) == rules


def test_a_value_nobody_knows_is_a_fault_and_goes_back_as_it_came():
    message = wire.JiuDianBanRules(card_values=77, pair_ranking=78, bet_cap=79, banker_mode=-3)

    rules = CODEC.read_rules(message)

    assert [fault.field for fault in GAME.check_house_rules(rules)] == [
        "card_values",
        "pair_ranking",
        "bet_cap",
        "banker_mode",
    ]
    assert CODEC.write_rules(rules) == message


@given(doors, SMALL_INT64, deals)
def test_deals_choices_and_endings_come_back(door, silver, dealt):
    assert CODEC.read_choice(sent(CODEC.write_choice(BetChoice(door, silver)))) == BetChoice(door, silver)
    assert CODEC.read_deal(sent(CODEC.write_deal(dealt))) == dealt
    assert CODEC.read_ending(sent(CODEC.write_ending(Ending(dealt)))) == Ending(dealt)
    assert not CODEC.write_ending(Ending()).HasField("deal")


def test_a_door_nobody_knows_comes_back_and_is_refused():
    record = JiuDianBanHand("Z", (Bet("P1", 9, 2**63 - 1),), deal("8s Td | 2s 3s | 9h w | As Ad"))

    read = CODEC.read_hand(sent(CODEC.write_hand(record)))

    assert read == record
    assert [(fault.rule, fault.bet) for fault in GAME.judge(read, JiuDianBanRules(), 1, {})] == [("JD-1", 0)]


def test_the_outcome_says_hands_doors_and_who_banks_next():
    verdict = judged(hand("P1 tian 10", deal("9s Jh | 4s 5s | 9h w | As Ad", "7c"), SEATS), {"Z": 15})

    message = CODEC.write_outcome(verdict.outcome)

    banker, shang, tian, xia = message.hands
    assert (banker.name, getattr(banker, "class"), banker.half_points, banker.factor) == ("banker", "points", 0, 0)
    assert (shang.half_points, shang.beats_banker, shang.factor) == (18, True, 1)
    assert (getattr(tian, "class"), tian.half_points, tian.factor) == ("nine_and_half", 19, 2)
    assert (getattr(xia, "class"), xia.HasField("half_points")) == ("pair", False)
    assert banker.HasField("half_points")
    assert message.banker_beaten_by_all
    assert message.deal_start == "tian"
    assert message.banker_shortfall == 5
    assert message.next_banker == "P1"


def test_an_outcome_without_turned_card_or_seats_leaves_them_empty():
    message = CODEC.write_outcome(judged(hand()).outcome)

    assert (message.deal_start, message.next_banker) == ("", "")


def test_the_example_in_the_documentation_is_what_the_house_answers():
    page = Path(__file__).parents[2] / "docs/games/jiu_dian_ban.md"
    request_text, reply_text = re.findall(r"```json\n(.*?)```", page.read_text(), flags=re.DOTALL)
    request = json_format.Parse(request_text, settlement_pb2.SettleHandRequest())
    shown = json_format.Parse(reply_text, settlement_pb2.SettleHandResponse()).hand.judgement

    verdict = GAME.judge(CODEC.read_hand(request.record.jiu_dian_ban), GAME.house_rules(), shown.stake, {})

    assert list(shown.players) == list(verdict.seats)
    assert shown.outcome.jiu_dian_ban == CODEC.write_outcome(verdict.outcome)
    assert [(step.amount, step.text, step.text_zh) for step in shown.steps] == [
        (step.amount, step.text, step.text_zh) for step in verdict.steps[-2:]
    ]
