"""The commands of ``zhangfang``, put together."""

from importlib.metadata import version
from typing import Annotated

import typer

from zhangfang.bench.command import bench
from zhangfang.cli import books, demo, exporting, log, players, reference, serving, settling, stages, tables, upkeep

HELP = """Zhangfang 账房: settles the hands of four Chinese card games and keeps the books.

Exit codes: 0 done; 1 refused by the service, or found unsound; 2 the command line, a file or the configuration is
wrong; 3 the service does not answer: send it again.

An id that begins with a dash goes after --, e.g. zhangfang hand -- -17.

Errors go to stderr as "reason: text", each fault of a hand below it with its rule and place.
"""

SERVICE, HANDS, PIECES, TABLES, SILVER, AUDIT, STORE = (
    "The service",
    "Finished hands",
    "Hands piece by piece",
    "Tables",
    "Players and silver",
    "The log and the books",
    "The store (where it lies, without the service)",
)

application = typer.Typer(
    name="zhangfang", help=HELP, no_args_is_help=True, pretty_exceptions_enable=False, rich_markup_mode="rich"
)
player = typer.Typer(help="Players: register, get, list.", no_args_is_help=True)


def _print_version(is_asked: bool) -> None:
    if is_asked:
        typer.echo(f"zhangfang {version('zhangfang')}")
        raise typer.Exit


@application.callback()
def _everything(
    _version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and leave.")
    ] = False,
) -> None:
    """Options of the program itself."""


PANELS = {
    SERVICE: (serving.serve, serving.health, demo.demo, reference.metrics, bench),
    HANDS: (settling.settle, settling.preview, settling.void, settling.reverse, books.hand, books.hands),
    PIECES: (stages.open_hand, stages.deal, stages.choose, stages.finish),
    TABLES: (tables.open_table, tables.close_table, tables.table, tables.tables, tables.bank),
    SILVER: (players.deposit, players.withdraw, books.balance, books.statement),
    AUDIT: (log.log, log.head, log.verify, books.trial_balance),
    STORE: (
        upkeep.migrate,
        upkeep.rebuild,
        upkeep.rejudge,
        upkeep.check_receipt,
        exporting.export,
        exporting.import_,
    ),
}

for panel, commands in PANELS.items():
    for command in commands:
        application.command(command.__name__.rstrip("_").replace("_", "-"), rich_help_panel=panel)(command)

player.command("register")(players.register)
player.command("get")(players.get)
player.command("list")(players.list_players)
application.add_typer(player, name="player", rich_help_panel=SILVER)
