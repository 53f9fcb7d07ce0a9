import json
from random import Random

import pytest
from typer.testing import CliRunner

from zhangfang.bench.figures import Figures, percentile, quotient
from zhangfang.bench.hands import GAMES, PLAYER_COUNTS, make_hand, make_hands, player_names
from zhangfang.bench.targets import TARGETS, outcomes
from zhangfang.cli.application import application
from zhangfang.rules.verdict import Ended

SECTIONS = ["judge", "writer", "unary", "stream", "replay", "growth", "soak"]


@pytest.fixture(scope="module")
def quick_run(tmp_path_factory):
    path = tmp_path_factory.mktemp("bench") / "run.json"
    ran = CliRunner().invoke(application, ["bench", "--quick", "--seed", "7", "--json", str(path)])
    assert ran.exit_code == 0, ran.output
    return ran.output, json.loads(path.read_text(encoding="utf-8"))


def test_a_quick_run_measures_everything_and_tells_what_it_measured(quick_run):
    _, run = quick_run

    about = run["about"]

    assert about["seed"] == 7
    assert about["sections"] == SECTIONS
    assert about["durability"] == {
        "sqlite": "WAL, synchronous=FULL",
        "postgresql": "fsync=on, synchronous_commit=on",
    }
    assert {"cores", "architecture", "python", "sqlite", "postgresql"} <= about["machine"].keys()
    assert {figure["name"].partition(".")[0] for figure in run["figures"]} == set(SECTIONS)
    for figure in run["figures"]:
        assert figure.keys() == {"name", "unit", "median", "rounds"}
        assert min(figure["rounds"]) <= figure["median"] <= max(figure["rounds"])


def test_a_quick_run_weighs_every_target_whose_figures_it_has(quick_run):
    _, run = quick_run

    weighed = {target["text"] for target in run["targets"]}

    without_poker = {target.text for target in TARGETS if "pokerkit" not in target.over}
    assert weighed - {target.text for target in TARGETS} == set()
    assert without_poker <= weighed


def test_a_quick_run_prints_figures_and_targets(quick_run):
    output, _ = quick_run

    for section in SECTIONS:
        assert section in output
    assert "targets" in output


def test_memory_stays_flat_while_thousands_of_hands_are_settled(quick_run):
    _, run = quick_run
    memory = next(figure["rounds"] for figure in run["figures"] if figure["name"] == "soak.memory")

    assert memory[-1] < 1.5 * memory[0] + 50


@pytest.mark.parametrize("game", GAMES)
def test_made_hands_are_legal_and_the_same_for_the_same_seed(game):
    hands = make_hands(game, 3, 20)

    verdicts = [GAMES[game].judge(hand, GAMES[game].house_rules(), 1, {}) for hand in hands]

    assert [verdict.ended for verdict in verdicts] == [Ended.NORMAL] * 20
    assert make_hands(game, 3, 20) == hands
    assert make_hands(game, 4, 20) != hands


def test_a_hand_is_made_of_the_players_that_are_named():
    players = player_names(0, PLAYER_COUNTS["bi_ji"])

    hand = make_hand("bi_ji", Random(1), players)  # noqa: S311 - a hand for a test

    assert hand.players == players


def test_an_unknown_section_is_refused():
    ran = CliRunner().invoke(application, ["bench", "weather"])

    assert ran.exit_code == 2
    assert "weather" in ran.output


def test_a_quotient_pairs_the_rounds_of_two_figures():
    figures = Figures()
    for over, under in ((10, 1), (60, 10), (8, 2)):
        figures.add("a.over", "x", over)
        figures.add("a.under", "x", under)

    ratio = quotient(figures.get("a.over"), figures.get("a.under"))

    assert ratio == 6
    assert outcomes(figures) == []


def test_a_quotient_of_unequal_rounds_is_that_of_the_medians():
    figures = Figures()
    for value in (10, 20, 30):
        figures.add("a.over", "x", value)
    figures.add("a.under", "x", 5)

    assert quotient(figures.get("a.over"), figures.get("a.under")) == 4


def test_a_percentile_is_a_value_that_was_measured():
    values = [5.0, 1.0, 4.0, 2.0, 3.0]

    assert [percentile(values, percent) for percent in (0, 50, 99)] == [1.0, 3.0, 5.0]
