"""Entries: every posting as a line of its account's statement."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, Row, select

from zhangfang.domain.events import DomainEvent
from zhangfang.ledger.postings import PostingKind
from zhangfang.store.bulk import Sink
from zhangfang.store.schema import entries

TABLES = (entries,)


def apply(sink: Sink, events: Sequence[DomainEvent]) -> None:
    """Adds a line for every posting of a batch."""
    rows = []
    for event in events:
        for line, posted in enumerate(event.postings):
            rows.append(
                (
                    posted.account,
                    event.position,
                    line,
                    posted.amount,
                    posted.balance_after,
                    posted.kind.value,
                    event.hand_id,
                    event.table_id,
                    event.recorded_at_us,
                )
            )
    sink.insert(entries, rows)


@dataclass(frozen=True, slots=True)
class EntryFilter:
    """Which entries of an account are wanted; None and "" mean all. Times are microseconds since 1970."""

    recorded_from_us: int | None = None
    recorded_before_us: int | None = None
    table_id: str = ""
    hand_id: str = ""
    kind: PostingKind | None = None


def read_entries(
    connection: Connection, account: str, wanted: EntryFilter, before: tuple[int, int] | None, limit: int
) -> Sequence[Row[tuple[object, ...]]]:
    """An account's entries, newest first, before a (position, line)."""
    query = select(entries).where(entries.c.account == account)
    if before:
        position, line = before
        query = query.where(
            (entries.c.position < position) | ((entries.c.position == position) & (entries.c.line < line))
        ).where(entries.c.position <= position)
    if wanted.recorded_from_us is not None:
        query = query.where(entries.c.recorded_at_us >= wanted.recorded_from_us)
    if wanted.recorded_before_us is not None:
        query = query.where(entries.c.recorded_at_us < wanted.recorded_before_us)
    if wanted.table_id:
        query = query.where(entries.c.table_id == wanted.table_id)
    if wanted.hand_id:
        query = query.where(entries.c.hand_id == wanted.hand_id)
    if wanted.kind:
        query = query.where(entries.c.kind == wanted.kind.value)
    return connection.execute(query.order_by(entries.c.position.desc(), entries.c.line.desc()).limit(limit)).all()


def read_balance_at(connection: Connection, account: str, position: int) -> int:
    """An account's balance after the event at a position; 0 before its first entry."""
    query = (
        select(entries.c.balance_after)
        .where((entries.c.account == account) & (entries.c.position <= position))
        .order_by(entries.c.position.desc(), entries.c.line.desc())
        .limit(1)
    )
    return connection.execute(query).scalar_one_or_none() or 0
