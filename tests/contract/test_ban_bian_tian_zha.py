"""半邊天炸 on the wire: what is written is what was read, and whatever is read can be judged."""

import json
import re
from pathlib import Path

import pytest
from google.protobuf.json_format import MessageToDict, ParseDict
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.rules.ban_bian_tian_zha.hands import legal_hands
from zhangfang.contract.games.ban_bian_tian_zha import CODEC
from zhangfang.contract.judging import write_judgement
from zhangfang.rules.games.ban_bian_tian_zha.record import (
    BanBianTianZhaChoice,
    BanBianTianZhaEnding,
    BanBianTianZhaRules,
    BankWord,
    ChoiceKind,
    FirstLead,
    LeadAfterOut,
)
from zhangfang.rules.verdict import Verdict
from zhangfang.wire.games.v1 import ban_bian_tian_zha_pb2 as pb
from zhangfang.wire.games.v1.cards_pb2 import Play


def sent(message):
    """A message as it arrives at the other end."""
    return type(message).FromString(message.SerializeToString(deterministic=True))


@settings(max_examples=30, deadline=None)
@given(legal_hands())
def test_a_legal_hand_comes_back_as_it_went_and_is_judged_alike(hand):
    message = sent(CODEC.write_hand(hand.record))

    read = CODEC.read_hand(message)

    assert read == hand.record
    assert CODEC.write_hand(read) == message
    assert CODEC.game.judge(read, hand.rules, hand.stake, {}) == hand.judge()


@settings(max_examples=30, deadline=None)
@given(legal_hands())
def test_deal_ending_and_rules_come_back_as_they_went(hand):
    deal, ending = hand.record.deal, BanBianTianZhaEnding(hand.record.plays)

    messages = sent(CODEC.write_deal(deal)), sent(CODEC.write_ending(ending)), sent(CODEC.write_rules(hand.rules))

    assert CODEC.read_deal(messages[0]) == deal
    assert CODEC.read_ending(messages[1]) == ending
    assert CODEC.read_rules(messages[2]) == hand.rules


@settings(max_examples=30, deadline=None)
@given(legal_hands())
def test_an_outcome_is_written_with_every_fact(hand):
    outcome = hand.judge().outcome

    message = sent(CODEC.write_outcome(outcome))

    assert pb.BanBianTianZhaOutcome.How.Name(message.how) == f"HOW_{outcome.how.name}"
    assert list(message.finishing_order) == list(outcome.finishing_order)
    assert [(each.seat, each.multiplier) for each in message.idlers] == [(i.seat, i.multiplier) for i in outcome.idlers]
    for field in ("banker", "surrendered", "first_leader", "first_out"):
        assert (getattr(message, field) if message.HasField(field) else None) == getattr(outcome, field)
    for field in ("captured", "after_transfer"):
        points = getattr(outcome, field)
        assert message.HasField(field) == (points is not None)
        if points:
            assert (getattr(message, field).banker, getattr(message, field).idlers) == (points.banker, points.idlers)
    for field in ("gave_20", "negative", "winner"):
        side = getattr(outcome, field)
        name = pb.BanBianTianZhaOutcome.Side.Name(getattr(message, field))
        assert name == (f"SIDE_{side.name}" if side else "SIDE_UNSPECIFIED")


@pytest.mark.parametrize(
    "choice",
    [
        BanBianTianZhaChoice(ChoiceKind.CHUI, value=True),
        BanBianTianZhaChoice(ChoiceKind.CHUI, value=False),
        *[BanBianTianZhaChoice(ChoiceKind.BANK, word) for word in BankWord],
        BanBianTianZhaChoice(ChoiceKind.BANK, 9),
        BanBianTianZhaChoice(ChoiceKind.DOU, value=False),
        BanBianTianZhaChoice(ChoiceKind.LEI, value=True),
        BanBianTianZhaChoice(None, None),
    ],
    ids=str,
)
def test_a_choice_comes_back_as_it_went(choice):
    message = sent(CODEC.write_choice(choice))

    read = CODEC.read_choice(message)

    assert read == choice


def test_cm_4__a_rules_message_that_says_nothing_has_the_defaults():
    message = pb.BanBianTianZhaRules()

    rules = CODEC.read_rules(message)

    assert rules == BanBianTianZhaRules(FirstLead.ANY, LeadAfterOut.NEXT_SEAT)
    assert CODEC.game.check_house_rules(rules) == ()


def test_cm_4__unspecified_is_the_default_and_an_unknown_number_stays_to_be_found():
    message = pb.BanBianTianZhaRules(first_lead=0, lead_after_out=7)

    rules = CODEC.read_rules(message)

    assert (rules.first_lead, rules.lead_after_out) == (FirstLead.ANY, 7)
    assert [fault.field for fault in CODEC.game.check_house_rules(rules)] == ["lead_after_out"]
    assert CODEC.write_rules(rules).lead_after_out == 7


def test_an_open_hand_is_written_as_far_as_it_got():
    record = CODEC.game.begin(("A", "B", "C"))

    message = sent(CODEC.write_hand(record))

    assert message == pb.BanBianTianZhaHand(players=["A", "B", "C"])
    assert CODEC.read_hand(message) == record


SEATS = st.integers(-(2**31), 2**31 - 1) | st.integers(0, 2)
TEXTS = st.text(max_size=8) | st.sampled_from(["", " ", "5s", "W", "5s  5s", "2d"])
ANY_HANDS = st.builds(
    pb.BanBianTianZhaHand,
    players=st.lists(st.sampled_from("ABC"), max_size=4) | st.just(["A", "B", "C"]),
    deal=st.none() | st.builds(pb.BanBianTianZhaDeal, hands=st.lists(TEXTS, max_size=4)),
    chui=st.lists(st.booleans(), max_size=4),
    bank=st.lists(st.builds(pb.BanBianTianZhaBankAction, seat=SEATS, kind=st.integers(-3, 6)), max_size=4),
    dou=st.lists(st.builds(pb.BanBianTianZhaDou, seat=SEATS, dou=st.booleans()), max_size=4),
    lei=st.none() | st.booleans(),
    plays=st.lists(st.builds(Play, seat=SEATS, cards=TEXTS), max_size=4),
)


@settings(max_examples=60, deadline=None)
@given(ANY_HANDS)
def test_reading_is_total__whatever_arrives_is_judged_not_raised(message):
    record = CODEC.read_hand(sent(message))

    faults = CODEC.game.judge(record, BanBianTianZhaRules(), 1, {})

    assert faults
    assert not isinstance(faults, Verdict)


@settings(max_examples=60, deadline=None)
@given(legal_hands(), ANY_HANDS)
def test_reading_is_total__a_good_deal_with_anything_else_is_judged_not_raised(hand, message):
    message.ClearField("players")
    message.MergeFrom(pb.BanBianTianZhaHand(players=hand.record.players))
    message.deal.CopyFrom(CODEC.write_deal(hand.record.deal))

    judged = CODEC.game.judge(CODEC.read_hand(sent(message)), hand.rules, hand.stake, {})

    assert isinstance(judged, Verdict) or all(fault.text for fault in judged)


def test_the_example_for_integrators_is_what_the_house_answers():
    page = Path(__file__).parents[2] / "docs" / "games" / "ban_bian_tian_zha.md"
    request, reply = [json.loads(block) for block in re.findall(r"```json\n(.*?)```", page.read_text(), re.DOTALL)]
    message = ParseDict(request["record"]["banBianTianZha"], pb.BanBianTianZhaHand())
    judgement = reply["hand"]["judgement"]
    rules = CODEC.read_rules(ParseDict(judgement["rules"]["banBianTianZha"], pb.BanBianTianZhaRules()))
    stake, record = int(judgement["stake"]), CODEC.read_hand(message)

    verdict = CODEC.game.judge(record, rules, stake, {})

    written = MessageToDict(write_judgement("ban_bian_tian_zha", stake, rules, record, verdict))
    outcome = ParseDict(judgement["outcome"]["banBianTianZha"], pb.BanBianTianZhaOutcome())
    assert CODEC.write_outcome(verdict.outcome) == outcome
    assert written["steps"] == judgement["steps"]
