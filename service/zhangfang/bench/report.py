"""A run as tables for people and as JSON for programs."""

import json
import os
import platform
import sqlite3
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from zhangfang.application import SOFTWARE
from zhangfang.bench.cast import GAME, HANDS, TABLES
from zhangfang.bench.figures import Figures
from zhangfang.bench.hands import BETS, PLAYER_COUNTS
from zhangfang.bench.plan import Plan
from zhangfang.bench.targets import outcomes

FORMAT = 1


def describe(plan: Plan, sections: list[str]) -> dict[str, Any]:
    """What was measured, with which hands, how durably and on what."""
    return {
        "software": SOFTWARE,
        "seed": plan.seed,
        "sections": sections,
        "rounds": plan.effort.rounds,
        "window_seconds": plan.effort.window_seconds,
        "hands": {
            "load": f"{HANDS} different hands of {GAME}, each with its own players, at {TABLES} tables",
            "players": PLAYER_COUNTS,
            "bets": BETS,
        },
        "durability": {
            "sqlite": "WAL, synchronous=FULL",
            "postgresql": "fsync=on, synchronous_commit=on" if plan.postgresql else "not there",
        },
        "machine": {
            "cores": os.cpu_count(),
            "architecture": platform.machine(),
            "python": platform.python_version(),
            "sqlite": sqlite3.sqlite_version,
            "postgresql": plan.postgresql.version if plan.postgresql else "",
        },
    }


def as_json(about: dict[str, Any], figures: Figures) -> dict[str, Any]:
    """Everything of a run."""
    return {
        "format": FORMAT,
        "about": about,
        "figures": [
            {"name": each.name, "unit": each.unit, "median": each.median, "rounds": list(each.rounds)}
            for each in figures.all()
        ],
        "targets": [
            {
                "text": each.target.text,
                "reached": each.reached,
                "goal": each.target.goal,
                "is_ceiling": each.target.is_ceiling,
                "is_met": each.is_met,
            }
            for each in outcomes(figures)
        ],
    }


def write_json(path: Path, about: dict[str, Any], figures: Figures) -> None:
    """Writes a run to a file."""
    path.write_text(json.dumps(as_json(about, figures), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def print_report(console: Console, about: dict[str, Any], figures: Figures) -> None:
    """Prints a run: what it was, a table of figures a section, and the targets."""
    machine = about["machine"]
    console.print(
        f"{about['software']}, seed {about['seed']}, {about['rounds']} rounds; load: {about['hands']['load']}"
    )
    console.print(f"{machine['cores']} cores, Python {machine['python']}, SQLite {machine['sqlite']}, ", end="")
    console.print(machine["postgresql"] or "no PostgreSQL")
    console.print(f"SQLite {about['durability']['sqlite']}; PostgreSQL {about['durability']['postgresql']}")
    for section in about["sections"]:
        table = Table(title=section, title_justify="left")
        table.add_column("what")
        for column in ("median", "lowest", "highest"):
            table.add_column(column, justify="right")
        table.add_column("unit")
        for figure in figures.all():
            if figure.section == section:
                numbers = [_number(each) for each in (figure.median, min(figure.rounds), max(figure.rounds))]
                table.add_row(figure.name.partition(".")[2], *numbers, figure.unit)
        console.print(table)
    _print_targets(console, figures)


def _print_targets(console: Console, figures: Figures) -> None:
    table = Table(title="targets: medians of the ratios of each round", title_justify="left")
    table.add_column("ratio")
    table.add_column("reached", justify="right")
    table.add_column("target", justify="right")
    table.add_column("")
    for each in outcomes(figures):
        sign = "≤" if each.target.is_ceiling else "≥"
        verdict = "[green]met[/]" if each.is_met else "[red]missed[/]"
        table.add_row(each.target.text, f"{each.reached:.2f}", f"{sign} {each.target.goal:g}", verdict)
    console.print(table)


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:,.1f}"
