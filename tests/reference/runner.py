"""Runs files of reference hands: every line is judged by its game's adapter and compared with what it expects.

A line is ``{"id", "name", "hand", "expect"}``; the adapter of ``hand["game"]`` is ``tests.reference.<game>`` with one
function ``judge_line(hand)`` that answers ``{"net", "system", "facts", …}`` or ``{"faults": […]}``. What is compared is
what the formats call "What to compare": amounts and facts to the last key, faults by rule, player and place.

A line that cannot be read or judged is a disagreement like any other, never the end of the run.
"""

import importlib
import json
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

USAGE = "usage: python -m tests.reference FILE…    (JSON lines of reference hands)"

SHEDDING_GAMES = frozenset({"ban_bian_tian_zha", "er_ren_dou_di_zhu"})
"""Games whose hands are judged up to the first fault: only the first one is compared."""

SHEDDING_ORDERS = frozenset({"bank", "auction", "plays"})
"""Fields of a record in which the index of the faulty action is compared too."""

PLACES = ("pot", "bet", "hand", "card", "obligation", "event", "field")
"""The finer places of a fault, compared where both sides give one."""

JudgeLine = Callable[[dict[str, Any]], dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Disagreement:
    """One line on which the house and the reference differ; ``expected`` and ``got`` hold only what differs."""

    line: str
    expected: str
    got: str


@dataclass(frozen=True, slots=True)
class Report:
    """What came of one file: how many lines it holds and where they disagree."""

    line_count: int
    disagreements: tuple[Disagreement, ...]

    @property
    def agreed_count(self) -> int:
        """How many lines agree."""
        return self.line_count - len(self.disagreements)


class BrokenLineError(Exception):
    """A line that is no reference hand, or that its adapter could not judge; the message says why."""


def main(arguments: Sequence[str]) -> int:
    """Run files and print what came of each.

    Returns:
        0 if every line of every file agrees, 1 if one does not or a file has none, 2 without a readable file.
    """
    if not arguments or any(argument.startswith("-") for argument in arguments):
        print(USAGE, file=sys.stderr)
        return 2

    exit_code = 0
    for argument in arguments:
        try:
            report = run_file(Path(argument))
        except OSError as error:
            print(f"{argument}: cannot be read: {error.strerror}\n{USAGE}", file=sys.stderr)
            return 2
        print(f"{argument}: {report.agreed_count} of {report.line_count} agree")
        for disagreement in report.disagreements:
            print(f"  {disagreement.line}")
            print(f"    expected {disagreement.expected}")
            print(f"    got      {disagreement.got}")
        if report.disagreements or not report.line_count:  # of an empty file, perhaps cut off, nothing was shown
            exit_code = 1
    return exit_code


def run_file(path: Path) -> Report:
    """Judge every line of a file; blank lines do not count.

    Raises:
        OSError: if the file cannot be read.
    """
    disagreements = []
    line_count = 0
    for number, line in enumerate(path.read_bytes().split(b"\n"), start=1):
        if line.strip():
            line_count += 1
            disagreement = run_line(line, number)
            if disagreement is not None:
                disagreements.append(disagreement)
    return Report(line_count, tuple(disagreements))


def run_line(line: bytes | str, number: int) -> Disagreement | None:
    """Judge one line; None if the house agrees with it. ``number`` names a line that has no id."""
    label = f"line {number}"
    try:
        read = read_line(line)
        label = " ".join([str(read[key]) for key in ("id", "name") if key in read]) or label
        hand, expected = hand_and_expectation(read)
        got = judge(hand)
    except BrokenLineError as broken:
        return Disagreement(label, "a line that can be judged", str(broken))

    difference = compare(str(hand["game"]), expected, got)
    return Disagreement(label, *difference) if difference else None


def read_line(line: bytes | str) -> dict[str, Any]:
    """A line as values. Integers stay exact whatever their size; a number with a fraction is read as a Decimal."""
    try:
        read = json.loads(line, parse_float=Decimal, parse_constant=refuse_constant)
    except (ValueError, RecursionError) as error:
        raise BrokenLineError(f"no JSON: {error}") from error
    if not isinstance(read, dict):
        raise BrokenLineError("a JSON value that is no object")
    return read


def refuse_constant(constant: str) -> None:
    """NaN and the infinities are no JSON."""
    raise ValueError(f"{constant} is no number")


def hand_and_expectation(read: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The two halves of a line."""
    for field in ("hand", "expect"):
        if not isinstance(read.get(field), dict):
            raise BrokenLineError(f"no object `{field}` in the line")
    hand, expected = read["hand"], read["expect"]
    if "faults" not in expected and not {"net", "facts"} <= expected.keys():
        raise BrokenLineError("`expect` names neither `net` and `facts` nor `faults`")
    if "faults" in expected and not is_list_of_objects(expected["faults"]):
        raise BrokenLineError("`expect.faults` is no list of objects, or an empty one")
    return hand, expected


def is_list_of_objects(faults: object) -> bool:
    """Whether an expectation lists at least one fault."""
    return isinstance(faults, list) and bool(faults) and all(isinstance(fault, dict) for fault in faults)


def judge(hand: dict[str, Any]) -> dict[str, Any]:
    """What the adapter of the hand's game says, in the vocabulary of JSON."""
    judge_line = adapter_of(hand.get("game"))
    try:
        answer = plain(judge_line(hand))
    except Exception as error:
        raise BrokenLineError(f"the adapter raised {type(error).__name__}: {error}") from error
    if not isinstance(answer, dict):
        raise BrokenLineError(f"the adapter answered {answer!r}, which is no object")
    return answer


def adapter_of(game: object) -> JudgeLine:
    """The ``judge_line`` of a game."""
    if not isinstance(game, str) or not re.fullmatch(r"[a-z]+(_[a-z]+)*", game):
        raise BrokenLineError(f"unknown game {game!r}")
    module_name = f"tests.reference.{game}"
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name == module_name:
            raise BrokenLineError(f"unknown game {game!r}") from error
        raise BrokenLineError(f"the adapter of {game} cannot be imported: {error}") from error
    judge_line: JudgeLine | None = getattr(module, "judge_line", None)
    if judge_line is None:
        raise BrokenLineError(f"unknown game {game!r}")
    return judge_line


def plain(value: object) -> object:
    """A value as JSON would give it back: keys are strings, tuples are lists, enum members their values."""
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, str):
        return str(value)
    return value


def compare(game: str, expected: dict[str, Any], got: dict[str, Any]) -> tuple[str, str] | None:
    """What differs between an expectation and an answer: both sides of it, or None if they agree."""
    expected, got = {key: plain(value) for key, value in expected.items()}, {key: plain(got[key]) for key in got}
    if "faults" in expected or "faults" in got:
        return compare_faults(game, expected, got)
    wanted, given = {}, {}
    for section in ("net", "system", "facts"):
        if section in expected and not is_same(expected[section], got.get(section)):
            wanted[section], given[section] = what_differs(expected[section], got.get(section))
    return (shown(wanted), shown(given)) if wanted else None


def compare_faults(game: str, expected: dict[str, Any], got: dict[str, Any]) -> tuple[str, str] | None:
    """Compare faults, where at least one side has some."""
    if "faults" not in expected or "faults" not in got:
        return summary(expected), summary(got)
    wanted, given = expected["faults"], got["faults"]
    if game in SHEDDING_GAMES:
        agree = bool(given) and is_same_shedding_fault(wanted[0], given[0])
    else:
        agree = len(wanted) == len(given) and all(map(is_same_table_fault, wanted, given))
    return None if agree else (summary(expected), summary(got))


def is_same_shedding_fault(wanted: dict[str, Any], given: dict[str, Any]) -> bool:
    """Rule and player, and the action where the order of actions matters and the house names one."""
    if not agrees_on(("rule", "player"), wanted, given):
        return False
    return wanted.get("in") not in SHEDDING_ORDERS or agrees_where_given("action", wanted, given)


def is_same_table_fault(wanted: dict[str, Any], given: dict[str, Any]) -> bool:
    """Rule and player, and every finer place that both sides give; of CM-1 only rule and event."""
    if wanted.get("rule") == "CM-1":
        return agrees_on(("rule",), wanted, given) and agrees_where_given("event", wanted, given)
    return agrees_on(("rule", "player"), wanted, given) and all(
        agrees_where_given(place, wanted, given) for place in PLACES
    )


def agrees_on(keys: Sequence[str], wanted: dict[str, Any], given: dict[str, Any]) -> bool:
    """Whether two faults give the same for every one of the keys; nothing and null are the same."""
    return all(is_same(wanted.get(key), given.get(key)) for key in keys)


def agrees_where_given(key: str, wanted: dict[str, Any], given: dict[str, Any]) -> bool:
    """Whether two faults give the same place, or one of them gives none."""
    return wanted.get(key) is None or given.get(key) is None or is_same(wanted[key], given[key])


def is_same(one: object, other: object) -> bool:
    """Equality as JSON has it: ``true`` is not 1, and the order of keys does not matter."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(is_same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(is_same, one, other))
    return type(one) is type(other) and one == other


def what_differs(one: object, other: object) -> tuple[object, object]:
    """Both sides without the keys on which they agree."""
    if not isinstance(one, dict) or not isinstance(other, dict):
        return one, other
    keys = [key for key in {**one, **other} if key not in one or key not in other or not is_same(one[key], other[key])]
    parts = {key: what_differs(one[key], other[key]) for key in keys if key in one and key in other}
    left = {key: parts[key][0] if key in parts else one[key] for key in keys if key in one}
    right = {key: parts[key][1] if key in parts else other[key] for key in keys if key in other}
    return left, right


def summary(side: dict[str, Any]) -> str:
    """One side of a disagreement about legality: its faults, or its net amounts."""
    if "faults" in side:
        return shown({"faults": side["faults"]})
    return f"a legal hand, {shown({'net': side.get('net')})}"


def shown(value: object) -> str:
    """A value as one line of JSON, Chinese left readable."""
    return json.dumps(value, ensure_ascii=False, default=str)
