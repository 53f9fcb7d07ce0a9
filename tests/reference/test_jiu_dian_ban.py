"""All reference hands of 九點半: our own golden ones, and the shared ones where they are at hand."""

from pathlib import Path

import pytest

from tests.reference.runner import run_file

ROOT = Path(__file__).parents[2]
FILES = [ROOT / "tests/golden/jiu_dian_ban.jsonl", *sorted((ROOT / "../shared/vectors").glob("jiu_dian_ban.*.jsonl"))]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_the_house_agrees_with_every_line(path):
    report = run_file(path)

    assert report.line_count > 0
    assert report.disagreements == ()
