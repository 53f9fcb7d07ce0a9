"""The tour of each README is taken as it is printed: what a newcomer types there works."""

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.serving import RunningServer
from zhangfang.cli.application import application

READMES = sorted(Path(__file__).parents[2].glob("README*.md"))


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


def commands(text: str) -> list[list[str]]:
    """What the tour types, in its order, without what it says after a #."""
    lines = [line for block in blocks(text, "sh") for line in block.splitlines()]
    typed = [shlex.split(part, comments=True) for line in lines for part in line.split("&&")]
    return [words[1:] for words in typed if words and words[0] == "zhangfang"]


@pytest.mark.parametrize("readme", READMES, ids=lambda path: path.name)
def test_every_command_of_the_tour_is_done(readme: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = readme.read_text(encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    Path("hand.json").write_text(blocks(text, "json")[0], encoding="utf-8")

    with RunningServer() as fresh:
        environment = {"ZHANGFANG_TARGET": fresh.target, "COLUMNS": "200"}
        results = [(words, CliRunner().invoke(application, words, env=environment)) for words in commands(text)]

    assert len(results) >= 10
    assert [(words, result.stderr) for words, result in results if result.exit_code] == []
