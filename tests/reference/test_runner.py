import json
import sys
from enum import StrEnum
from types import ModuleType

import pytest

from tests.reference import runner

LEGAL = {"net": {"A": 2**63 - 1, "B": 1 - 2**63}, "system": {}, "facts": {"robs": 0, "spring": False, "left": [1, 2]}}
FAULTY = {"faults": [{"rule": "CM-6", "player": "A", "obligation": 3}]}


class Side(StrEnum):
    FARMER = "farmer"


@pytest.fixture
def parrot(monkeypatch):
    """A game whose adapter answers what the hand tells it to; ``raise`` makes it fail."""
    module = ModuleType("tests.reference.parrot")

    def judge_line(hand):
        if "raise" in hand:
            raise KeyError(hand["raise"])
        return hand["answer"]

    module.judge_line = judge_line
    monkeypatch.setitem(sys.modules, "tests.reference.parrot", module)


def line(answer, expect, **more):
    return json.dumps({"id": "p-1", "name": "a hand", "hand": {"game": "parrot", "answer": answer}, "expect": expect})


def fault(rule="CM-6", player="A", **place):
    return {"faults": [{"rule": rule, "player": player, **place}]}


@pytest.mark.parametrize(
    ("answer", "expect"),
    [
        pytest.param(LEGAL, LEGAL, id="the same hand"),
        pytest.param(LEGAL | {"steps": [1]}, LEGAL | {"steps": [2]}, id="steps are not compared"),
        pytest.param(LEGAL, {key: LEGAL[key] for key in ("net", "facts")}, id="no system expected"),
        pytest.param(FAULTY, FAULTY, id="the same fault"),
        pytest.param(fault(), fault(obligation=2), id="a place only one side gives"),
        pytest.param(fault("CM-1", "B", field="net"), fault("CM-1", None), id="of CM-1 only the rule counts"),
    ],
)
def test_a_right_expectation_agrees(parrot, answer, expect):
    assert runner.run_line(line(answer, expect), 1) is None


@pytest.mark.parametrize(
    ("answer", "expect"),
    [
        pytest.param(LEGAL, LEGAL | {"net": {"A": 2**63 - 2, "B": 2 - 2**63}}, id="an amount one off beyond 2^53"),
        pytest.param(LEGAL, LEGAL | {"system": {"system/penalties": 1}}, id="a system account"),
        pytest.param(LEGAL, LEGAL | {"facts": {"robs": False, "spring": False, "left": [1, 2]}}, id="false is not 0"),
        pytest.param(LEGAL, LEGAL | {"facts": {"robs": 0, "spring": False, "left": [2, 1]}}, id="order of a list"),
        pytest.param(LEGAL, LEGAL | {"facts": {"robs": 0, "spring": False}}, id="a fact too many"),
        pytest.param(LEGAL, LEGAL | {"facts": LEGAL["facts"] | {"how": None}}, id="a fact missing"),
        pytest.param(LEGAL, FAULTY, id="a legal hand that should be faulty"),
        pytest.param(FAULTY, LEGAL, id="a faulty hand that should be legal"),
        pytest.param(fault("CM-4"), fault("CM-6"), id="another rule"),
        pytest.param(fault(player=None), fault(), id="another player"),
        pytest.param(fault(obligation=1), fault(obligation=2), id="another place"),
        pytest.param(fault("CM-1", event=1), fault("CM-1", event=2), id="CM-1 at another event"),
        pytest.param({"faults": FAULTY["faults"] * 2}, FAULTY, id="a fault too many"),
        pytest.param({"faults": []}, FAULTY, id="no fault after all"),
    ],
)
def test_a_wrong_expectation_is_reported(parrot, answer, expect):
    disagreement = runner.run_line(line(answer, expect), 1)

    assert disagreement is not None
    assert disagreement.line == "p-1 a hand"
    assert disagreement.expected != disagreement.got


def test_a_disagreement_shows_only_what_differs(parrot):
    wrong = LEGAL | {"facts": LEGAL["facts"] | {"robs": 1}}

    disagreement = runner.run_line(line(LEGAL, wrong), 1)

    assert disagreement is not None
    assert disagreement.expected == '{"facts": {"robs": 1}}'
    assert disagreement.got == '{"facts": {"robs": 0}}'


def test_keys_and_enums_of_an_adapter_are_read_as_json_has_them():
    got = {"net": {}, "facts": {"idlers": {1: ("dou", 2)}, "winner": Side.FARMER}}
    expected = {"net": {}, "facts": {"idlers": {"1": ["dou", 2]}, "winner": "farmer"}}

    difference = runner.compare("parrot", expected, got)

    assert difference is None


@pytest.mark.parametrize("game", sorted(runner.SHEDDING_GAMES))
@pytest.mark.parametrize(
    ("got", "agrees"),
    [
        pytest.param([{"rule": "BB-7", "player": "B", "in": "plays", "action": 4}], True, id="the same play"),
        pytest.param([{"rule": "BB-7", "player": "B"}], True, id="no action reported"),
        pytest.param([{"rule": "BB-7", "player": "B", "action": 4}, {"rule": "BB-9"}], True, id="more faults after it"),
        pytest.param([{"rule": "BB-7", "player": "B", "action": 5}], False, id="another play"),
        pytest.param([{"rule": "BB-7", "player": "C", "action": 4}], False, id="another player"),
        pytest.param([{"rule": "BB-9"}, {"rule": "BB-7", "player": "B", "action": 4}], False, id="another first fault"),
        pytest.param([], False, id="no fault"),
    ],
)
def test_of_a_shedding_game_the_first_fault_counts(game, got, agrees):
    expected = {"faults": [{"rule": "BB-7", "in": "plays", "action": 4, "player": "B"}]}

    difference = runner.compare(game, expected, {"faults": got})

    assert (difference is None) is agrees


def test_of_a_shedding_game_the_seat_of_a_faulty_deal_is_not_compared():
    expected = {"faults": [{"rule": "DZ-1", "in": "deal", "action": 1, "player": "B"}]}
    got = {"faults": [{"rule": "DZ-1", "in": "deal", "action": 0, "player": "B"}]}

    assert runner.compare("er_ren_dou_di_zhu", expected, got) is None


@pytest.mark.parametrize(
    ("broken", "text"),
    [
        pytest.param(b"{", "no JSON", id="cut off"),
        pytest.param(b'{"id": "\xff"}', "no JSON", id="no UTF-8"),
        pytest.param(b'{"id": NaN}', "NaN is no number", id="NaN"),
        pytest.param(b"[" * 100_000, "no JSON", id="nested too deep"),
        pytest.param(b"[]", "no object", id="no object"),
        pytest.param(b'{"hand": {}}', "`expect`", id="no expectation"),
        pytest.param(b'{"expect": {}}', "`hand`", id="no hand"),
        pytest.param(b'{"hand": {}, "expect": {"net": {}}}', "neither", id="half an expectation"),
        pytest.param(b'{"hand": {}, "expect": {"faults": []}}', "empty", id="an expectation of no fault"),
        pytest.param(b'{"hand": {}, "expect": {"faults": [1]}}', "no list", id="a fault that is no object"),
        pytest.param(b'{"hand": {}, "expect": {"faults": [{}]}}', "unknown game None", id="no game"),
        pytest.param(b'{"hand": {"game": "mahjong"}, "expect": {"faults": [{}]}}', "unknown game", id="unknown game"),
        pytest.param(b'{"hand": {"game": "runner"}, "expect": {"faults": [{}]}}', "unknown game", id="no adapter"),
        pytest.param(b'{"hand": {"game": "../x"}, "expect": {"faults": [{}]}}', "unknown game", id="a path"),
        pytest.param(
            b'{"hand": {"game": "parrot", "raise": "seat"}, "expect": {"faults": [{}]}}', "KeyError", id="adapter fails"
        ),
        pytest.param(
            b'{"hand": {"game": "parrot", "answer": 1}, "expect": {"faults": [{}]}}', "no object", id="adapter mumbles"
        ),
    ],
)
def test_a_broken_line_is_a_disagreement_with_a_reason(parrot, broken, text):
    disagreement = runner.run_line(broken, 7)

    assert disagreement is not None
    assert disagreement.line == "line 7"
    assert text in disagreement.got


def test_an_adapter_that_lacks_a_module_says_which(monkeypatch):
    def import_module(name):
        raise ModuleNotFoundError("No module named 'abacus'", name="abacus")

    monkeypatch.setattr(runner.importlib, "import_module", import_module)

    with pytest.raises(runner.BrokenLineError, match="cannot be imported: No module named 'abacus'"):
        runner.adapter_of("parrot")


def test_a_number_with_a_fraction_never_becomes_a_float():
    read = runner.read_line('{"stake": 1.5, "silver": 9007199254740993}')

    assert str(read["stake"]) == "1.5"
    assert not isinstance(read["stake"], float)
    assert read["silver"] == 2**53 + 1


def test_a_file_is_counted_and_its_disagreements_printed(parrot, tmp_path, capsys):
    path = tmp_path / "hands.jsonl"
    path.write_text("\n".join([line(LEGAL, LEGAL), "", line(LEGAL, FAULTY), "{"]), encoding="utf-8")

    exit_code = runner.main([str(path)])

    assert exit_code == 1
    printed = capsys.readouterr().out.splitlines()
    assert printed[0] == f"{path}: 1 of 3 agree"
    assert printed[1] == "  p-1 a hand"
    assert printed[2].startswith('    expected {"faults": ')
    assert printed[3].startswith("    got      a legal hand, ")
    assert printed[4] == "  line 4"


def test_the_exit_code_is_0_when_all_files_agree(parrot, tmp_path, capsys):
    paths = [tmp_path / "a.jsonl", tmp_path / "b.jsonl"]
    for path in paths:
        path.write_text(line(LEGAL, LEGAL) + "\n", encoding="utf-8")

    exit_code = runner.main([str(path) for path in paths])

    assert exit_code == 0
    assert capsys.readouterr().out.splitlines() == [f"{path}: 1 of 1 agree" for path in paths]


@pytest.mark.parametrize("arguments", [[], ["--help"], ["no/such/file.jsonl"]], ids=["nothing", "option", "missing"])
def test_the_exit_code_is_2_with_usage_when_there_is_no_file_to_run(arguments, capsys):
    exit_code = runner.main(arguments)

    assert exit_code == 2
    assert runner.USAGE in capsys.readouterr().err


def test_a_file_without_a_line_agrees_with_nothing(tmp_path, capsys):
    empty = tmp_path / "cut-off.jsonl"
    empty.write_bytes(b"\n")

    code = runner.main([str(empty)])

    assert code == 1
    assert "0 of 0 agree" in capsys.readouterr().out
