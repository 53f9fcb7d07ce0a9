"""二人鬥地主 over the wire: what is written is read back, and what was read is written alike."""

from pathlib import Path
from typing import Any

import pytest
from google.protobuf import json_format
from hypothesis import given
from hypothesis import strategies as st

from tests.rules.er_ren_dou_di_zhu.hands import Table, tables
from tests.rules.er_ren_dou_di_zhu.table import settle
from zhangfang.contract.games.er_ren_dou_di_zhu import CODEC
from zhangfang.contract.judging import write_judgement
from zhangfang.rules.games.er_ren_dou_di_zhu.record import (
    AuctionAction,
    ErRenDouDiZhuChoice,
    ErRenDouDiZhuEnding,
    ErRenDouDiZhuHand,
    ErRenDouDiZhuRules,
    Word,
)
from zhangfang.rules.verdict import Fault, Verdict
from zhangfang.wire.games.v1 import cards_pb2
from zhangfang.wire.games.v1 import er_ren_dou_di_zhu_pb2 as wire
from zhangfang.wire.v1 import settlement_pb2

int64s = st.integers(-(2**63), 2**63 - 1)
int32s = st.integers(-(2**31), 2**31 - 1)


def sent(message: Any) -> Any:
    """The message as it arrives on the other side."""
    return type(message).FromString(message.SerializeToString())


@given(table=tables)
def test_a_legal_hand_comes_back_as_it_was_sent(table: Table) -> None:
    hand, _ = table

    message = CODEC.write_hand(hand)

    assert CODEC.read_hand(sent(message)) == hand
    assert CODEC.write_hand(CODEC.read_hand(sent(message))) == message


@given(table=tables)
def test_an_open_hand_comes_back_at_every_length(table: Table) -> None:
    hand, _ = table
    assert hand.deal is not None

    for length in range(len(hand.auction) + 1):
        begun = ErRenDouDiZhuHand(players=hand.players, deal=hand.deal, auction=hand.auction[:length])
        assert CODEC.read_hand(sent(CODEC.write_hand(begun))) == begun
    assert CODEC.read_deal(sent(CODEC.write_deal(hand.deal))) == hand.deal


def test_a_hand_before_the_deal_comes_back() -> None:
    begun = ErRenDouDiZhuHand(players=("Ann", "Bo"))

    message = CODEC.write_hand(begun)

    assert CODEC.read_hand(sent(message)) == begun


@given(
    rules=st.builds(
        ErRenDouDiZhuRules,
        rob_multipliers=st.lists(int64s, min_size=1, max_size=7).map(tuple),
        call_rang_pai=int64s,
        distinct_single_wings=st.booleans(),
        bomb_factor=int64s,
    )
)
def test_house_rules_come_back_with_every_field_said(rules: ErRenDouDiZhuRules) -> None:
    message = CODEC.write_rules(rules)

    assert CODEC.read_rules(sent(message)) == rules
    assert len(message.ListFields()) == 4


@pytest.mark.parametrize(
    ("message", "rules"),
    [
        pytest.param(wire.ErRenDouDiZhuRules(), ErRenDouDiZhuRules(), id="nothing_said"),
        pytest.param(
            wire.ErRenDouDiZhuRules(rob_multipliers=[], distinct_single_wings=False, call_rang_pai=0),
            ErRenDouDiZhuRules(),
            id="defaults_said",
        ),
        pytest.param(
            wire.ErRenDouDiZhuRules(rob_multipliers=[3], call_rang_pai=2, distinct_single_wings=True, bomb_factor=0),
            ErRenDouDiZhuRules(rob_multipliers=(3,), call_rang_pai=2, distinct_single_wings=True, bomb_factor=0),
            id="all_said",
        ),
    ],
)
def test_house_rules_are_read_with_the_defaults_of_the_rulebook(message: Any, rules: ErRenDouDiZhuRules) -> None:
    read = CODEC.read_rules(sent(message))

    assert read == rules


@pytest.mark.parametrize(
    "choice",
    [
        *[pytest.param(ErRenDouDiZhuChoice(word=word), id=word.value) for word in Word],
        pytest.param(ErRenDouDiZhuChoice(word=0), id="no_word"),
        pytest.param(ErRenDouDiZhuChoice(word=77), id="unknown_word"),
        pytest.param(ErRenDouDiZhuChoice(rang_xian=True), id="rang_xian"),
        pytest.param(ErRenDouDiZhuChoice(rang_xian=False), id="no_rang_xian"),
        pytest.param(ErRenDouDiZhuChoice(escape=True), id="escape"),
        pytest.param(ErRenDouDiZhuChoice(escape=False), id="escape_not_meant"),
        pytest.param(ErRenDouDiZhuChoice(), id="nothing"),
    ],
)
def test_a_choice_comes_back(choice: ErRenDouDiZhuChoice) -> None:
    message = CODEC.write_choice(choice)

    assert CODEC.read_choice(sent(message)) == choice


@given(plays=st.lists(st.tuples(int32s, st.text("5shw ", max_size=9)), max_size=5), escape=st.none() | int32s)
def test_an_ending_comes_back(plays: list[tuple[int, str]], escape: int | None) -> None:
    ending = ErRenDouDiZhuEnding(plays=tuple(plays), escape=escape)

    message = CODEC.write_ending(ending)

    assert CODEC.read_ending(sent(message)) == ending


def test_dz_3__a_word_nobody_knows_is_read_for_the_rules_to_refuse_and_goes_back_as_it_came() -> None:
    message = wire.ErRenDouDiZhuHand(auction=[wire.ErRenDouDiZhuAuctionAction(seat=-7, kind=77)])  # type: ignore[arg-type]

    hand = CODEC.read_hand(sent(message))

    assert hand.auction == (AuctionAction(-7, 77),)
    assert CODEC.write_hand(hand) == message


texts = st.text(max_size=9) | st.sampled_from(["5s 5s", "5s", "w W", " ", "5s  5h"])
plays = st.builds(cards_pb2.Play, seat=int32s, cards=texts)
words = st.builds(wire.ErRenDouDiZhuAuctionAction, seat=st.integers(-1, 2), kind=st.integers(-1, 5))
deals = st.builds(wire.ErRenDouDiZhuDeal, hands=st.lists(texts, max_size=3), bottom=texts, call_card=texts)
escapes = st.builds(wire.ErRenDouDiZhuEscape, seat=int32s)


@given(table=tables, data=st.data())
def test_whatever_a_message_says_is_read_and_judged_without_an_exception(table: Table, data: st.DataObject) -> None:
    hand, rules = table
    message: Any = CODEC.write_hand(hand)
    odd: Any = data.draw(
        st.one_of(
            st.builds(wire.ErRenDouDiZhuHand, players=st.lists(texts, max_size=3)),
            st.builds(wire.ErRenDouDiZhuHand, deal=deals),
            st.builds(wire.ErRenDouDiZhuHand, auction=st.lists(words, min_size=1, max_size=9)),
            st.builds(wire.ErRenDouDiZhuHand, plays=st.lists(plays, min_size=1, max_size=5)),
            st.builds(wire.ErRenDouDiZhuHand, escape=escapes),
            st.builds(wire.ErRenDouDiZhuHand, rang_xian=st.booleans()),
        )
    )
    for field, _ in odd.ListFields():
        message.ClearField(field.name)
    message.MergeFrom(odd)

    result = CODEC.game.judge(CODEC.read_hand(sent(message)), rules, 1, {})

    assert isinstance(result, Verdict) or all(isinstance(fault, Fault) and fault.text for fault in result)


@given(table=tables)
def test_the_facts_are_written_and_what_there_is_none_of_is_left_out(table: Table) -> None:
    hand, rules = table
    outcome = settle(hand, rules).outcome

    message: Any = sent(CODEC.write_outcome(outcome))

    for field in ("landlord", "winner", "rang_xian", "rang_pai", "multiplier", "escape"):
        expected = getattr(outcome, field)
        assert message.HasField(field) == (expected is not None)
        assert expected is None or getattr(message, field) == expected
    for field in ("robs", "spring", "anti_spring", "bombs", "redeal"):
        assert getattr(message, field) == getattr(outcome, field)
    assert (*message.cards_left,) == outcome.cards_left
    assert (*message.tong_tian_shun,) == outcome.tong_tian_shun
    sides = {None: "SIDE_UNSPECIFIED", "landlord": "SIDE_LANDLORD", "farmer": "SIDE_FARMER"}
    assert wire.ErRenDouDiZhuOutcome.Side.Name(message.winner_side) == sides[outcome.winner_side]


def test_the_page_for_integrators_shows_what_the_judge_says() -> None:
    page = Path(__file__).parents[2] / "docs/games/er_ren_dou_di_zhu.md"
    request_json, reply_json = [
        block.split("```")[0] for block in page.read_text(encoding="utf-8").split("```json\n")[1:]
    ]
    request = json_format.Parse(request_json, settlement_pb2.SettleHandRequest())
    shown = json_format.Parse(reply_json, settlement_pb2.SettleHandResponse()).hand.judgement

    record = CODEC.read_hand(request.record.er_ren_dou_di_zhu)
    judgement = write_judgement(CODEC.game.name, 100, ErRenDouDiZhuRules(), record, settle(record, stake=100))

    judgement.ClearField("record")
    assert judgement == shown
