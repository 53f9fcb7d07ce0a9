"""The log as plain-text bookkeeping, for hledger and for beancount: anybody's accountant can add it up.

They are the books of all players together: what they hold are assets, what the house took are expenses, what it paid
in the place of losers is income, and cash is where silver came from. Amounts have the signs they have in the log.

>>> write_account("player/張 三")
'Assets:Player:P--e5-bc-b5-20-e4-b8-89'
>>> read_account("Assets:Player:P--e5-bc-b5-20-e4-b8-89")
'player/張 三'
"""

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from itertools import groupby

from sqlalchemy import Connection

from zhangfang.audit.findings import Discrepancy, UnsoundLogError
from zhangfang.audit.view import whole_view
from zhangfang.audit.walk import read_event
from zhangfang.domain.events import DomainEvent, HandReversed, HandSettled, Transferred
from zhangfang.ledger.accounts import CASH, FEES, SHORTFALL, is_account, player_account, player_of
from zhangfang.rules.verdict import PENALTIES
from zhangfang.store.database import Database
from zhangfang.store.log import read_batches, read_head
from zhangfang.wire.v1 import settlement_pb2

COMMODITY = "SILVER"
PLAYERS = "Assets:Player:P-"
OF_THE_HOUSE = {
    CASH: "Equity:Cash",
    FEES: "Expenses:Fees",
    PENALTIES: "Expenses:Penalties",
    SHORTFALL: "Income:Shortfall",
}
ONE_DAY = timedelta(days=1)


def export_hledger(database: Database) -> Iterator[str]:
    """A journal for hledger, line by line; every posting asserts its account's balance after it."""
    with whole_view(database) as view:
        yield _head(view)
        yield f"commodity 1000. {COMMODITY}\n"
        known: set[str] = set()
        for event in _read_posted(view):
            for account in _newly_posted(event, known):
                yield f"\n; {_printable(account)}\naccount {write_account(account)}\n"
            yield "\n"
            yield from _comments(event)
            yield f"{_day(event)} ({event.position}) {event.TOPIC}\n"
            for posted in event.postings:
                amount = f"{posted.amount} {COMMODITY} = {posted.balance_after} {COMMODITY}"
                yield f"    {write_account(posted.account)}  {amount}\n"


def export_beancount(database: Database) -> Iterator[str]:
    """A ledger for beancount, line by line; each account that moved on a day has its balance asserted after it."""
    with whole_view(database) as view:
        yield _head(view)
        yield f'option "title" "zhangfang"\noption "operating_currency" "{COMMODITY}"\n'
        known: set[str] = set()
        for day, events in groupby(_read_posted(view), _day):
            moved: dict[str, int] = {}
            for event in events:
                for account in _newly_posted(event, known):
                    yield f"\n{day} open {write_account(account)} {COMMODITY}\n  account: {_quoted(account)}\n"
                yield "\n"
                yield from _comments(event)
                yield f'{day} * "{event.TOPIC}" {_quoted(event.originator_id)}\n  position: {event.position}\n'
                for posted in event.postings:
                    yield f"  {write_account(posted.account)}  {posted.amount} {COMMODITY}\n"
                    moved[posted.account] = posted.balance_after
            yield from _balances(day + ONE_DAY, moved)


def write_account(account: str) -> str:
    """An account's name as both programs take it; an id's letters that they would not are written as ``-`` and hex."""
    player_id = player_of(account)
    return OF_THE_HOUSE[account] if player_id is None else PLAYERS + _escaped(player_id)


def read_account(name: str) -> str:
    """The account that a name was written for.

    Raises:
        ValueError: if it was written for none.
    """
    account = next((account for account, known in OF_THE_HOUSE.items() if known == name), "")
    if not account and name.startswith(PLAYERS):
        parts = re.split("-([0-9a-f]{2})", name.removeprefix(PLAYERS))
        raw = b"".join([bytes.fromhex(part) if index % 2 else part.encode() for index, part in enumerate(parts)])
        account = player_account(raw.decode("utf-8", "replace"))
    if is_account(account) and write_account(account) == name:
        return account
    raise ValueError(f"{name!r} is the name of no account")


def _escaped(player_id: str) -> str:
    """Only ASCII letters and digits stay: what programs hold for a letter beyond those, they do not agree on."""
    return "".join(
        [chr(byte) if chr(byte).isalnum() and byte < 0x80 else f"-{byte:02x}" for byte in player_id.encode()]
    )


def _read_posted(view: Connection) -> Iterator[DomainEvent]:
    for rows in read_batches(view):
        for row in rows:
            event = read_event(row)
            if isinstance(event, Discrepancy):
                raise UnsoundLogError(event)
            if event.postings:
                yield event


def _newly_posted(event: DomainEvent, known: set[str]) -> list[str]:
    """The accounts that something is posted to for the first time, which are known from now on."""
    new = [account for account in dict.fromkeys([posted.account for posted in event.postings]) if account not in known]
    known.update(new)
    return new


def _head(view: Connection) -> str:
    head = read_head(view)
    return f"; the whole log of zhangfang, up to position {head.position}, hash {head.hash.hex()}\n"


def _day(event: DomainEvent) -> date:
    return datetime.fromtimestamp(event.recorded_at_us // 1_000_000, UTC).date()


def _comments(event: DomainEvent) -> Iterator[str]:
    """What the event says of itself, as comments above it: inside of a transaction hledger would look for tags."""
    yield f"; {_printable(event.originator_id)}\n"
    if isinstance(event, Transferred):
        yield f"; {_printable(event.note)}\n"
    if isinstance(event, HandReversed):
        yield f"; {_printable(event.reason)}\n"
    if isinstance(event, HandSettled):
        for step in settlement_pb2.Judgement.FromString(event.judgement).steps:
            said = f"{step.payer} -> {step.payee} {step.amount} ({step.rule}): {step.text} / {step.text_zh}"
            yield f"; {_printable(said)}\n"


def _balances(day: date, balances: dict[str, int]) -> Iterator[str]:
    """What accounts hold when a day begins."""
    yield "\n"
    for account, balance in balances.items():
        yield f"{day} balance {write_account(account)}  {balance} ~ 0 {COMMODITY}\n"


def _printable(text: str) -> str:
    """One line, whatever an id holds."""
    return "".join([letter if letter.isprintable() else f"\\u{{{ord(letter):x}}}" for letter in text])


def _quoted(text: str) -> str:
    escaped = _printable(text).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
