"""The stand-alone verifier: one file, nothing but Python, and it finds what was done to an export."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy import select

from tests.audit.findings import ODD, stored_rows
from tests.audit.test_export import FAULTS, Lines, chained_again, exported, raise_balance, with_body, written
from zhangfang.audit.export import export_log
from zhangfang.audit.receipts import Receipt, head
from zhangfang.store.database import Database
from zhangfang.store.schema import accounts

PROGRAM = Path(__file__).parents[2] / "deploy" / "verify_export.py"


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """The one file, alone in a folder."""
    folder = tmp_path / "alone"
    folder.mkdir()
    return Path(shutil.copy(PROGRAM, folder))


def run(program: Path, lines: list[str], *arguments: str) -> tuple[int, str]:
    """Exit code and what it printed; ``-I -S`` leave nothing to import but the standard library."""
    (program.parent / "log.jsonl").write_text("".join(lines), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-X", "utf8", program.name, "log.jsonl", *arguments],
        cwd=program.parent,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.stderr == ""
    return done.returncode, done.stdout


def test_a_sound_export_is_sound_and_ends_with_the_receipt_of_the_log(played, program):
    assert run(program, list(export_log(played))) == (0, f"sound: {head(played)}\n")


def test_balances_are_added_up_from_the_stored_bytes(played_sqlite, program):
    with played_sqlite.read() as connection:
        query = select(accounts.c.account, accounts.c.balance).where(accounts.c.debits + accounts.c.credits > 0)
        silver = {row.account: row.balance for row in connection.execute(query)}

    code, text = run(program, list(export_log(played_sqlite)), "--balances")

    assert code == 0
    told = [line.lstrip().split("  ", 1) for line in text.splitlines()[1:]]
    assert {account: int(balance) for balance, account in told} == silver


def test_a_part_of_a_log_is_checked_from_where_it_begins(played_sqlite, program):
    for first in (2, ODD, len(stored_rows(played_sqlite)) + 1):
        assert run(program, list(export_log(played_sqlite, first))) == (0, f"sound: {head(played_sqlite)}\n")


def test_an_empty_log_is_sound(database, program):
    assert run(program, list(export_log(database))) == (0, f"sound: {Receipt(0, bytes(32))}\n")


@pytest.mark.parametrize("name", FAULTS)
def test_whatever_an_import_refuses_it_refuses_too(played_sqlite, program, name):
    lines = [line + "\n" for line in written(FAULTS[name][0](exported(played_sqlite)))]

    code, text = run(program, lines)

    assert code == 1
    assert text.startswith("NOT SOUND: ")


def lie_in_the_json(lines: Lines) -> Lines:
    lines[2]["body"]["postings"][0]["balanceAfter"] = "1"
    return lines


@pytest.mark.parametrize(
    ("edit", "text"),
    [
        pytest.param(lie_in_the_json, "position 2: the JSON tells other postings", id="json"),
        pytest.param(
            lambda lines: chained_again(with_body(raise_balance)(lines)), "position 2: the balance of", id="balance"
        ),
        pytest.param(
            lambda lines: chained_again(with_body(lambda message: message.postings[0].ClearField("amount"))(lines)),
            "position 2: the postings sum to -",
            id="amount",
        ),
        pytest.param(lambda lines: lines[:ODD] + lines[ODD + 1 :], f"position {ODD}: the next event", id="removed"),
        pytest.param(lambda lines: lines[:-3], "the export ends before what its header promises", id="truncated"),
    ],
)
def test_what_is_wrong_is_named_with_its_position(played_sqlite, program, edit, text):
    code, said = run(program, [line + "\n" for line in written(edit(exported(played_sqlite)))])

    assert (code, text in said) == (1, True), said


def rewritten(database: Database) -> list[str]:
    """The whole log with another name for the first player, and hashes that fit."""
    lines = exported(database)
    lines[1]["stream"] = "player/another"
    return [json.dumps(line) + "\n" for line in chained_again(lines)]


def test_a_receipt_finds_a_log_that_was_rewritten_from_its_first_event(played_sqlite, program):
    receipts = [Receipt(row.position, row.hash) for row in stored_rows(played_sqlite)]
    first, last = receipts[0], receipts[-1]
    true, rewrote = list(export_log(played_sqlite)), rewritten(played_sqlite)

    assert run(program, true, "--receipt", str(first), "--receipt", str(last))[0] == 0
    assert run(program, true, "--receipt", f"0:{'00' * 32}")[0] == 0
    assert run(program, list(export_log(played_sqlite, 2)), "--receipt", str(first))[0] == 0
    assert run(program, rewrote)[0] == 0
    for receipt in (first, last):
        code, text = run(program, rewrote, "--receipt", str(receipt))
        assert (code, f"position {receipt.position}: the receipt has another hash" in text) == (1, True)
    code, text = run(program, true, "--receipt", f"{last.position + 1}:{'00' * 32}")
    assert (code, "does not hold the position of a receipt" in text) == (1, True)


def test_a_file_that_is_not_there_is_said(program):
    done = subprocess.run(
        [sys.executable, "-I", "-S", program, "missing.jsonl"], capture_output=True, encoding="utf-8", check=False
    )

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "cannot open missing.jsonl: No such file or directory\n"


def test_it_reads_standard_input_too(played_sqlite, program):
    done = subprocess.run(
        [sys.executable, "-I", "-S", program, "-"],
        input="".join(export_log(played_sqlite)),
        capture_output=True,
        encoding="utf-8",
        check=False,
    )

    assert (done.returncode, done.stdout) == (0, f"sound: {head(played_sqlite)}\n")
