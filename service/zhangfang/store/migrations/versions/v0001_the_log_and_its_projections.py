"""The log, its head, and the first projections."""

from typing import Any

from alembic import op
from sqlalchemy import BigInteger, Boolean, CheckConstraint, Column, LargeBinary, Text

from zhangfang.store.chain import GENESIS

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Makes every table of version 0.1."""
    head = op.create_table(
        "log_head",
        Column("id", BigInteger, CheckConstraint("id = 1", name="one_log_head"), primary_key=True, autoincrement=False),
        Column("position", BigInteger, nullable=False),
        Column("hash", LargeBinary, nullable=False),
        Column("recorded_at_us", BigInteger, nullable=False),
    )
    op.bulk_insert(head, [{"id": 1, "position": 0, "hash": GENESIS, "recorded_at_us": 0}])
    op.create_table(
        "events",
        Column("position", BigInteger, primary_key=True, autoincrement=False),
        *_required(stream=Text, version=BigInteger, topic=Text),
        *_required(recorded_at_us=BigInteger, body=LargeBinary, hash=LargeBinary),
    )
    op.create_index("events_stream_version", "events", ["stream", "version"], unique=True)
    _create_keyed("requests", ["request_id"], fingerprint=LargeBinary, position=BigInteger)
    _create_keyed(
        "accounts",
        ["account"],
        balance=BigInteger,
        debits=BigInteger,
        credits=BigInteger,
        held=BigInteger,
        last_position=BigInteger,
    )
    _create_keyed(
        "entries",
        ["account", "position", "line"],
        amount=BigInteger,
        balance_after=BigInteger,
        kind=Text,
        hand_id=Text,
        table_id=Text,
        recorded_at_us=BigInteger,
    )
    _create_keyed(
        "players", ["player_id"], display_name=Text, registered_position=BigInteger, registered_at_us=BigInteger
    )
    _create_keyed("level_points", ["player_id", "game"], points=BigInteger)
    _create_keyed("tables", ["table_id"], game=Text, is_open=Boolean, opened_position=BigInteger, version=BigInteger)
    op.create_index("tables_opened_position", "tables", ["opened_position"], unique=True)
    _create_keyed(
        "hands",
        ["hand_id"],
        table_id=Text,
        game=Text,
        state=Text,
        first_position=BigInteger,
        version=BigInteger,
        recorded_at_us=BigInteger,
    )
    op.create_index("hands_table_position", "hands", ["table_id", "first_position"])
    op.create_index("hands_first_position", "hands", ["first_position"])
    _create_keyed("hand_players", ["player_id", "first_position", "hand_id"])


KEY_TYPES = {"position": BigInteger, "line": BigInteger, "first_position": BigInteger}


def _create_keyed(name: str, keys: list[str], **columns: type) -> None:
    primary = [Column(key, KEY_TYPES.get(key, Text), primary_key=True, autoincrement=False) for key in keys]
    op.create_table(name, *primary, *_required(**columns), sqlite_with_rowid=False)


def _required(**columns: type) -> list[Column[Any]]:
    return [Column(name, kind, nullable=False) for name, kind in columns.items()]
