"""Commands on the store itself: migrated, exported, imported, rebuilt, judged again, proven by a receipt."""

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from tests.dealer import Dealer
from tests.samples import SAMPLES
from tests.serving import RunningServer
from zhangfang.cli.application import application

OnStore = Callable[..., Result]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A store in which a hand of each game was settled, and which nobody serves."""
    path = tmp_path / "zhangfang.db"
    with RunningServer(f"sqlite:///{path}") as server:
        for samples in SAMPLES.values():
            Dealer(server).settle(samples[0])
    return path


def on_store(path: Path, *arguments: str, stdin: str | None = None) -> Result:
    """The program on one store."""
    environment = {"ZHANGFANG_DATABASE_URL": f"sqlite:///{path}"}
    return CliRunner().invoke(application, list(arguments), input=stdin, env=environment, catch_exceptions=False)


def test_a_new_store_is_migrated_once(tmp_path: Path) -> None:
    first = on_store(tmp_path / "new.db", "migrate")
    second = on_store(tmp_path / "new.db", "migrate")
    as_json = on_store(tmp_path / "new.db", "migrate", "--json")

    assert [each.exit_code for each in (first, second, as_json)] == [0, 0, 0]
    assert first.stdout.startswith("schema none → ")
    assert second.stdout.endswith("nothing to do\n")
    assert json.loads(as_json.stdout)["before"] == json.loads(as_json.stdout)["after"]


@pytest.mark.parametrize("command", ["rebuild", "rejudge", "export", "check-receipt 1:00"])
@pytest.mark.parametrize("name", ["typo.db", "new/folder/typo.db"])
def test_a_store_that_is_not_there_is_refused_and_not_made(command: str, name: str, tmp_path: Path) -> None:
    result = on_store(tmp_path / name, *command.split())

    assert result.exit_code == 2
    assert result.stderr == f"store: there is no file {tmp_path / name}; the database URL says where the store is\n"
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("command", ["rebuild", "rejudge", "export"])
def test_a_store_without_a_schema_is_refused_with_what_to_do(command: str, tmp_path: Path) -> None:
    (tmp_path / "new.db").touch()

    result = on_store(tmp_path / "new.db", command)

    assert result.exit_code == 2
    assert "run `zhangfang migrate`" in result.stderr


def test_an_export_read_into_an_empty_store_has_the_same_receipt(path: Path, tmp_path: Path) -> None:
    exported = on_store(path, "export", str(tmp_path / "log.jsonl"))
    imported = on_store(tmp_path / "copy.db", "import", str(tmp_path / "log.jsonl"))
    receipt = imported.stdout.split()[-1]
    checked = on_store(path, "check-receipt", receipt)

    assert [each.exit_code for each in (exported, imported, checked)] == [0, 0, 0]
    assert "still begins with" in checked.stdout
    assert not (tmp_path / "log.jsonl.partial").exists()


def test_an_export_goes_through_pipes_too(path: Path, tmp_path: Path) -> None:
    exported = on_store(path, "export")
    imported = on_store(tmp_path / "copy.db", "import", "-", "--json", stdin=exported.stdout)

    assert imported.exit_code == 0
    assert json.loads(imported.stdout)["receipt"]


@pytest.mark.parametrize(("written_as", "word"), [("hledger", "commodity"), ("beancount", "operating_currency")])
def test_an_export_can_be_a_ledger_of_another_program(written_as: str, word: str, path: Path) -> None:
    exported = on_store(path, "export", "--format", written_as)
    from_the_middle = on_store(path, "export", "--format", written_as, "--from-position", "2")

    assert exported.exit_code == 0
    assert word in exported.stdout
    assert from_the_middle.exit_code == 2


def test_an_import_into_a_store_in_use_is_refused(path: Path, tmp_path: Path) -> None:
    on_store(path, "export", str(tmp_path / "log.jsonl"))

    result = on_store(path, "import", str(tmp_path / "log.jsonl"))

    assert result.exit_code == 1
    assert result.stderr.startswith("import refused: ")


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(("export", "--from-position", "9999"), id="beyond the log"),
        pytest.param(("export", "no/such/folder/log.jsonl"), id="no folder"),
        pytest.param(("import", "nowhere.jsonl"), id="no file"),
        pytest.param(("check-receipt", "17"), id="no receipt"),
    ],
)
def test_what_cannot_be_done_is_a_usage_error(arguments: tuple[str, ...], path: Path) -> None:
    result = on_store(path, *arguments)

    assert result.exit_code == 2
    assert result.stderr.startswith("usage: ")


def test_an_import_that_is_not_utf_8_is_refused(tmp_path: Path) -> None:
    (tmp_path / "log.jsonl").write_bytes(b"\xff\n")

    result = on_store(tmp_path / "copy.db", "import", str(tmp_path / "log.jsonl"))

    assert result.exit_code == 1
    assert "is not UTF-8" in result.stderr


def test_a_receipt_that_does_not_fit_is_told(path: Path) -> None:
    result = on_store(path, "check-receipt", f"1:{'00' * 32}")
    as_json = on_store(path, "check-receipt", f"1:{'00' * 32}", "--json")

    assert (result.exit_code, as_json.exit_code) == (1, 1)
    assert result.stderr.startswith("unsound: position 1: ")
    assert json.loads(as_json.stdout)["is_sound"] is False


def test_a_rebuild_says_what_differed_and_makes_it_right(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE accounts SET credits = credits + 1 WHERE account = 'system/cash'")
    connection.close()

    first = on_store(path, "rebuild")
    second = on_store(path, "rebuild", "--json")

    assert (first.exit_code, second.exit_code) == (0, 0)
    assert "system/cash" in first.stdout
    assert json.loads(second.stdout)["discrepancies"] == []


def test_hands_judged_again_by_the_same_code_do_not_differ(path: Path) -> None:
    result = on_store(path, "rejudge")
    as_json = on_store(path, "rejudge", "--json")

    assert (result.exit_code, result.stdout) == (0, "4 hands judged again, 0 differ\n")
    assert json.loads(as_json.stdout) == {"hand_count": 4, "different_count": 0}
