"""The metrics: their reference, and what they count."""

import re
from pathlib import Path

import pytest
from prometheus_client import generate_latest
from prometheus_client.parser import text_string_to_metric_families

from tests.dealer import ACTOR, Dealer, new_id
from tests.samples import GAMES, SIMPLE
from tests.serving import RunningServer
from zhangfang.metrics import DEFINITIONS, Definition, Metrics
from zhangfang.metrics_reference import write_reference
from zhangfang.wire.v1.settlement_pb2 import ReverseHandRequest

PAGE = Path(__file__).parent.parent / "docs" / "metrics.md"


def read(text: str) -> dict[tuple[str, frozenset[tuple[str, str]]], float]:
    """Every sample of an exposition, by its name and labels."""
    families = text_string_to_metric_families(text)
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in families
        for sample in family.samples
    }


def value(text: str, name: str, **labels: str) -> float:
    """One sample of an exposition."""
    return read(text)[name, frozenset(labels.items())]


def test_the_committed_page_is_what_the_code_writes() -> None:
    assert PAGE.read_text(encoding="utf-8") == write_reference(), "run: make dashboards"


@pytest.mark.parametrize("definition", DEFINITIONS, ids=lambda each: each.name)
def test_every_metric_says_what_it_is_and_how_to_ask_for_it(definition: Definition) -> None:
    assert definition.name.startswith("zhangfang_")
    assert definition.kind in ("counter", "gauge", "histogram")
    assert definition.unit
    assert definition.meaning.endswith(".")
    assert all(label and bound for label, bound in definition.labels)
    assert any(name in definition.query for name in definition.exposed_names)
    assert bool(definition.buckets) == (definition.kind == "histogram")


def test_names_are_unique_and_end_in_the_unit_where_it_is_seconds() -> None:
    names = [definition.name for definition in DEFINITIONS]

    assert len(set(names)) == len(names)
    for definition in DEFINITIONS:
        assert (definition.unit == "seconds") == definition.name.endswith("_seconds"), definition.name


def test_the_exposition_holds_what_is_defined_and_the_process_and_nothing_else() -> None:
    with RunningServer() as server:
        names = {family.name for family in text_string_to_metric_families(server.scrape())}

    own = {name for name in names if not name.startswith("process_")}
    assert own == {definition.name for definition in DEFINITIONS}


def test_labels_never_name_a_player_a_hand_or_a_table() -> None:
    labels = {label for definition in DEFINITIONS for label, _ in definition.labels}

    assert labels == {"method", "code", "reason", "game", "rule", "account", "role", "version"}


def test_series_with_few_values_are_there_before_anything_happened() -> None:
    exposed = read(generate_latest(Metrics().registry).decode())

    for game in GAMES:
        assert exposed["zhangfang_hands_settled_total", frozenset({("game", game)})] == 0
    assert exposed["zhangfang_refusals_total", frozenset({("reason", "QUEUE_FULL")})] == 0
    assert exposed["zhangfang_money", frozenset({("account", "system/cash")})] == 0


def test_judging_is_timed_for_every_game_before_the_writer_and_inside_an_append() -> None:
    with RunningServer() as server:
        dealer = Dealer(server)
        for sample in SIMPLE.values():
            dealer.settle(sample)
        scraped = server.scrape()

    for game in GAMES:
        assert value(scraped, "zhangfang_judge_seconds_count", game=game) == 1


def test_the_money_of_the_house_follows_deposits_fees_and_reversals_and_outlives_a_restart(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'zhangfang.db'}"
    with RunningServer(url) as server:
        dealer = Dealer(server)
        hand = dealer.settle(SIMPLE["bi_ji"], table_fee=3)
        before = server.scrape()
        request = ReverseHandRequest(request_id=new_id("reverse"), hand_id=hand.hand_id, reason="misdeal")
        server.settlement.ReverseHand(request, metadata=ACTOR)
        after = server.scrape()
    with RunningServer(url) as server:
        reopened = server.scrape()

    players = len(SIMPLE["bi_ji"].net)
    assert value(before, "zhangfang_money", account="system/cash") == -sum(SIMPLE["bi_ji"].silver().values())
    assert value(before, "zhangfang_money", account="system/fees") == 3 * players
    assert value(after, "zhangfang_money", account="system/fees") == 0
    assert value(after, "zhangfang_silver_fees_total", game="bi_ji") == 3 * players
    for account in ("system/cash", "system/fees", "system/penalties", "system/shortfall"):
        assert value(reopened, "zhangfang_money", account=account) == value(after, "zhangfang_money", account=account)
    assert value(reopened, "zhangfang_log_position") == value(after, "zhangfang_log_position")


def test_the_page_has_a_heading_for_every_metric() -> None:
    headings = re.findall(r"^### (\S+)$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)

    assert headings == [definition.name for definition in DEFINITIONS]
