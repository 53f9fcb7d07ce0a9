"""The exposition: what a strict reader says of it, and that it can be asked for all the time under load."""

from collections.abc import Iterator
from urllib.request import Request, urlopen

import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families

from tests.deploy.busy_evening import Evening, busy_evening
from tests.deploy.monitoring import Prometheus, metrics_target, promtool, wait_until
from tests.serving import RunningServer
from zhangfang.metrics import DEFINITIONS

OPENMETRICS = "application/openmetrics-text; version=1.0.0"
TEXT = "text/plain; version=0.0.4"
TARGETS = 250  # each every five seconds: fifty scrapes a second
SCRAPES = 500
SERIES_MAX = 2000

# What promtool would have otherwise, and why it is as it is.
LINT_EXPLAINED = ("zhangfang_verified_timestamp_seconds",)


@pytest.fixture(scope="module")
def busy() -> Iterator[tuple[RunningServer, Evening]]:
    """A server on a busy evening."""
    with RunningServer() as server, busy_evening(server) as evening:
        yield server, evening


def scrape(server: RunningServer, accepted: str) -> str:
    """One scrape; raises for any status but 200."""
    request = Request(server.metrics_url, headers={"Accept": accepted})  # noqa: S310 - our own address
    with urlopen(request, timeout=10) as response:  # noqa: S310
        assert response.headers["Content-Type"].startswith(accepted.partition(";")[0])
        return str(response.read().decode())


def test_the_exposition_is_strict_openmetrics(busy: tuple[RunningServer, Evening]) -> None:
    families = list(text_string_to_metric_families(scrape(busy[0], OPENMETRICS)))

    assert {definition.name for definition in DEFINITIONS} <= {family.name for family in families}


def test_promtool_finds_nothing_to_say_about_the_text_format(busy: tuple[RunningServer, Evening]) -> None:
    checked = promtool("check", "metrics", stdin=scrape(busy[0], TEXT))

    lines = (checked.stdout + checked.stderr).splitlines()
    assert [line for line in lines if not line.startswith(LINT_EXPLAINED)] == []


def test_prometheus_scrapes_it_fifty_times_a_second_under_load_without_an_error(
    busy: tuple[RunningServer, Evening],
) -> None:
    server, evening = busy
    rounds = evening.round_count

    with Prometheus(metrics_target(server), interval="5s", copies=TARGETS) as prometheus:
        wait_until(lambda: evening.round_count > rounds and scrapes(prometheus) > SCRAPES, 90, prometheus.output)
        targets = prometheus.ask("targets")["activeTargets"]
        (failed,) = prometheus.query("count(min_over_time(up[1h]) == 0) or vector(0)")

    assert len(targets) == TARGETS
    assert {(target["health"], target["lastError"]) for target in targets} == {("up", "")}
    assert float(failed["value"][1]) == 0
    assert evening.error is None


def scrapes(prometheus: Prometheus) -> float:
    """How many there were."""
    counted = prometheus.query("sum(count_over_time(up[1h]))")
    return float(counted[0]["value"][1]) if counted else 0


def test_the_number_of_series_does_not_grow_with_the_evening(busy: tuple[RunningServer, Evening]) -> None:
    series = [line for line in scrape(busy[0], TEXT).splitlines() if not line.startswith("#")]

    assert len(series) < SERIES_MAX
    assert len({line.rpartition(" ")[0] for line in series}) == len(series)
