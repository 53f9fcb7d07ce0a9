"""比機 over the wire: what is written is read back, and what was read is written alike."""

import re
from pathlib import Path

import pytest
from google.protobuf import json_format
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.rules.bi_ji.tables import all_rules, hand, judged, legal_hands
from zhangfang.contract.games.bi_ji import CODEC
from zhangfang.rules.games.bi_ji import GAME
from zhangfang.rules.games.bi_ji.record import BiJiRules, Deal, Ending, FlushCompare, LateLayout, LayoutChoice
from zhangfang.wire.games.v1 import bi_ji_pb2 as wire
from zhangfang.wire.v1 import settlement_pb2

texts = st.text("2s 3h|", max_size=12)


def sent(message):
    """The message as it arrives on the other side."""
    return type(message).FromString(message.SerializeToString())


@settings(max_examples=40, deadline=None)
@given(legal_hands(BiJiRules()))
def test_a_legal_hand_comes_back_as_it_was_sent(record):
    message = CODEC.write_hand(record)

    assert CODEC.read_hand(sent(message)) == record
    assert CODEC.write_hand(CODEC.read_hand(message)) == message


@given(all_rules)
def test_house_rules_come_back_with_every_field_said(rules):
    message = CODEC.write_rules(rules)

    assert CODEC.read_rules(sent(message)) == rules
    assert CODEC.write_rules(CODEC.read_rules(message)) == message
    assert len(message.ListFields()) == 3


@pytest.mark.parametrize(
    ("message", "rules"),
    [
        pytest.param(wire.BiJiRules(), BiJiRules(), id="nothing said"),
        pytest.param(wire.BiJiRules(flush_compare=0, late_layout=0), BiJiRules(), id="unspecified"),
        pytest.param(wire.BiJiRules(joker_pair=False), BiJiRules(joker_pair=False), id="false is said"),
        pytest.param(
            wire.BiJiRules(flush_compare=2, late_layout=2),
            BiJiRules(flush_compare=FlushCompare.ALL_RANKS_THEN_SUIT, late_layout=LateLayout.AUTO),
            id="other values",
        ),
        pytest.param(
            wire.BiJiRules(flush_compare=77, late_layout=-3), BiJiRules(flush_compare=77, late_layout=-3), id="unknown"
        ),
    ],
)
def test_house_rules_are_read_with_the_defaults_of_the_rulebook(message, rules):
    assert CODEC.read_rules(sent(message)) == rules


def test_a_value_nobody_knows_is_a_fault_and_goes_back_as_it_came():
    rules = CODEC.read_rules(wire.BiJiRules(flush_compare=77, late_layout=-3))

    assert [(fault.rule, fault.field) for fault in GAME.check_house_rules(rules)] == [
        ("CM-4", "flush_compare"),
        ("CM-4", "late_layout"),
    ]
    assert CODEC.write_rules(rules) == wire.BiJiRules(joker_pair=True, flush_compare=77, late_layout=-3)


@given(st.lists(texts, max_size=6).map(tuple))
def test_deals_choices_and_endings_come_back(groups):
    assert CODEC.read_deal(sent(CODEC.write_deal(Deal(groups)))) == Deal(groups)
    assert CODEC.read_choice(sent(CODEC.write_choice(LayoutChoice(groups)))) == LayoutChoice(groups)
    assert CODEC.read_ending(sent(CODEC.write_ending(Ending()))) == Ending()


def test_an_open_hand_carries_the_cards_that_were_not_laid():
    record = hand("2s 3h 9d 4s 4h Td 5s 6h 7d", "2c 3c 9c | 4c 4d Tc | 5c 6c 7c")

    message = CODEC.write_hand(record)

    assert message.layouts[0].unlaid == "2s 3h 9d 4s 4h Td 5s 6h 7d"
    assert CODEC.read_hand(sent(message)) == record


def test_the_outcome_says_pots_royalties_and_layouts():
    verdict = judged(hand("As 2s 3s | 4s 5s 6s | 7s 8s 9s", "2h 5d Jc | 3h 3d Qc | 4h 4d Kc"), stake=10)

    message = CODEC.write_outcome(verdict.outcome)

    assert [list(pot.ranking) for pot in message.pots] == [["A", "B"]] * 3
    assert list(message.pots[1].groups) == ["straight_flush", "pair"]
    assert message.royalty_unit == 10
    assert [(royalty.player, royalty.name, royalty.units) for royalty in message.royalties] == [
        ("A", "all_black", 1),
        ("A", "nine_straight", 1),
        ("A", "scoop", 1),
        ("A", "front_straight_flush", 2),
    ]
    assert message.next_deal_seat == 1
    assert list(message.layouts[1].groups) == ["2h 5d Jc", "3h 3d Qc", "4h 4d Kc"]


def test_the_example_in_the_documentation_is_what_the_house_answers():
    page = Path(__file__).parents[2] / "docs/games/bi_ji.md"
    request_text, reply_text = re.findall(r"```json\n(.*?)```", page.read_text(), flags=re.DOTALL)
    request = json_format.Parse(request_text, settlement_pb2.SettleHandRequest())
    shown = json_format.Parse(reply_text, settlement_pb2.SettleHandResponse()).hand.judgement

    verdict = GAME.judge(CODEC.read_hand(request.record.bi_ji), GAME.house_rules(), shown.stake, {})

    assert list(shown.players) == list(verdict.seats)
    assert shown.outcome.bi_ji == CODEC.write_outcome(verdict.outcome)
    assert [(step.amount, step.text, step.text_zh) for step in shown.steps] == [
        (step.amount, step.text, step.text_zh) for step in verdict.steps[-2:]
    ]
