"""``player register | get | list``, ``deposit`` and ``withdraw``: who plays, and his silver coming and going."""

from typing import Annotated

import typer

from zhangfang.cli.connection import House, asks_the_house
from zhangfang.cli.printing import Printer, moment, silver
from zhangfang.cli.requests import LimitOption, RequestIdOption, new_id
from zhangfang.cli.sheets import title_of
from zhangfang.rules.verdict import INT64_MAX, INT64_MIN
from zhangfang.wire.v1 import accounts_pb2 as pb
from zhangfang.wire.v1 import money_pb2

PlayerArgument = Annotated[str, typer.Argument(help="The player's id.", show_default=False)]
SilverArgument = Annotated[
    int, typer.Argument(help="Whole silver, ≥ 1.", min=INT64_MIN, max=INT64_MAX, show_default=False)
]
NoteOption = Annotated[str, typer.Option("--note", help="What for; at most 200 characters.")]


@asks_the_house
def register(
    house: House,
    printer: Printer,
    player_id: PlayerArgument,
    name: Annotated[str, typer.Option("--name", help="What he is called.")] = "",
    request_id: RequestIdOption = "",
) -> None:
    """Registers a player with no silver.

    Example: zhangfang player register p-1 --name 阿明
    """
    request = pb.RegisterPlayerRequest(request_id=request_id or new_id(), player_id=player_id, display_name=name)
    answer = house.ask(house.accounts.RegisterPlayer, request)
    if printer.is_json:
        printer.message(answer)
    else:
        _show_player(printer, answer.player)


@asks_the_house
def get(house: House, printer: Printer, player_id: PlayerArgument) -> None:
    """Shows a player: silver, holds, levels.

    Example: zhangfang player get p-1
    """
    answer = house.ask(house.accounts.GetPlayer, pb.GetPlayerRequest(player_id=player_id))
    if printer.is_json:
        printer.message(answer)
    else:
        _show_player(printer, answer.player)


@asks_the_house
def list_players(house: House, printer: Printer, limit: LimitOption = 0) -> None:
    """Lists players by their id.

    Example: zhangfang player list --limit 20
    """
    found = house.pages(house.accounts.ListPlayers, pb.ListPlayersRequest(), "players", limit)
    if printer.is_json:
        for each in found:
            printer.message(each)
        return
    rows = [(each.player_id, each.display_name, each.balance, each.held, each.available) for each in found]
    printer.table("", ("player", "name", "#balance", "#held", "#available"), rows)


@asks_the_house
def deposit(
    house: House,
    printer: Printer,
    player_id: PlayerArgument,
    amount: SilverArgument,
    note: NoteOption = "",
    request_id: RequestIdOption = "",
) -> None:
    """Brings silver in. Give --request-id to be able to repeat the command safely.

    Example: zhangfang deposit p-1 1000 --request-id till-77
    """
    request = pb.DepositRequest(request_id=request_id or new_id(), player_id=player_id, amount=amount, note=note)
    answer = house.ask(house.accounts.Deposit, request)
    _show_transfer(printer, answer, answer.transfer)


@asks_the_house
def withdraw(
    house: House,
    printer: Printer,
    player_id: PlayerArgument,
    amount: SilverArgument,
    note: NoteOption = "",
    request_id: RequestIdOption = "",
) -> None:
    """Takes silver out, at most what is available.

    Example: zhangfang withdraw p-1 300
    """
    request = pb.WithdrawRequest(request_id=request_id or new_id(), player_id=player_id, amount=amount, note=note)
    answer = house.ask(house.accounts.Withdraw, request)
    _show_transfer(printer, answer, answer.transfer)


def _show_transfer(printer: Printer, answer: pb.DepositResponse | pb.WithdrawResponse, transfer: pb.Transfer) -> None:
    if printer.is_json:
        printer.message(answer)
        return
    printer.facts(
        ("player", transfer.player_id),
        ("silver", silver(transfer.amount)),
        ("balance after", silver(transfer.balance_after)),
        ("available after", silver(transfer.available_after)),
        ("position", str(transfer.position)),
        ("recorded", moment(transfer.recorded_at)),
    )


def _show_player(printer: Printer, player: pb.Player) -> None:
    printer.heading(f"Player {player.player_id}  {player.display_name}".rstrip())
    printer.facts(
        ("balance", silver(player.balance)),
        ("held", silver(player.held)),
        ("available", silver(player.available)),
        ("registered", moment(player.registered_at)),
        ("last position", str(player.last_position)),
    )
    if player.levels:
        rows = [
            (title_of(each.game), _rung(each.wealth_level), _rung(each.player_level), each.level_points)
            for each in player.levels
        ]
        printer.table("Levels 等級", ("game", "wealth 財富等級", "player 玩家級別", "#level points 積分"), rows)


def _rung(level: money_pb2.Level) -> str:
    return f"{level.title} (next in {level.missing:,})" if level.missing else level.title
