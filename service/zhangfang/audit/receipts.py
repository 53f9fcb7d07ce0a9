"""Receipts: a position and the hash there prove every event up to it.

Who keeps a receipt outside of the house can tell later whether the log still begins with what it held then, also when
somebody rewrote log, chain and projections so that they fit each other.
"""

import re
from dataclasses import dataclass
from typing import Self

from zhangfang.audit.findings import Discrepancy, in_log
from zhangfang.audit.view import whole_view
from zhangfang.audit.walk import Walk
from zhangfang.store.database import Database
from zhangfang.store.log import read_batches, read_head

SHAPE = re.compile("([0-9]{1,19}):([0-9a-f]{64})")


@dataclass(frozen=True, slots=True)
class Receipt:
    """A position of the log and its chained hash, written ``17:9f86d081…``; position 0 and zeros for an empty log.

    >>> Receipt.read("2:" + "00" * 31 + "ff").position
    2
    """

    position: int
    hash: bytes

    def __str__(self) -> str:
        return f"{self.position}:{self.hash.hex()}"

    @classmethod
    def read(cls, text: str) -> Self:
        """A receipt as it was printed.

        Raises:
            ValueError: says what a receipt looks like.
        """
        found = SHAPE.fullmatch(text.strip())
        if found:
            return cls(int(found[1]), bytes.fromhex(found[2]))
        raise ValueError(f"{text!r} is no receipt; one is a position, a colon, and a hash of 64 hexadecimal digits")


def head(database: Database) -> Receipt:
    """The receipt for the whole log as it is now."""
    with database.read() as connection:
        end = read_head(connection)
        return Receipt(end.position, end.hash)


def check_receipt(database: Database, position: int, expected_hash: bytes) -> Discrepancy | None:
    """Whether the log still begins with what it held when the receipt was given; None if it does.

    The chain is computed again from the first event to the receipt's position: stored hashes are not believed.
    """
    walk = Walk()
    with whole_view(database) as view:
        for rows in read_batches(view):
            _, wrong = walk.take([row for row in rows if row.position <= position])
            if wrong:
                return wrong[0]
            if rows[-1].position >= position:
                break
    if walk.end.position < position:
        text = f"the log ends at position {walk.end.position}; the receipt is for position {position}"
        return in_log(walk.end.position + 1, text)
    if walk.end.hash != expected_hash:
        hashes = f"the hash here is {walk.end.hash.hex()}, the receipt has {expected_hash.hex()}"
        return in_log(position, f"{hashes}: an event up to here is another")
    return None
