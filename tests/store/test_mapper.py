"""Events to bytes and back: every event comes back as it was, whatever is in it, under a topic that never changes."""

from dataclasses import replace
from typing import Any

import pytest
from eventsourcing.utils import TopicError, resolve_topic
from hypothesis import given
from hypothesis import strategies as st

from tests.rules.bi_ji.tables import all_rules as bi_ji_rules
from tests.rules.jiu_dian_ban.tables import all_rules as jiu_dian_ban_rules
from zhangfang.contract.times import FIRST_US, LAST_US
from zhangfang.domain import events
from zhangfang.domain.events import EVENT_TYPES, DomainEvent, Metadata, PlayerSettlement, Posted
from zhangfang.ledger.postings import PostingKind
from zhangfang.rules.banking import Bank
from zhangfang.rules.games.ban_bian_tian_zha.record import BanBianTianZhaRules, FirstLead
from zhangfang.rules.games.bi_ji.record import Deal as BiJiDeal
from zhangfang.rules.games.bi_ji.record import LayoutChoice
from zhangfang.rules.games.er_ren_dou_di_zhu.record import (
    ErRenDouDiZhuChoice,
    ErRenDouDiZhuDeal,
    ErRenDouDiZhuRules,
    Word,
)
from zhangfang.rules.games.jiu_dian_ban.record import BetChoice, Deal, Door
from zhangfang.rules.levels import PointsPerWin, StakeMode
from zhangfang.rules.payment import MoneyRules, ShortfallPolicy
from zhangfang.store.mapper import EventMapper
from zhangfang.wire.v1.settlement_pb2 import Judgement

TOPICS = [
    "PlayerRegistered",
    "SilverDeposited",
    "SilverWithdrawn",
    "TableOpened",
    "TableClosed",
    "BankChanged",
    "HandOpened",
    "DealRecorded",
    "ChoiceMade",
    "HandSettled",
    "HandVoided",
    "HandReversed",
    "HandReplaced",
]
"""What logs out there hold. A topic may be added here; none may be changed or taken away."""

text = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
silver = st.integers(-(2**63), 2**63 - 1)
names = st.lists(text, max_size=4).map(tuple)
changes = st.lists(st.tuples(text, silver), max_size=3).map(tuple)
postings = st.lists(st.builds(Posted, text, silver, st.sampled_from(PostingKind), silver), max_size=5).map(tuple)
settlements = st.lists(st.builds(PlayerSettlement, text, *[silver] * 11), max_size=3).map(tuple)
judgements = st.builds(Judgement, players=st.lists(text, max_size=3), stake=silver).map(
    lambda message: message.SerializeToString(deterministic=True)
)

house_rules = st.one_of(
    st.tuples(st.just("bi_ji"), bi_ji_rules),
    st.tuples(st.just("jiu_dian_ban"), jiu_dian_ban_rules),
    st.tuples(st.just("ban_bian_tian_zha"), st.builds(BanBianTianZhaRules, first_lead=st.sampled_from(FirstLead))),
    st.tuples(st.just("er_ren_dou_di_zhu"), st.builds(ErRenDouDiZhuRules, call_rang_pai=st.integers(0, 17))),
)
deals = st.one_of(
    st.tuples(st.just("bi_ji"), st.builds(BiJiDeal, names)),
    st.tuples(st.just("jiu_dian_ban"), st.builds(Deal, text, text, text, text, text)),
    st.tuples(
        st.just("er_ren_dou_di_zhu"),
        st.builds(ErRenDouDiZhuDeal, hands=st.tuples(text, text), bottom=text, call_card=text),
    ),
)
choices = st.one_of(
    st.tuples(st.just("bi_ji"), st.builds(LayoutChoice, names)),
    st.tuples(st.just("jiu_dian_ban"), st.builds(BetChoice, st.sampled_from(Door), silver)),
    st.tuples(st.just("er_ren_dou_di_zhu"), st.builds(ErRenDouDiZhuChoice, word=st.sampled_from(Word))),
    st.tuples(st.just("er_ren_dou_di_zhu"), st.builds(ErRenDouDiZhuChoice, rang_xian=st.booleans())),
)
money_rules = st.builds(
    MoneyRules,
    shortfall=st.sampled_from(ShortfallPolicy),
    table_fee=silver,
    rake_per_mille=st.integers(0, 1000),
    points_per_win=st.sampled_from(PointsPerWin),
)
banks = st.builds(Bank, text, names, names, st.booleans(), st.booleans())
places = {
    "originator_id": text,
    "originator_version": st.integers(1, 2**63 - 1),
    "position": st.integers(0, 2**63 - 1),
    "recorded_at_us": st.integers(0, 2**63 - 1),
    "metadata": st.builds(
        Metadata, text, text, st.binary(max_size=16), st.none() | st.integers(FIRST_US, LAST_US), text
    ),
}
of_hand = {"hand_id": text, "table_id": text, "game": text}
transfer = {"player_id": text, "amount": silver, "note": text, "postings": postings, "held": silver}

FIELDS: dict[str, dict[str, st.SearchStrategy[Any]]] = {
    "PlayerRegistered": {"player_id": text, "display_name": text},
    "SilverDeposited": transfer,
    "SilverWithdrawn": transfer,
    "TableOpened": {
        "table_id": text,
        "game_and_value": house_rules.map(lambda pair: ("house_rules", *pair)),
        "stake_mode": st.sampled_from(StakeMode),
        "stake": silver,
        "money_rules": money_rules,
        "seats": names,
        "draws": names,
    },
    "TableClosed": {"table_id": text},
    "BankChanged": {
        "table_id": text,
        "player_id": text,
        "action": st.sampled_from(["", "apply", "leave", "step_down"]),
        "hand_id": text,
        "bank": banks,
    },
    "HandOpened": {
        "hand_id": text,
        "table_id": text,
        "game_and_value": house_rules.map(lambda pair: ("house_rules", *pair)),
        "players": names,
        "stake": silver,
        "replaces_hand_id": text,
    },
    "DealRecorded": {
        "hand_id": text,
        "table_id": text,
        "game_and_value": deals.map(lambda pair: ("deal", *pair)),
    },
    "ChoiceMade": {
        "hand_id": text,
        "table_id": text,
        "game_and_value": choices.map(lambda pair: ("choice", *pair)),
        "player_id": text,
        "opened_position": st.integers(0, 2**63 - 1),
        "holds": changes,
    },
    "HandSettled": {
        **of_hand,
        "replaces_hand_id": text,
        "postings": postings,
        "holds": changes,
        "level_points": changes,
        "players": settlements,
        "judgement": judgements,
    },
    "HandVoided": {
        **of_hand,
        "reason": text,
        "players": names,
        "replaces_hand_id": text,
        "holds": changes,
        "judgement": st.just(b"") | judgements,
    },
    "HandReversed": {**of_hand, "reason": text, "postings": postings, "level_points": changes},
    "HandReplaced": {**of_hand, "by_hand_id": text},
}


@st.composite
def any_event(draw: st.DrawFn, topic: str) -> DomainEvent:
    """An event of a topic with anything in it that its types allow."""
    values = draw(st.fixed_dictionaries({**places, **FIELDS[topic]}))
    if "game_and_value" in values:
        name, game, value = values.pop("game_and_value")
        values |= {"game": game, name: value}
    event: DomainEvent = getattr(events, topic)(**values)
    return event


@pytest.mark.parametrize("topic", TOPICS)
def test_every_event_comes_back_as_it_was(topic: str) -> None:
    mapper = EventMapper()

    @given(any_event(topic))
    def comes_back(event: DomainEvent) -> None:
        stored = mapper.to_stored_event(event)

        assert mapper.to_domain_event(stored) == event
        assert mapper.to_stored_event(mapper.to_domain_event(stored)).state == stored.state
        assert (stored.topic, stored.originator_id, stored.id) == (topic, event.originator_id, event.position)

    comes_back()


def test_topics_never_change() -> None:
    assert [event_type.TOPIC for event_type in EVENT_TYPES] == TOPICS


@pytest.mark.parametrize("event_type", EVENT_TYPES, ids=lambda event_type: str(event_type.TOPIC))
def test_a_topic_is_found_wherever_its_class_lives(event_type: type[DomainEvent]) -> None:
    assert resolve_topic(event_type.TOPIC) is event_type
    assert ":" not in event_type.TOPIC
    assert "." not in event_type.TOPIC


def test_a_topic_that_nobody_knows_is_an_error() -> None:
    event = events.TableClosed(
        originator_id="table/T",
        originator_version=2,
        metadata=Metadata("", "r", b"", None, "zhangfang"),
        table_id="T",
    )
    stored = EventMapper().to_stored_event(event)

    with pytest.raises((TopicError, KeyError)):
        EventMapper().to_domain_event(replace(stored, topic="TableBurnt"))


def test_every_event_has_its_values_here() -> None:
    assert set(FIELDS) == set(TOPICS)
