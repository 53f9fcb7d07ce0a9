"""Every row and every column beside the log is compared with what the log makes of it."""

import pytest

from tests.audit.findings import COLUMNS, found
from tests.audit.tampering import (
    delete_row,
    insert_row,
    spoil_column,
    tamper,
)
from zhangfang.projections import PROJECTIONS
from zhangfang.store.schema import PROJECTION_TABLES


@pytest.mark.parametrize(("table", "column"), [pytest.param(*each, id=f"{each[0].name}.{each[1]}") for each in COLUMNS])
def test_every_column_of_every_projection_is_compared(played, table, column):
    tamper(played, spoil_column(table, column))

    finding = found(played)

    projection = next(each.name for each in PROJECTIONS if table in each.tables)
    is_key = column in table.primary_key.columns
    assert [each.place for each in finding.discrepancies] == [projection] * (2 if is_key else 1)
    assert all(each.text.startswith(f"{table.name} ") for each in finding.discrepancies)
    assert is_key or f"{column} is " in finding.discrepancies[0].text


@pytest.mark.parametrize("table", PROJECTION_TABLES, ids=lambda table: table.name)
@pytest.mark.parametrize(
    ("edit", "text"),
    [
        pytest.param(delete_row, "the row is missing", id="deleted"),
        pytest.param(insert_row, "nothing in the log makes this row", id="inserted"),
    ],
)
def test_a_row_too_few_or_too_many_is_found(played, table, edit, text):
    tamper(played, edit(table))

    finding = found(played)

    assert len(finding.discrepancies) == 1
    assert text in finding.discrepancies[0].text
