"""Rooms stay readable: files and functions of a size to take in, and nothing that does not belong there."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LINES_MAX = 300
FUNCTION_LINES_MAX = 50

LONG_FUNCTIONS_FOR_A_REASON = {"upgrade": "a migration lists whole tables"}

NAMES_THAT_SAY_NOTHING = {"utils", "util", "helpers", "helper", "common", "base", "manager", "misc"}

ROOMS = [path for path in sorted((ROOT / "service" / "zhangfang").rglob("*.py")) if "wire" not in path.parts]
TEXTS = [
    path
    for folder in ("service", "tests", "protos", "docs", "deploy")
    for path in sorted((ROOT / folder).rglob("*"))
    if path.suffix in {".py", ".md", ".proto", ".yml", ".yaml", ".json", ".mjs"}
    and "node_modules" not in path.parts
    and path != Path(__file__)
]

OF_ONE_MACHINE = re.compile(r"(?<![\w.])/(work|home|root|tmp)/\w")
POSTPONED = re.compile(r"\b(TODO|FIXME|XXX)\b")
PASSED_OVER = re.compile(r"pytest\.(skip|xfail)|mark\.(skip|skipif|xfail)|(time|asyncio)\.sleep\(|unittest\.mock")


def functions(path: Path) -> Iterator[tuple[str, int]]:
    """Each function of a file with its number of lines, those of its parameters not counted."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name, (node.end_lineno or 0) - node.body[0].lineno + 1


def test_there_are_rooms_and_texts_to_look_at() -> None:
    assert len(ROOMS) > 100
    assert len(TEXTS) > len(ROOMS)


def test_no_file_is_longer_than_one_takes_in() -> None:
    lengths = {path.name: path.read_text(encoding="utf-8").count("\n") for path in ROOMS}

    assert not {name for name, length in lengths.items() if length > LINES_MAX}


def test_no_function_is_longer_than_a_screen() -> None:
    long = {name for path in ROOMS for name, length in functions(path) if length > FUNCTION_LINES_MAX}

    assert long == set(LONG_FUNCTIONS_FOR_A_REASON)


def test_every_room_has_a_name_that_says_what_is_in_it() -> None:
    assert not [path for path in ROOMS if path.stem in NAMES_THAT_SAY_NOTHING]


@pytest.mark.parametrize("pattern", [OF_ONE_MACHINE, POSTPONED], ids=["paths of one machine", "postponed"])
def test_nothing_is_of_one_machine_or_postponed(pattern: re.Pattern[str]) -> None:
    assert not [path for path in TEXTS if pattern.search(path.read_text(encoding="utf-8"))]


def test_no_test_is_passed_over_waits_or_pretends() -> None:
    tests = [path for path in TEXTS if "tests" in path.relative_to(ROOT).parts]

    assert not [path for path in tests if PASSED_OVER.search(path.read_text(encoding="utf-8"))]
