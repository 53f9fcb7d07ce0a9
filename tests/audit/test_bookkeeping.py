"""hledger and beancount themselves read the books and come to the same silver."""

import csv
import os
import shutil
import subprocess
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

import pytest
from beancount import loader
from beancount.core.data import Balance, Transaction
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import select

from tests.audit.evening import WILD_IDS, Evening
from tests.audit.findings import ODD, stored_rows
from tests.audit.tampering import set_event, tamper
from zhangfang.audit.bookkeeping import (
    OF_THE_HOUSE,
    export_beancount,
    export_hledger,
    read_account,
    write_account,
)
from zhangfang.audit.findings import UnsoundLogError
from zhangfang.domain import commands
from zhangfang.ledger.accounts import SYSTEM_ACCOUNTS
from zhangfang.store.database import Database
from zhangfang.store.schema import accounts


def silver(database: Database) -> dict[str, int]:
    """What every account that anything was posted to holds."""
    with database.read() as connection:
        query = select(accounts.c.account, accounts.c.balance).where(accounts.c.debits + accounts.c.credits > 0)
        return {row.account: row.balance for row in connection.execute(query)}


def write(path: Path, lines: Iterable[str]) -> Path:
    path.write_text("".join(lines), encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def hledger() -> str:
    """The program; installed where that is possible, else the test fails."""
    if shutil.which("hledger") is None and os.geteuid() == 0 and shutil.which("apt-get"):
        for arguments in (["update"], ["install", "--yes", "--no-install-recommends", "hledger"]):
            subprocess.run(["apt-get", *arguments], check=True, env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"})
    found = shutil.which("hledger")
    assert found, "these tests need hledger: install the package `hledger` (Debian: apt-get install hledger)"
    return found


def run_hledger(program: str, journal: Path, *arguments: str) -> str:
    """What hledger says; all its checks are on."""
    done = subprocess.run(
        [program, "-f", journal, "--strict", *arguments],
        env={**os.environ, "LC_ALL": "C.UTF-8"},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_hledger_comes_to_the_same_silver(played, hledger, tmp_path):
    journal = write(tmp_path / "books.journal", export_hledger(played))

    run_hledger(hledger, journal, "check")
    table = run_hledger(hledger, journal, "balance", "--flat", "--empty", "--no-total", "-O", "csv")

    rows = list(csv.reader(table.splitlines()))[1:]
    amounts = {read_account(name): int(amount.split()[0]) if amount != "0" else 0 for name, amount in rows}
    assert amounts == silver(played)


def test_hledger_would_notice_a_balance_that_does_not_follow(played_sqlite, hledger, tmp_path):
    lines = list(export_hledger(played_sqlite))
    index = next(index for index, line in enumerate(lines) if "= " in line)
    lines[index] = lines[index].replace(" SILVER\n", "1 SILVER\n")
    journal = write(tmp_path / "books.journal", lines)

    with pytest.raises(AssertionError, match="assertion"):
        run_hledger(hledger, journal, "check")


def load(path: Path):
    entries, errors, _ = loader.load_file(str(path))
    return entries, errors


def test_beancount_comes_to_the_same_silver(played, tmp_path):
    entries, errors = load(write(tmp_path / "books.beancount", export_beancount(played)))

    assert errors == []
    sums: dict[str, int] = defaultdict(int)
    for entry in entries:
        if isinstance(entry, Transaction):
            for posting in entry.postings:
                sums[read_account(posting.account)] += int(posting.units.number)
    assert sums == silver(played)
    asserted = {
        read_account(entry.account): int(entry.amount.number) for entry in entries if isinstance(entry, Balance)
    }
    assert asserted == silver(played)
    with_postings = ("SilverDeposited", "SilverWithdrawn", "HandSettled", "HandReversed")
    assert [entry.meta["position"] for entry in entries if isinstance(entry, Transaction)] == [
        row.position for row in stored_rows(played) if row.topic in with_postings
    ]


def test_beancount_would_notice_a_balance_that_does_not_follow(played_sqlite, tmp_path):
    lines = list(export_beancount(played_sqlite))
    index = next(index for index, line in enumerate(lines) if " balance " in line)
    lines[index] = lines[index].replace(" ~ 0", "1 ~ 0")

    _, errors = load(write(tmp_path / "books.beancount", lines))

    assert "Balance failed" in errors[0].message


def test_each_day_ends_with_the_balances_of_who_moved(played_sqlite, tmp_path):
    with played_sqlite.write() as connection:
        connection.exec_driver_sql("UPDATE events SET recorded_at_us = recorded_at_us + position * 7200000000")

    entries, errors = load(write(tmp_path / "books.beancount", export_beancount(played_sqlite)))

    assert errors == []
    days = {entry.date for entry in entries if isinstance(entry, Balance)}
    assert len(days) > 3


def test_each_hand_tells_its_steps(played_sqlite):
    for export in (export_hledger, export_beancount):
        text = "".join(export(played_sqlite))
        assert text.count("; hand/bb-2\n") == 1
        assert "BB-28" in text
        assert "(底分)" in text


def test_an_empty_log_makes_empty_books(database, hledger, tmp_path):
    assert run_hledger(hledger, write(tmp_path / "books.journal", export_hledger(database)), "print") == ""
    assert load(write(tmp_path / "books.beancount", export_beancount(database))) == ([], [])


def test_a_log_that_cannot_be_read_makes_no_books(played_sqlite):
    tamper(played_sqlite, set_event(ODD, body=b"\xff"))

    with pytest.raises(UnsoundLogError):
        list(export_hledger(played_sqlite))


@pytest.mark.parametrize("player_id", WILD_IDS)
def test_wild_ids_become_plain_names_and_come_back(player_id):
    name = write_account(f"player/{player_id}")

    assert name.isascii()
    assert read_account(name) == f"player/{player_id}"


@given(st.text(min_size=1))
def test_every_id_has_a_name_of_its_own(player_id):
    assert read_account(write_account(f"player/{player_id}")) == f"player/{player_id}"


def test_the_accounts_of_the_house_have_names():
    assert set(OF_THE_HOUSE) == set(SYSTEM_ACCOUNTS)
    assert [read_account(write_account(account)) for account in SYSTEM_ACCOUNTS] == list(SYSTEM_ACCOUNTS)


@pytest.mark.parametrize(
    "name", ["", "Assets:Player:P-", "Assets:Player:P--4", "Assets:Player:P--41", "Assets:Player:P--e5", "x"]
)
def test_a_name_that_was_written_for_no_account_is_refused(name):
    with pytest.raises(ValueError, match="is the name of no account"):
        read_account(name)


def test_line_ends_in_texts_cannot_break_the_books(database, hledger, tmp_path):
    evening = Evening(database)
    evening.fund(5, "x")
    note = 'a\nb\r\u2028c [2020-13-45] date:nonsense ; ) "'
    evening.do(commands.Deposit(request=evening.request(), player_id="x", amount=1, note=note))

    run_hledger(hledger, write(tmp_path / "books.journal", export_hledger(database)), "check")
    assert load(write(tmp_path / "books.beancount", export_beancount(database)))[1] == []
