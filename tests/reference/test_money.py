from pathlib import Path

import pytest

from tests.reference.money import judge_line
from tests.reference.runner import run_file

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "tests" / "golden" / "money.jsonl"
VECTORS = sorted((ROOT / ".." / "shared" / "vectors").glob("money.*.jsonl"))


@pytest.mark.parametrize("path", [GOLDEN, *VECTORS], ids=lambda path: path.name)
def test_the_house_agrees_with_every_reference_hand(path):
    report = run_file(path)

    assert report.line_count > 0
    assert report.disagreements == ()


def line(**changes):
    hand = {"game": "money", "seats": ["A", "B"], "balances": {"A": 9, "B": 9}, "obligations": [["A", "B", 1]]}
    return {name: value for name, value in (hand | changes).items() if value is not None}


@pytest.mark.parametrize(
    ("hand", "rule", "field"),
    [
        pytest.param(line(kind="wallet"), "CM-4", "kind", id="unknown kind"),
        pytest.param(line(tip=5), "CM-4", "tip", id="unknown setting"),
        pytest.param(line(shortfall="FORGIVE"), "CM-4", "shortfall", id="unknown policy"),
        pytest.param(line(shortfall=["OWE"]), "CM-4", "shortfall", id="a list of policies"),
        pytest.param(line(ended="LATE"), "CM-4", "ended", id="unknown ending"),
        pytest.param(line(titles="poker"), "CM-4", "titles", id="unknown titles"),
        pytest.param(line(points_per_win="DOUBLE"), "CM-4", "points_per_win", id="unknown points"),
        pytest.param(line(table_fee="5"), "CM-4", "table_fee", id="a fee in quotes"),
        pytest.param(line(rake_per_mille=True), "CM-4", "rake_per_mille", id="a rake of true"),
        pytest.param(line(balances={"A": 2**63}), "CM-1", None, id="a balance that is no int64"),
        pytest.param(line(obligations=[["A", "B", True]]), "CM-1", None, id="an obligation of true"),
        pytest.param(line(obligations=[["A", "B", 2**63]]), "CM-1", None, id="an obligation that is no int64"),
        pytest.param(
            line(titles="bi_ji", level_points={"B": 2**63 - 1}), "CM-1", None, id="level points that are no int64"
        ),
        pytest.param(line(kind="stake", stake=2**63), "CM-1", None, id="a stake that is no int64"),
        pytest.param(line(kind="stake", stake_mode="BY_LUCK"), "CM-4", "stake_mode", id="unknown stake mode"),
        pytest.param(line(kind="stake", stake_mode="BY_WEALTH"), "CM-9", "stake_mode", id="no titles to go by"),
        pytest.param(line(kind="ledger", events=[], table_fee=-1), "CM-4", "table_fee", id="a faulty ledger"),
        pytest.param(line(kind="ledger", events=[{"event": "tip"}]), "CM-4", "event", id="unknown event"),
    ],
)
def test_what_no_typed_message_can_hold_is_a_fault(hand, rule, field):
    faults = judge_line(hand)["faults"]

    assert [(fault["rule"], fault["field"]) for fault in faults] == [(rule, field)]
