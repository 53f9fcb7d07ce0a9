"""Metrics end to end: they parse, they have bounds, they agree with what was done, and scraping hurts nobody."""

import threading
from collections import Counter
from collections.abc import Iterator
from urllib.request import Request, urlopen

import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse_openmetrics
from prometheus_client.parser import text_string_to_metric_families as parse_plain

from tests.dealer import ACTOR, Dealer, new_id
from tests.refusals import refusal
from tests.samples import GAMES, SAMPLES, SIMPLE
from tests.serving import RunningServer
from zhangfang.metrics_definitions import DEFINITIONS
from zhangfang.wire.v1 import audit_pb2 as audit
from zhangfang.wire.v1 import settlement_pb2 as pb

SERIES_MAX = 2500


@pytest.fixture
def server() -> Iterator[RunningServer]:
    """A server for each test."""
    with RunningServer() as running:
        yield running


def values(server: RunningServer, name: str) -> dict[tuple[tuple[str, str], ...], float]:
    """The values of one metric by their labels."""
    return {
        tuple(sorted(sample.labels.items())): sample.value
        for family in parse_plain(server.scrape())
        for sample in family.samples
        if sample.name == name
    }


def total(server: RunningServer, name: str, **labels: str) -> float:
    """The value of one series, 0 if there is none yet."""
    return values(server, name).get(tuple(sorted(labels.items())), 0.0)


def test_the_exposition_is_what_the_reference_says_in_both_formats(server: RunningServer) -> None:
    Dealer(server).settle(SIMPLE["bi_ji"])

    plain = {family.name: family for family in parse_plain(server.scrape())}
    asked = Request(server.metrics_url, headers={"Accept": "application/openmetrics-text; version=1.0.0"})  # noqa: S310
    with urlopen(asked) as response:  # noqa: S310 - our own address
        assert "openmetrics" in response.headers["Content-Type"]
        openmetrics = {family.name: family for family in parse_openmetrics(response.read().decode())}

    for families in (plain, openmetrics):
        for definition in DEFINITIONS:
            family = families[definition.name]
            assert family.type == definition.kind
            assert family.documentation
            labels = {label for label, _ in definition.labels}
            for sample in family.samples:
                assert set(sample.labels) - {"le"} == labels


def test_numbers_agree_with_what_was_done(server: RunningServer) -> None:
    dealer = Dealer(server)
    settled: Counter[str] = Counter()
    moved: Counter[str] = Counter()
    for game in GAMES:
        for sample in SAMPLES[game][:6]:
            hand = dealer.settle(sample, rake_per_mille=10)
            if hand.state == pb.HAND_STATE_SETTLED:
                settled[game] += 1
                moved[game] -= sum(posting.amount for posting in hand.postings if posting.amount < 0)
    reversed_hand = dealer.settle(SIMPLE["bi_ji"])
    dealer.reverse(reversed_hand.hand_id, "mistake")
    settled["bi_ji"] += 1
    moved["bi_ji"] -= sum(posting.amount for posting in reversed_hand.postings if posting.amount < 0)
    dealer.void(new_id("hand"), "cancelled")
    request = dealer.request_to_settle(SIMPLE["bi_ji"])
    for _ in range(3):
        server.settlement.SettleHand(request)
    settled["bi_ji"] += 1
    moved["bi_ji"] -= sum(
        posting.amount for posting in server.settlement.SettleHand(request).hand.postings if posting.amount < 0
    )

    for game in GAMES:
        assert total(server, "zhangfang_hands_settled_total", game=game) == settled[game]
        assert total(server, "zhangfang_silver_moved_total", game=game) == moved[game]
    assert total(server, "zhangfang_hands_reversed_total", game="bi_ji") == 1
    assert total(server, "zhangfang_hands_voided_total", game="unknown") == 1
    assert total(server, "zhangfang_log_position") == dealer.position()
    accounts = server.audit.GetTrialBalance(audit.GetTrialBalanceRequest()).accounts
    money = {account.account: account.balance for account in accounts if account.account.startswith("system/")}
    for account, balance in money.items():
        assert total(server, "zhangfang_money", account=account) == balance


def test_refusals_and_faults_are_counted_by_reason_and_rule(server: RunningServer) -> None:
    dealer = Dealer(server)
    request = dealer.request_to_settle(SIMPLE["bi_ji"])
    request.record.bi_ji.layouts[0].groups[0] = "Ah Ah Kd"

    refused = refusal(lambda: server.settlement.SettleHand(request))
    streamed = list(server.settlement.SettleHands(iter([pb.SettleHandsRequest(settle_hand=request)] * 4)))
    refusal(lambda: dealer.deposit("", 1))

    assert len(streamed) == 4
    assert refused.faults
    by_rule = Counter(fault.rule for fault in refused.faults.faults)
    for rule, number in by_rule.items():
        assert total(server, "zhangfang_faults_total", game="bi_ji", rule=rule) == 5 * number
    assert total(server, "zhangfang_refusals_total", reason="HAND_FAULTY") == 5
    assert total(server, "zhangfang_refusals_total", reason="INVALID_FIELD") == 1
    assert total(server, "zhangfang_rpcs_total", method="SettleHand", code="INVALID_ARGUMENT") == 1
    assert total(server, "zhangfang_rpcs_total", method="SettleHands", code="OK") == 1
    assert total(server, "zhangfang_rpcs_in_flight", method="SettleHand") == 0


def test_no_player_hand_or_table_is_ever_a_label_and_series_have_a_ceiling(server: RunningServer) -> None:
    dealer = Dealer(server)
    names = []
    for number in range(100):
        sample = SIMPLE[GAMES[number % len(GAMES)]]
        request = dealer.request_to_settle(sample)
        server.settlement.SettleHand(request)
        names += [request.hand_id, request.table_id, *sample.players(request.hand_id)]
        refusal(lambda: dealer.deposit(new_id("nobody"), 1))
        refusal(lambda: dealer.void("\n" + new_id("x"), new_id("reason")))
        refusal(lambda: dealer.events(game=new_id("game")))
        unknown = dealer.another(sample, new_id("nowhere"), "")
        refusal(lambda: server.settlement.SettleHand(unknown))  # noqa: B023 - called at once

    exposition = server.scrape()

    series = [line for line in exposition.splitlines() if not line.startswith("#")]
    assert len(series) < SERIES_MAX
    assert not [name for name in names if f'"{name}"' in exposition]
    for word in ("nobody-", "nowhere-", "reason-", "game-"):
        assert word not in exposition


def test_scraped_without_a_pause_settlements_go_on_and_every_scrape_parses(server: RunningServer) -> None:
    dealer = Dealer(server)
    table_id, prefix = dealer.seat(SIMPLE["bi_ji"])
    requests = [
        pb.SettleHandsRequest(settle_hand=dealer.another(SIMPLE["bi_ji"], table_id, prefix)) for _ in range(1000)
    ]
    done = threading.Event()
    scraped: list[str] = []

    def scrape() -> None:
        while not done.is_set():
            scraped.append(server.scrape())

    scrapers = [threading.Thread(target=scrape) for _ in range(4)]
    for scraper in scrapers:
        scraper.start()
    answers = list(server.settlement.SettleHands(iter(requests), metadata=ACTOR))
    done.set()
    for scraper in scrapers:
        scraper.join()

    assert len(answers) == len(requests)
    assert scraped
    for exposition in (scraped[0], scraped[len(scraped) // 2], scraped[-1]):
        assert list(parse_plain(exposition))
    assert total(server, "zhangfang_hands_settled_total", game="bi_ji") == len(requests)
