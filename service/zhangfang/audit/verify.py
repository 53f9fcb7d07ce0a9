"""Walking the log and everything that follows from it, and naming the first thing that is wrong."""

from collections.abc import Generator
from dataclasses import dataclass, field

from zhangfang.store.chain import GENESIS, next_hash
from zhangfang.store.database import Database
from zhangfang.store.log import read_batches, read_head

DISCREPANCIES_MAX = 100


@dataclass(frozen=True, slots=True)
class Discrepancy:
    """One thing that is wrong; ``position`` is 0 for a projection's row without one."""

    position: int
    place: str
    text: str


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a verification is."""

    position: int
    last_position: int


@dataclass(frozen=True, slots=True)
class Finding:
    """What a verification found."""

    event_count: int
    head_hash: bytes
    discrepancies: tuple[Discrepancy, ...] = field(default=())

    @property
    def is_sound(self) -> bool:
        """Whether nothing is wrong."""
        return not self.discrepancies


def verify(database: Database) -> Generator[Progress | Finding]:
    """Verifies log and projections in one consistent view; yields progress, and at last the finding."""
    discrepancies: list[Discrepancy] = []
    with database.read() as connection:
        head = read_head(connection)
        previous, count = GENESIS, 0
        for rows in read_batches(connection):
            for row in rows:
                count += 1
                previous = next_hash(previous, row.position, row.version, row.recorded_at_us, row.stream, row.topic, row.body)
                if previous != row.hash:
                    discrepancies.append(Discrepancy(row.position, "log", "the hash does not follow"))
                    previous = row.hash
            yield Progress(rows[-1].position, head.position)
        yield Finding(count, previous, tuple(discrepancies[:DISCREPANCIES_MAX]))
