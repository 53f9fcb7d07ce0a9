"""Writes the dashboards as Grafana reads them: ``python -m deploy.grafana.dashboards``."""

import json
from collections.abc import Mapping
from pathlib import Path

from deploy.grafana.audit import AUDIT
from deploy.grafana.board import Board
from deploy.grafana.games import GAMES
from deploy.grafana.money import MONEY
from deploy.grafana.service import SERVICE

FOLDER = Path(__file__).parent / "dashboards"

BOARDS: Mapping[str, Board] = {"service": SERVICE, "money": MONEY, "games": GAMES, "audit": AUDIT}


def write_dashboard(board: Board) -> str:
    """The file of one dashboard."""
    return json.dumps(board.write(), ensure_ascii=False, indent=2) + "\n"


def main() -> None:
    """Writes all of them."""
    FOLDER.mkdir(exist_ok=True)
    for name, board in BOARDS.items():
        (FOLDER / f"{name}.json").write_text(write_dashboard(board), encoding="utf-8")


if __name__ == "__main__":
    main()
