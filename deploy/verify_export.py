#!/usr/bin/env python3
"""Checks an exported log of zhangfang with nothing but Python: no service, no database, no library.

    python3 verify_export.py log.jsonl
    python3 verify_export.py log.jsonl --receipt 17:9f86d081… --balances

Everything is taken from the stored bytes, over which the hash chain runs; the JSON beside them is for reading, and is
only checked to say the same about silver. What the file looks like: docs/audit.md.

Exit code 0: sound. 1: something is wrong, and the first thing is named. 2: the file cannot be opened.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import io
import json
import sqlite3
import struct
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

POSTINGS_FIELD = {"SilverDeposited": 5, "SilverWithdrawn": 5, "HandSettled": 6, "HandReversed": 6}
"""Which field of an event's message holds its postings; other events move no silver."""

TOPICS = {
    *POSTINGS_FIELD,
    *("PlayerRegistered", "TableOpened", "TableClosed", "BankChanged", "HandOpened", "DealRecorded", "ChoiceMade"),
    *("HandVoided", "HandReplaced"),
}
ACCOUNT, AMOUNT, BALANCE_AFTER = 1, 2, 4
"""The fields of a posting that matter here."""


Line = tuple[str, int, int]
"""What matters of a posting: account, amount, balance after."""


class UnsoundError(Exception):
    """The log is not sound: where and why."""


def next_hash(
    previous: bytes, position: int, version: int, recorded_at_us: int, stream: str, topic: str, stored: bytes
) -> bytes:
    """The chained hash of one event; its bytes are written down at the head of events.proto."""
    stream_bytes, topic_bytes = stream.encode(), topic.encode()
    return hashlib.sha256(
        previous
        + struct.pack(">QQQ", position, version, recorded_at_us)
        + struct.pack(">I", len(stream_bytes))
        + stream_bytes
        + struct.pack(">I", len(topic_bytes))
        + topic_bytes
        + stored
    ).digest()


def read_varint(message: bytes, index: int) -> tuple[int, int]:
    """A protobuf varint and where it ends."""
    number = shift = 0
    while True:
        byte = message[index]
        index += 1
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            return number, index
        shift += 7
        if shift > 63:
            raise ValueError("a number of more than 64 bits")


def read_fields(message: bytes) -> Iterator[tuple[int, Any]]:
    """Every field of a protobuf message in order: its number, and an int or bytes."""
    index = 0
    value: int | bytes
    while index < len(message):
        key, index = read_varint(message, index)
        kind = key & 7
        if kind == 0:
            value, index = read_varint(message, index)
        elif kind in (1, 2, 5):
            length, index = (8, index) if kind == 1 else (4, index) if kind == 5 else read_varint(message, index)
            value, index = message[index : index + length], index + length
            if index > len(message):
                raise ValueError("the message is cut off")
        else:
            raise ValueError(f"wire type {kind} is not known")
        yield key >> 3, value


def read_int64(value: int) -> int:
    """A varint as the signed number it stands for."""
    value &= (1 << 64) - 1
    return value - (1 << 64) if value >> 63 else value


def read_postings(topic: str, stored: bytes) -> list[Line]:
    """The postings in an event's stored bytes: account, amount, balance after."""
    postings = []
    for number, value in read_fields(stored):
        if number == POSTINGS_FIELD.get(topic):
            fields = dict(read_fields(value))
            account = fields.get(ACCOUNT, b"").decode()
            postings.append((account, read_int64(fields.get(AMOUNT, 0)), read_int64(fields.get(BALANCE_AFTER, 0))))
    return postings


def read_json_postings(topic: str, body: Any) -> list[Line]:
    """The postings that the JSON beside the bytes tells."""
    told = body.get("postings", []) if topic in POSTINGS_FIELD else []
    return [(each["account"], int(each.get("amount", 0)), int(each.get("balanceAfter", 0))) for each in told]


class Checker:
    """Walks the lines of one export."""

    def __init__(self, header: dict[str, Any]) -> None:
        self.position: int = header["first_position"] - 1
        self.hash = bytes.fromhex(header["previous_hash"])
        self.is_whole = header["first_position"] == 1
        self.recorded_at_us = 0
        self.balances: dict[str, int] = {}
        # A log may have more streams than fit into memory: they are kept in a database that SQLite puts into a file.
        self.streams = sqlite3.connect("", isolation_level=None)
        self.streams.execute("CREATE TABLE streams (stream TEXT PRIMARY KEY, version INTEGER) WITHOUT ROWID")
        self.streams.execute("BEGIN")
        if self.is_whole and self.hash != bytes(32):
            raise UnsoundError("header: before the first event the hash is all zeros")

    def check(self, event: dict[str, Any]) -> None:
        """One event: its place, its hash, its silver."""
        position, stream, topic = event["position"], event["stream"], event["topic"]
        if not all(type(event[name]) is int for name in ("position", "version", "recorded_at_us")):
            raise UnsoundError(f"position {self.position + 1}: position, version and time are whole numbers")
        if position != self.position + 1:
            raise UnsoundError(f"position {self.position + 1}: the next event says it is {position}")
        stored = base64.b64decode(event["stored_bytes"], validate=True)
        follows = next_hash(self.hash, position, event["version"], event["recorded_at_us"], stream, topic, stored)
        if follows.hex() != event["hash"]:
            raise UnsoundError(f"position {position}: the hash does not follow from the event and those before it")
        if topic not in TOPICS:
            raise UnsoundError(f"position {position}: {topic!r} is no event that this program knows")
        if event["recorded_at_us"] <= self.recorded_at_us:
            raise UnsoundError(f"position {position}: recorded not later than the event before")
        self.check_stream(position, stream, event["version"])
        self.check_silver(position, topic, stored, event["body"])
        self.position, self.hash, self.recorded_at_us = position, follows, event["recorded_at_us"]

    def check_stream(self, position: int, stream: str, version: int) -> None:
        """Versions go 1, 2, 3 … in each stream; of a part of a log only that they go on."""
        found = self.streams.execute("SELECT version FROM streams WHERE stream = ?", (stream,)).fetchone()
        due = found[0] + 1 if found else 1 if self.is_whole else version
        if version != due:
            raise UnsoundError(f"position {position}: version {version} of stream {stream!r} where {due} is due")
        self.streams.execute("REPLACE INTO streams VALUES (?, ?)", (stream, version))

    def check_silver(self, position: int, topic: str, stored: bytes, body: Any) -> None:
        """Postings sum to zero, and each balance follows from the one before."""
        postings = read_postings(topic, stored)
        if postings != read_json_postings(topic, body):
            raise UnsoundError(f"position {position}: the JSON tells other postings than the stored bytes")
        total = sum(amount for _, amount, _ in postings)
        if total:
            raise UnsoundError(f"position {position}: the postings sum to {total} silver instead of 0")
        for account, amount, balance_after in postings:
            before = self.balances.get(account, 0 if self.is_whole else balance_after - amount)
            if before + amount != balance_after:
                raise UnsoundError(
                    f"position {position}: the balance of {account} after it is {balance_after}, "
                    f"its postings make it {before + amount}"
                )
            self.balances[account] = balance_after


def read_receipt(text: str) -> tuple[int, str]:
    """A receipt, ``position:hash``."""
    position, _, digest = text.partition(":")
    if len(bytes.fromhex(digest)) != 32:
        raise ValueError(text)
    return int(position), digest


def verify(lines: Iterator[str], receipts: Iterable[tuple[int, str]] = ()) -> Checker:
    """The checker at the end of an export that is sound.

    Raises:
        UnsoundError: names the first thing that is not.
    """
    header = read_line(1, next(lines, ""))
    if header.get("format") != "zhangfang-log" or header.get("format_version") != 1:
        raise UnsoundError("line 1 is no header of an export of format version 1")
    awaited = dict(receipts)
    checker = None
    for number, line in enumerate(lines, start=2):
        if checker is None:
            checker = begin(header)
            check_receipt(checker, awaited)
        event = read_line(number, line)
        try:
            checker.check(event)
        except (KeyError, TypeError, ValueError, AttributeError, IndexError, struct.error) as error:
            raise UnsoundError(f"line {number} is no exported event: {type(error).__name__} {error}") from None
        check_receipt(checker, awaited)
    if checker is None:
        checker = begin(header)
        check_receipt(checker, awaited)
    if (checker.position, checker.hash.hex()) != (header.get("last_position"), header.get("last_hash")):
        raise UnsoundError(f"position {checker.position + 1}: the export ends before what its header promises")
    if awaited:
        raise UnsoundError(f"position {checker.position + 1}: the export does not hold the position of a receipt")
    return checker


def check_receipt(checker: Checker, awaited: dict[int, str]) -> None:
    """Whether the chain has the hash of a receipt for this position; one that was met is awaited no more."""
    found = checker.hash.hex()
    if awaited.pop(checker.position, found) != found:
        raise UnsoundError(f"position {checker.position}: the receipt has another hash: an event up to here is another")


def begin(header: dict[str, Any]) -> Checker:
    """A checker for what a header announces."""
    try:
        return Checker(header)
    except (KeyError, TypeError, ValueError) as error:
        raise UnsoundError(f"line 1: the header cannot be read: {error}") from None


def read_line(number: int, line: str) -> dict[str, Any]:
    """One line's JSON object."""
    try:
        value = json.loads(line)
    except ValueError as error:
        raise UnsoundError(f"line {number} is no JSON: {error}") from None
    if not isinstance(value, dict):
        raise UnsoundError(f"line {number} is no JSON object")
    return value


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description="Check an exported log of zhangfang with nothing but Python.")
    parser.add_argument("file", help="the export, or - for standard input")
    parser.add_argument(
        "--receipt", action="append", default=[], type=read_receipt, help="POSITION:HASH kept from before"
    )
    parser.add_argument(
        "--balances", action="store_true", help="print every account's balance, added up from the bytes"
    )
    options = parser.parse_args(arguments)
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(encoding="utf-8", newline="\n")
    try:
        file = sys.stdin if options.file == "-" else open(options.file, encoding="utf-8", newline="\n")  # noqa: SIM115
    except OSError as error:
        print(f"cannot open {options.file}: {error.strerror}", file=sys.stderr)
        return 2
    with file:
        try:
            checker = verify(iter(file), options.receipt)
        except (UnsoundError, UnicodeDecodeError) as error:
            print(f"NOT SOUND: {error}")
            return 1
    print(f"sound: {checker.position}:{checker.hash.hex()}")
    if options.balances:
        for account, balance in sorted(checker.balances.items()):
            print(f"{balance:>20}  {account}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
