"""The tables of the database. ``migrations/`` makes them; this module is how code speaks of them.

The log is ``events`` and ``log_head``; everything else is a projection of the log and can be rebuilt from it, which
``log_head.rebuilds`` counts.
Times are microseconds since 1970, amounts whole silver, both in 64-bit columns.
"""

from sqlalchemy import BigInteger, Boolean, CheckConstraint, Column, Index, LargeBinary, MetaData, Table, Text

metadata = MetaData()

log_head = Table(
    "log_head",
    metadata,
    Column("id", BigInteger, CheckConstraint("id = 1", name="one_log_head"), primary_key=True, autoincrement=False),
    Column("position", BigInteger, nullable=False),
    Column("hash", LargeBinary, nullable=False),
    Column("recorded_at_us", BigInteger, nullable=False),
    Column("rebuilds", BigInteger, nullable=False, server_default="0"),
)

events = Table(
    "events",
    metadata,
    Column("position", BigInteger, primary_key=True, autoincrement=False),
    Column("stream", Text, nullable=False),
    Column("version", BigInteger, nullable=False),
    Column("topic", Text, nullable=False),
    Column("recorded_at_us", BigInteger, nullable=False),
    Column("body", LargeBinary, nullable=False),
    Column("hash", LargeBinary, nullable=False),
    Index("events_stream_version", "stream", "version", unique=True),
)

requests = Table(
    "requests",
    metadata,
    Column("request_id", Text, primary_key=True),
    Column("fingerprint", LargeBinary, nullable=False),
    Column("position", BigInteger, nullable=False),
    sqlite_with_rowid=False,
)

accounts = Table(
    "accounts",
    metadata,
    Column("account", Text, primary_key=True),
    Column("balance", BigInteger, nullable=False),
    Column("debits", BigInteger, nullable=False),
    Column("credits", BigInteger, nullable=False),
    Column("held", BigInteger, nullable=False),
    Column("last_position", BigInteger, nullable=False),
    sqlite_with_rowid=False,
)

entries = Table(
    "entries",
    metadata,
    Column("account", Text, primary_key=True),
    Column("position", BigInteger, primary_key=True, autoincrement=False),
    Column("line", BigInteger, primary_key=True, autoincrement=False),
    Column("amount", BigInteger, nullable=False),
    Column("balance_after", BigInteger, nullable=False),
    Column("kind", Text, nullable=False),
    Column("hand_id", Text, nullable=False),
    Column("table_id", Text, nullable=False),
    Column("recorded_at_us", BigInteger, nullable=False),
    sqlite_with_rowid=False,
)

players = Table(
    "players",
    metadata,
    Column("player_id", Text, primary_key=True),
    Column("display_name", Text, nullable=False),
    Column("registered_position", BigInteger, nullable=False),
    Column("registered_at_us", BigInteger, nullable=False),
    sqlite_with_rowid=False,
)

level_points = Table(
    "level_points",
    metadata,
    Column("player_id", Text, primary_key=True),
    Column("game", Text, primary_key=True),
    Column("points", BigInteger, nullable=False),
    sqlite_with_rowid=False,
)

tables = Table(
    "tables",
    metadata,
    Column("table_id", Text, primary_key=True),
    Column("game", Text, nullable=False),
    Column("is_open", Boolean, nullable=False),
    Column("opened_position", BigInteger, nullable=False),
    Column("version", BigInteger, nullable=False),
    Index("tables_opened_position", "opened_position", unique=True),
    sqlite_with_rowid=False,
)

hands = Table(
    "hands",
    metadata,
    Column("hand_id", Text, primary_key=True),
    Column("table_id", Text, nullable=False),
    Column("game", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("first_position", BigInteger, nullable=False),
    Column("version", BigInteger, nullable=False),
    Column("recorded_at_us", BigInteger, nullable=False),
    Index("hands_table_position", "table_id", "first_position"),
    Index("hands_first_position", "first_position"),
    sqlite_with_rowid=False,
)

hand_players = Table(
    "hand_players",
    metadata,
    Column("player_id", Text, primary_key=True),
    Column("first_position", BigInteger, primary_key=True, autoincrement=False),
    Column("hand_id", Text, primary_key=True),
    sqlite_with_rowid=False,
)

PROJECTION_TABLES = (requests, accounts, entries, players, level_points, tables, hands, hand_players)
