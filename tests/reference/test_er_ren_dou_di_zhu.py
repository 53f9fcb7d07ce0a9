"""All reference hands of 二人鬥地主: our own golden ones, the shared ones where they are at hand, and odd records."""

from pathlib import Path
from typing import Any

import pytest

from tests.reference.er_ren_dou_di_zhu import judge_line
from tests.reference.runner import run_file

ROOT = Path(__file__).parents[2]
GAME = "er_ren_dou_di_zhu"
FILES = [ROOT / f"tests/golden/{GAME}.jsonl", *sorted((ROOT / "../shared/vectors").glob(f"{GAME}.*.jsonl"))]

HAND: dict[str, Any] = {
    "game": GAME,
    "stake": 1,
    "rules": {},
    "players": ["A", "B"],
    "deal": [
        "5s 5h 5c 6s 6h 6c 7s 8s 9s Ts Js Qs Ks As 2s 2h w",
        "5d 6d 7h 7d 8h 8d 9h 9d Th Td Jh Jd Qh Qd Kh Kd W",
    ],
    "bottom": "2c 2d Ad",
    "call_card": "5s",
    "auction": [[0, "call"], [1, "decline"]],
    "rang_xian": False,
    "plays": [],
    "escape": {"seat": 1},
}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_the_house_agrees_with_every_line(path: Path) -> None:
    report = run_file(path)

    assert report.line_count > 0
    assert report.disagreements == ()


@pytest.mark.parametrize(
    ("changes", "rule", "field"),
    [
        pytest.param({"stake": 2**63}, "CM-1", "stake", id="stake_beyond_int64"),
        pytest.param({"stake": -(2**63) - 1}, "CM-9", "stake", id="stake_far_below_nothing"),
        pytest.param({"stake": "5"}, "CM-9", "stake", id="stake_in_words"),
        pytest.param({"stake": True}, "CM-9", "stake", id="stake_true"),
        pytest.param({"rules": {"no_such_rule": 1}}, "CM-4", "no_such_rule", id="unknown_rule"),
        pytest.param({"rules": {"bomb_factor": "2"}}, "CM-4", "bomb_factor", id="bomb_factor_in_words"),
        pytest.param({"rules": {"bomb_factor": True}}, "CM-4", "bomb_factor", id="bomb_factor_true"),
        pytest.param({"rules": {"call_rang_pai": 2**63}}, "CM-4", "call_rang_pai", id="rang_pai_beyond_int64"),
        pytest.param({"rules": {"call_rang_pai": None}}, "CM-4", "call_rang_pai", id="rang_pai_null"),
        pytest.param({"rules": {"distinct_single_wings": 1}}, "CM-4", "distinct_single_wings", id="wings_one"),
        pytest.param({"rules": {"rob_multipliers": []}}, "CM-4", "rob_multipliers", id="no_multipliers"),
        pytest.param({"rules": {"rob_multipliers": [1, 2, 4]}}, "CM-4", "rob_multipliers", id="three_multipliers"),
        pytest.param({"rules": {"rob_multipliers": [1, 2, 4, 5, "6"]}}, "CM-4", "rob_multipliers", id="one_in_words"),
        pytest.param(
            {"rules": {"rob_multipliers": [1, 2, 4, 5, 2**63]}}, "CM-4", "rob_multipliers", id="one_too_large"
        ),
        pytest.param({"auction": [[0, "shout"]]}, "DZ-3", None, id="unknown_word"),
        pytest.param({"auction": [[0, "call"], [1, "shout"]]}, "DZ-4", None, id="unknown_word_after_the_call"),
        pytest.param({"auction": [[2**40, "call"]]}, "DZ-2", None, id="seat_beyond_int32"),
        pytest.param({"plays": [["A", "5s"]]}, "DZ-6", None, id="seat_in_words"),
        pytest.param({"escape": {"seat": 2}}, "DZ-30", None, id="a_third_seat_escapes"),
        pytest.param({"call_card": None}, "DZ-2", None, id="no_call_card"),
        pytest.param({"deal": []}, "DZ-1", None, id="no_deal"),
    ],
)
def test_what_a_message_cannot_say_is_the_fault_it_would_be(
    changes: dict[str, Any], rule: str, field: str | None
) -> None:
    faults = judge_line({**HAND, **changes})["faults"]

    assert [(fault["rule"], fault["field"]) for fault in faults] == [(rule, field)]


def test_the_faults_of_settings_stand_before_those_of_cards_and_choices() -> None:
    broken = {"stake": 2**63, "rules": {"bomb_factor": 9, "nope": 1}, "auction": [[0, "rob"]]}

    faults = judge_line({**HAND, **broken})["faults"]

    assert [fault["rule"] for fault in faults] == ["CM-1", "CM-4", "CM-4", "DZ-3"]


def test_an_amount_is_not_asked_for_when_the_multipliers_are_unreadable() -> None:
    broken = {"stake": 2**63 - 1, "rules": {"nope": 1}}

    faults = judge_line({**HAND, **broken})["faults"]

    assert [fault["rule"] for fault in faults] == ["CM-4"]
