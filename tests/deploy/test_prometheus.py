"""The real Prometheus scrapes the running service, and every expression of dashboards, rules and reference answers."""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from deploy.grafana.dashboards import BOARDS

from tests.deploy.busy_evening import busy_evening
from tests.deploy.monitoring import ALERTS, RECORDINGS, Prometheus, metrics_target, wait_until
from tests.serving import RunningServer
from zhangfang.metrics import DEFINITIONS

ANSWER_SECONDS = 90

GRAFANA = {"$__rate_interval": "1m", "$__range": "1h", "$instance": ".*", "$game": ".*"}
"""What Grafana would put in place of its variables."""

EXPLAINED = {
    "audit: Alerts that fire": "no alert fires while the house is in order",
    "ZhangfangAbsent": "absent() is empty when there is what it looks for",
    "ZhangfangWithdrawalSpike": "compares with the day before, and this Prometheus has run for seconds",
}
"""Expressions that answer nothing on a busy evening, and why."""


@dataclass(frozen=True)
class Asked:
    """One expression and where it stands."""

    place: str
    expression: str


def expressions() -> Iterator[Asked]:
    """All there are."""
    for name, board in BOARDS.items():
        for panel in board.write()["panels"]:
            for target in panel.get("targets", ()):
                yield Asked(f"{name}: {panel['title']}", filled_in(target["expr"]))
    for rule in RECORDINGS:
        yield Asked(rule["record"], rule["expr"])
    for rule in ALERTS:
        yield Asked(rule["alert"], as_values(rule["expr"]))
    for definition in DEFINITIONS:
        yield Asked(f"reference: {definition.name}", definition.query)


def filled_in(expression: str) -> str:
    """An expression with Grafana's variables replaced, longest name first."""
    for variable in sorted(GRAFANA, key=len, reverse=True):
        expression = expression.replace(variable, GRAFANA[variable])
    return expression


def as_values(expression: str) -> str:
    """An alert's expression with its comparisons answered by 0 or 1: it answers whether or not the alert fires.

    >>> as_values('up{job="zhangfang"} == 0 and x > 0.5')
    'up{job="zhangfang"} == bool 0 and x > bool 0.5'
    """
    return re.sub(r"(?<=\s)(==|>=|<=|>|<)(?=\s)", r"\1 bool", expression)


def has_answer(samples: list[dict[str, Any]]) -> bool:
    """Whether there is at least one number."""
    return any(not math.isnan(float(sample["value"][1])) for sample in samples)


EVERY = list(expressions())


@pytest.fixture(scope="module")
def prometheus() -> Iterator[Prometheus]:
    """Prometheus on a busy evening, which has gone on until every expression has answered that will."""
    with (
        RunningServer() as server,
        busy_evening(server) as evening,
        Prometheus(metrics_target(server)) as running,
    ):

        def silent() -> list[str]:
            assert evening.error is None, evening.error
            waited = [each for each in EVERY if each.place not in EXPLAINED]
            return [each.place for each in waited if not has_answer(running.query(each.expression))]

        wait_until(lambda: not silent(), ANSWER_SECONDS, lambda: f"these answer nothing: {silent()}")
        yield running


@pytest.mark.parametrize("asked", EVERY, ids=lambda asked: asked.place)
def test_an_expression_answers_or_it_is_explained_why_not(prometheus: Prometheus, asked: Asked) -> None:
    assert has_answer(prometheus.query(asked.expression)) != (asked.place in EXPLAINED)


def test_every_explanation_is_of_an_expression() -> None:
    assert {each.place for each in EVERY} >= set(EXPLAINED)


def test_every_scrape_succeeds(prometheus: Prometheus) -> None:
    targets = prometheus.ask("targets")["activeTargets"]

    assert [(target["health"], target["lastError"]) for target in targets] == [("up", "")]
    (lowest,) = prometheus.query('min_over_time(up{job="zhangfang"}[1h])')
    assert float(lowest["value"][1]) == 1


def test_every_rule_evaluates_without_error(prometheus: Prometheus) -> None:
    rules = [rule for group in prometheus.ask("rules")["groups"] for rule in group["rules"]]

    assert len(rules) == len(RECORDINGS) + len(ALERTS)
    assert [rule["name"] for rule in rules if rule["health"] != "ok"] == []
    assert [rule["name"] for rule in rules if rule.get("lastError")] == []


def test_nothing_fires_while_the_house_is_in_order(prometheus: Prometheus) -> None:
    alerts = prometheus.ask("alerts")["alerts"]

    assert [alert["labels"]["alertname"] for alert in alerts if alert["state"] == "firing"] == []
