"""Recording rules and alerts: sound by promtool, complete by ours."""

import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.deploy.monitoring import ALERTS, DEPLOY, PROMETHEUS, RECORDINGS, promtool, read_yaml
from zhangfang.metrics import DEFINITIONS

UNIT_TESTS = sorted((PROMETHEUS / "tests").glob("*.yml"))
RECORDED = {rule["record"] for rule in RECORDINGS}
OF_OTHERS = {
    "up",
    "ALERTS",
    "process_cpu_seconds_total",
    "process_open_fds",
    "process_resident_memory_bytes",
    "process_start_time_seconds",
}
KNOWN = {name for definition in DEFINITIONS for name in definition.exposed_names} | RECORDED | OF_OTHERS
METRIC = re.compile(r"\b(?:zhangfang_\w+|\w*:zhangfang_[\w:]+|zhangfang:[\w:]+|process_\w+|up|ALERTS)\b")


def metrics_of(expression: str) -> set[str]:
    """The metrics an expression asks for."""
    return set(METRIC.findall(re.sub(r'"[^"]*"', '""', expression)))


@cache
def headings() -> set[str]:
    """The headings of the runbook, as links name them."""
    text = (DEPLOY / "runbook.md").read_text(encoding="utf-8")
    return {heading.lower() for heading in re.findall(r"^## (\w+)$", text, re.MULTILINE)}


@cache
def alert_tests() -> list[tuple[str, bool]]:
    """The alerts that the unit tests ask for, and whether they expect them to fire."""
    cases = [case for path in UNIT_TESTS for test in read_yaml(path)["tests"] for case in test["alert_rule_test"]]
    return [(case["alertname"], bool(case["exp_alerts"])) for case in cases]


def test_promtool_finds_nothing_wrong_with_the_configuration() -> None:
    checked = promtool("check", "config", "prometheus.yml")

    assert checked.returncode == 0, checked.stdout + checked.stderr


@pytest.mark.parametrize("path", UNIT_TESTS, ids=lambda path: path.stem)
def test_alerts_fire_when_they_should_and_not_before(path: Path) -> None:
    tested = promtool("test", "rules", path)

    assert tested.returncode == 0, tested.stdout + tested.stderr


@pytest.mark.parametrize("rule", ALERTS, ids=lambda rule: rule["alert"])
def test_every_alert_has_a_severity_words_and_a_page_of_the_runbook(rule: dict[str, Any]) -> None:
    assert rule["labels"]["severity"] in ("critical", "warning", "info")
    assert rule["annotations"]["summary"].endswith(".")
    assert rule["annotations"]["description"].endswith(".")
    page, _, heading = rule["annotations"]["runbook"].partition("#")
    assert page == "runbook.md"
    assert heading == rule["alert"].lower()
    assert heading in headings()


@pytest.mark.parametrize("rule", ALERTS, ids=lambda rule: rule["alert"])
def test_every_alert_is_tested_firing_and_not_firing(rule: dict[str, Any]) -> None:
    cases = alert_tests()

    assert (rule["alert"], True) in cases
    assert (rule["alert"], False) in cases


def test_the_runbook_has_no_page_without_an_alert() -> None:
    assert headings() == {rule["alert"].lower() for rule in ALERTS}


@pytest.mark.parametrize("rule", [*RECORDINGS, *ALERTS], ids=lambda rule: rule.get("record") or rule["alert"])
def test_rules_ask_only_for_metrics_that_exist(rule: dict[str, Any]) -> None:
    asked = metrics_of(rule["expr"])

    assert asked
    assert asked <= KNOWN
