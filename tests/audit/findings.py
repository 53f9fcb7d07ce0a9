"""What a verification finds, and what lies in a store: what the tests of audits look at."""

from zhangfang.audit.verify import Finding, verify
from zhangfang.store.database import Database
from zhangfang.store.log import StoredRow, read_head, read_rows
from zhangfang.store.schema import PROJECTION_TABLES

ODD, EVEN = 41, 42
"""Two events in the middle of the evening, next to each other."""

COLUMNS = [(table, column.name) for table in PROJECTION_TABLES for column in table.columns]


def found(database: Database) -> Finding:
    """What a verification finds."""
    *_, finding = verify(database)
    assert isinstance(finding, Finding)
    return finding


def places(finding: Finding) -> list[tuple[str, int]]:
    """Where it is wrong."""
    return [(each.place, each.position) for each in finding.discrepancies]


def stored_rows(database: Database) -> list[StoredRow]:
    with database.read() as connection:
        return read_rows(connection, 0, 10_000)


def head(database: Database):
    with database.read() as connection:
        return read_head(connection)


def first_settled(database: Database) -> int:
    return next(row.position for row in stored_rows(database) if row.topic == "HandSettled")
