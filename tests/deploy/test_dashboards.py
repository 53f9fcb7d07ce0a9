"""The dashboards: written by code, committed, and readable."""

import json
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from deploy.grafana import board
from deploy.grafana.dashboards import BOARDS, FOLDER, write_dashboard

from tests.deploy.monitoring import DEPLOY, read_yaml
from tests.deploy.test_rules import KNOWN, metrics_of

UNITS = {
    board.SECONDS,
    board.PER_SECOND,
    board.SHARE,
    board.COUNT,
    board.SILVER,
    board.BYTES,
    board.AGE,
}
PANELS = [
    pytest.param(panel, id=f"{name}: {panel['title']}")
    for name in BOARDS
    for panel in BOARDS[name].write()["panels"]
    if panel["type"] != "row"
]


@pytest.mark.parametrize("name", BOARDS)
def test_the_committed_file_is_what_the_code_writes(name: str) -> None:
    committed = (FOLDER / f"{name}.json").read_text(encoding="utf-8")

    assert committed == write_dashboard(BOARDS[name]), "run: make dashboards"


def test_there_is_no_other_file() -> None:
    assert {path.stem for path in FOLDER.iterdir()} == set(BOARDS)


@pytest.mark.parametrize("panel", PANELS)
def test_every_panel_says_what_it_tells_in_which_unit(panel: dict[str, Any]) -> None:
    assert panel["title"]
    assert panel["description"].endswith(".")
    assert panel["fieldConfig"]["defaults"]["unit"] in UNITS
    assert panel["datasource"]["uid"] == "${datasource}"
    assert all(target["legendFormat"] for target in panel["targets"])


@pytest.mark.parametrize("panel", PANELS)
def test_panels_ask_only_for_metrics_that_exist(panel: dict[str, Any]) -> None:
    for target in panel["targets"]:
        asked = metrics_of(target["expr"])

        assert asked
        assert asked <= KNOWN


@pytest.mark.parametrize("name", BOARDS)
def test_panels_have_numbers_of_their_own_and_do_not_lie_on_each_other(name: str) -> None:
    panels = BOARDS[name].write()["panels"]

    assert len({panel["id"] for panel in panels}) == len(panels)
    places = [panel["gridPos"] for panel in panels]
    assert all(place["x"] + place["w"] <= board.COLUMNS for place in places)
    assert not any(overlap(one, other) for one, other in combinations(places, 2))


def overlap(one: dict[str, int], other: dict[str, int]) -> bool:
    """Whether two places share a square."""
    return (
        one["x"] < other["x"] + other["w"]
        and other["x"] < one["x"] + one["w"]
        and one["y"] < other["y"] + other["h"]
        and other["y"] < one["y"] + one["h"]
    )


@pytest.mark.parametrize("name", BOARDS)
def test_names_of_variables_are_all_defined(name: str) -> None:
    dashboard = BOARDS[name].write()
    defined = {variable["name"] for variable in dashboard["templating"]["list"]}

    text = json.dumps(dashboard)
    for variable in ("instance", "game"):
        assert (f"${variable}" in text) == (variable in defined)


def test_uids_and_titles_are_unique() -> None:
    dashboards = [each.write() for each in BOARDS.values()]

    assert len({each["uid"] for each in dashboards}) == len(dashboards)
    assert len({each["title"] for each in dashboards}) == len(dashboards)


def test_grafana_is_told_where_to_ask_and_what_to_load() -> None:
    provisioning = DEPLOY / "grafana" / "provisioning"
    source = read_yaml(provisioning / "datasources" / "prometheus.yml")["datasources"][0]
    provider = read_yaml(provisioning / "dashboards" / "zhangfang.yml")["providers"][0]
    scraped = read_yaml(DEPLOY / "prometheus" / "prometheus.yml")["global"]["scrape_interval"]

    assert source["type"] == "prometheus"
    assert source["jsonData"]["timeInterval"] == scraped
    mounts = read_yaml(DEPLOY / "compose.yaml")["services"]["grafana"]["volumes"]
    assert f"./grafana/dashboards:{provider['options']['path']}:ro" in mounts
    assert Path(provider["options"]["path"]).is_absolute()
