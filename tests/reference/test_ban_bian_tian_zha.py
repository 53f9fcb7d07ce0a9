"""Reference hands of 半邊天炸: our own always, the given ones where they are at hand; and what only JSON can say."""

import json
from pathlib import Path

import pytest

from tests.reference.ban_bian_tian_zha import judge_line
from tests.reference.runner import run_file

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "tests" / "golden" / "ban_bian_tian_zha.jsonl"
VECTORS = sorted((ROOT.parent / "shared" / "vectors").glob("ban_bian_tian_zha.*.jsonl"))


@pytest.mark.parametrize("path", [GOLDEN, *VECTORS], ids=lambda path: path.name)
def test_every_reference_hand_is_judged_as_it_says(path):
    lines = [line for line in path.read_text().splitlines() if line]

    report = run_file(path)

    assert report.disagreements == ()
    assert report.line_count == len(lines)


def lines():
    return [json.loads(line) for line in GOLDEN.read_text().splitlines()]


def test_every_golden_hand_names_its_source_and_explains_itself():
    golden = lines()

    assert len(golden) >= 25
    for line in golden:
        answer = judge_line(line["hand"])
        assert line["source"]
        assert answer.get("steps") == line["expect"].get("steps"), line["id"]


LEGAL = next(line["hand"] for line in lines() if "net" in line["expect"] and line["hand"]["plays"])


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        pytest.param({"rules": {"blitz": True}}, ("CM-4", "rules", "blitz"), id="a house rule nobody knows"),
        pytest.param({"rules": {"first_lead": "DEALER"}}, ("CM-4", "rules", "first_lead"), id="an unknown value"),
        pytest.param({"rules": {"first_lead": None}}, ("CM-4", "rules", "first_lead"), id="null"),
        pytest.param({"rules": {"first_lead": "UNSPECIFIED"}}, ("CM-4", "rules", "first_lead"), id="unspecified"),
        pytest.param({"rules": {"kai_da_factor": 2**70}}, ("CM-4", "rules", "kai_da_factor"), id="beyond int64"),
        pytest.param({"rules": {"kai_da_factor": True}}, ("CM-4", "rules", "kai_da_factor"), id="a bool for a number"),
        pytest.param(
            {"rules": {"surrender_counts_chui": 1}},
            ("CM-4", "rules", "surrender_counts_chui"),
            id="a number for a bool",
        ),
        pytest.param({"stake": 0}, ("CM-9", "stake", "stake"), id="no stake"),
        pytest.param({"stake": "1"}, ("CM-9", "stake", "stake"), id="a text for the stake"),
        pytest.param({"stake": 2**70}, ("CM-1", "stake", None), id="a stake beyond int64"),
        pytest.param({"stake": 2**70, "rules": {"blitz": 1}}, ("CM-4", "rules", "blitz"), id="amounts come last"),
        pytest.param({"stake": 0, "rules": {"blitz": 1}}, ("CM-9", "stake", "stake"), id="the stake comes first"),
        pytest.param({"chui": [True, None, True]}, ("BB-2", "chui", None), id="a chui not said"),
        pytest.param({"bank": [[2**40, "pass"]]}, ("BB-3", "bank", None), id="a seat beyond the wire's numbers"),
        pytest.param({"bank": [[0, "mine"]]}, ("BB-3", "bank", None), id="a word nobody knows"),
    ],
)
def test_cm_5__what_only_json_can_say_is_a_fault_at_its_place(changes, expected):
    hand = {**LEGAL, **changes}

    faults = judge_line(hand)["faults"]

    assert (faults[0]["rule"], faults[0]["in"], faults[0].get("field")) == expected
