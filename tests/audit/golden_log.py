"""Writes the golden log of this version: one evening with every kind of event, as it was exported when it was played.

    PYTHONPATH=service python -m tests.audit.golden_log

A golden log is written once, when a version's events are settled, and never again: later versions must read it to the
same hash and the same silver for ever. So an existing one is left alone; delete it by hand only before its version is
released. What it must come to is written beside it, in ``….expected.json``.
"""

import json
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path
from typing import Any

from sqlalchemy import select

from tests.audit.evening import play
from zhangfang.audit.export import export_log
from zhangfang.audit.receipts import head
from zhangfang.store.database import Database
from zhangfang.store.migrations.run import migrate
from zhangfang.store.schema import accounts, hands, level_points

GOLDEN = Path(__file__).parents[1] / "golden"


def expected(database: Database) -> dict[str, Any]:
    """What a log must come to: its receipt, every account, every hand's state, all level points."""
    with database.read() as connection:
        by_account = connection.execute(select(accounts).order_by(accounts.c.account)).all()
        by_hand = connection.execute(select(hands).order_by(hands.c.hand_id)).all()
        by_player = connection.execute(select(level_points).order_by(*level_points.primary_key)).all()
    return {
        "receipt": str(head(database)),
        "accounts": {row.account: [row.balance, row.held] for row in by_account},
        "hands": {row.hand_id: row.state for row in by_hand},
        "level_points": [list(row) for row in by_player],
    }


def main() -> int:
    """Plays, exports, and writes both files."""
    number = ".".join(version("zhangfang").split(".")[:2])
    path = GOLDEN / f"log-{number}.jsonl"
    if path.exists():
        print(f"{path.name} exists; a golden log is never written again", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as folder:
        database = Database(f"sqlite:///{folder}/golden.db")
        migrate(database)
        play(database)
        path.write_text("".join(export_log(database)), encoding="utf-8")
        text = json.dumps(expected(database), ensure_ascii=False, indent=1)
        path.with_suffix(".expected.json").write_text(text + "\n", encoding="utf-8")
        database.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
