"""What can be read at once because it is kept beside the log: one file a projection.

Each has ``TABLES`` and ``apply(sink, events)``, which runs inside the append for the events of one batch, and again
over the whole log when projections are rebuilt: applying a log in any batches (that do not split a request) gives the
same rows. The rest of each file reads.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sqlalchemy import Table

from zhangfang.domain.events import DomainEvent
from zhangfang.projections import accounts, entries, hands, players, requests, tables
from zhangfang.store.bulk import Sink


@dataclass(frozen=True, slots=True)
class Projection:
    """One projection: its name, its tables, and how events get into them."""

    name: str
    tables: tuple[Table, ...]
    apply: Callable[[Sink, Sequence[DomainEvent]], None]


PROJECTIONS: tuple[Projection, ...] = tuple(
    [
        Projection(module.__name__.rpartition(".")[2], module.TABLES, module.apply)
        for module in (accounts, entries, hands, players, requests, tables)
    ]
)
