"""How the command line prints: tables for people, proto JSON for programs."""

import sys
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

import typer
from google.protobuf import json_format
from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

WIDTH_WITHOUT_TERMINAL = 180
SUITS = {"s": "♠", "h": "♥", "c": "♣", "d": "♦"}
JOKERS = {"w": "小王", "W": "大王"}


class Printer:
    """Prints to stdout, as JSON if ``is_json``.

    Ids and names are printed as they are: nothing in them is taken for markup.
    """

    def __init__(self, is_json: bool = False) -> None:
        self.is_json = is_json
        width = None if sys.stdout.isatty() else WIDTH_WITHOUT_TERMINAL
        self._console = Console(file=sys.stdout, width=width, markup=False, highlight=False, emoji=False)

    def message(self, message: Message) -> None:
        """One message as proto JSON on one line."""
        typer.echo(to_json(message))

    def line(self, text: str | Text = "", style: str | None = None) -> None:
        """One line, never broken."""
        self._console.print(text, style=style, soft_wrap=True)

    def heading(self, text: str) -> None:
        """A line that begins something."""
        self.line(text, "bold")

    def facts(self, *facts: tuple[str, object]) -> None:
        """Named facts, one a line; empty ones are left out."""
        shown = [(name, _cell(value)) for name, value in facts if str(value)]
        width = max((len(name) for name, _ in shown), default=0)
        for name, value in shown:
            self.line(Text(f"  {name:<{width}}  ", "dim").append_text(value.copy()))

    def table(self, title: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
        """A table; columns whose name begins with ``#`` hold numbers."""
        table = Table(
            title=title or None, title_justify="left", title_style="bold", header_style="dim", box=box.SIMPLE_HEAD
        )
        for column in columns:
            is_number = column.startswith("#")
            table.add_column(column.removeprefix("#"), justify="right" if is_number else "left", overflow="fold")
        for row in rows:
            table.add_row(*(_cell(value) for value in row))
        self._console.print(table)


def to_json(message: Message) -> str:
    """Canonical proto JSON on one line: camelCase names, int64 as strings."""
    return str(json_format.MessageToJson(message, indent=None, ensure_ascii=False))


def silver(amount: int) -> Text:
    """An amount with thousands apart, red below zero."""
    return Text(f"{amount:,}", "red" if amount < 0 else "")


def moment(time: Timestamp) -> str:
    """A time in UTC, empty if there is none.

    >>> moment(Timestamp(seconds=1, nanos=2000))
    '1970-01-01 00:00:01.000002Z'
    """
    if not time.ByteSize():
        return ""
    whole = datetime.fromtimestamp(time.seconds, UTC).strftime("%Y-%m-%d %H:%M:%S")
    return f"{whole}.{time.nanos // 1000:06}Z"


def cards(text: str) -> Text:
    """Cards as they lie on the table; what is no card is shown as it was written.

    >>> str(cards("5s Th w"))
    '♠5 ♥10 小王'
    """
    shown = Text()
    for index, card in enumerate(text.split()):
        shown.append(" " if index else "")
        rank, suit = card[:-1], SUITS.get(card[-1])
        face = JOKERS.get(card) or (f"{suit}{'10' if rank == 'T' else rank}" if suit and rank else card)
        shown.append(face, "red" if card[-1] in "hdW" else "")
    return shown


def word(enum_value: str) -> str:
    """An enum value's name as people say it.

    >>> word("HAND_STATE_SETTLED"), word("ENDED_NORMAL")
    ('settled', 'normal')
    """
    for prefix in (
        "HAND_STATE_",
        "POSTING_KIND_",
        "STAKE_MODE_",
        "SHORTFALL_POLICY_",
        "POINTS_PER_WIN_",
        "STATE_",
        "ENDED_",
        "DOOR_",
        "KIND_",
    ):
        enum_value = enum_value.removeprefix(prefix)
    return enum_value.lower()


def _cell(value: object) -> Text:
    if isinstance(value, Text):
        return value
    return silver(value) if isinstance(value, int) else Text(str(value))
