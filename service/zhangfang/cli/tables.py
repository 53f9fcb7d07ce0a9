"""``open-table``, ``close-table``, ``table``, ``tables`` and ``bank``."""

from enum import StrEnum
from typing import Annotated

import typer

from zhangfang.cli.connection import House, asks_the_house
from zhangfang.cli.printing import Printer, moment, word
from zhangfang.cli.problems import misused
from zhangfang.cli.requests import LimitOption, RequestIdOption, new_id, read_request
from zhangfang.cli.sheets import show_bank, show_table, title_of
from zhangfang.contract.enums import BankerAction
from zhangfang.rules.games import GAMES
from zhangfang.rules.levels import StakeMode
from zhangfang.rules.payment import ShortfallPolicy
from zhangfang.rules.verdict import INT64_MAX, INT64_MIN
from zhangfang.wire.v1 import money_pb2
from zhangfang.wire.v1 import settlement_pb2 as pb

TableArgument = Annotated[str, typer.Argument(help="The table's id.", show_default=False)]
GameOption = Annotated[str, typer.Option("--game", help=f"One of {', '.join(GAMES)}.")]


class TableState(StrEnum):
    """Whether a table takes hands."""

    OPEN = "open"
    CLOSED = "closed"


@asks_the_house
def open_table(
    house: House,
    printer: Printer,
    source: Annotated[
        str, typer.Argument(help="An OpenTableRequest as proto JSON: a file, - or the JSON itself; or give options.")
    ] = "",
    table: Annotated[str, typer.Option("--table", help="The table's id.")] = "",
    game: GameOption = "",
    stake: Annotated[
        int, typer.Option("--stake", min=INT64_MIN, max=INT64_MAX, help="Silver, ≥ 1; none with --by-wealth.")
    ] = 0,
    by_wealth: Annotated[bool, typer.Option("--by-wealth", help="Find the stake by the players' wealth.")] = False,
    shortfall: Annotated[
        ShortfallPolicy | None,
        typer.Option("--shortfall", case_sensitive=False, help="When a loser cannot pay; default: pro_rata."),
    ] = None,
    table_fee: Annotated[
        int, typer.Option("--table-fee", min=INT64_MIN, max=INT64_MAX, help="Silver from each player.")
    ] = 0,
    rake_per_mille: Annotated[
        int, typer.Option("--rake-per-mille", min=INT64_MIN, max=INT64_MAX, help="Of what a winner gets.")
    ] = 0,
    seats: Annotated[list[str] | None, typer.Option("--seat", help="九點半: the four seats, banker first.")] = None,
    draws: Annotated[
        list[str] | None, typer.Option("--draw", help="九點半: the card each seat drew; the highest banks first.")
    ] = None,
    request_id: RequestIdOption = "",
) -> None:
    """Opens a table by options, with default house rules, or by a file that can name every house rule.

    Example: zhangfang open-table --table t-1 --game ban_bian_tian_zha --stake 1
    """
    if source and (game or stake or by_wealth or shortfall or table_fee or rake_per_mille or seats or draws):
        raise misused("a table is opened by a file or by options, not by both; only --table may be added to a file")
    if source:
        request = read_request(source, pb.OpenTableRequest)
    else:
        if game not in GAMES:
            raise misused(f"--game {game!r} is no game; known are {', '.join(GAMES)}")
        request = pb.OpenTableRequest(
            stake_mode=money_pb2.StakeMode.Value(
                f"STAKE_MODE_{(StakeMode.BY_WEALTH if by_wealth else StakeMode.FIXED).name}"
            ),
            stake=stake,
            shortfall=money_pb2.ShortfallPolicy.Value(
                f"SHORTFALL_POLICY_{shortfall.name if shortfall else 'UNSPECIFIED'}"
            ),
            table_fee=table_fee,
            rake_per_mille=rake_per_mille,
            seats=seats or (),
            draws=draws or (),
        )
        getattr(request.rules, game).SetInParent()
    request.table_id = table or request.table_id
    request.request_id = request_id or request.request_id or new_id()
    answer = house.ask(house.settlement.OpenTable, request)
    _show(printer, answer, answer.table)


@asks_the_house
def close_table(house: House, printer: Printer, table_id: TableArgument, request_id: RequestIdOption = "") -> None:
    """Closes a table: it takes no new hands.

    Example: zhangfang close-table t-1
    """
    answer = house.ask(
        house.settlement.CloseTable, pb.CloseTableRequest(request_id=request_id or new_id(), table_id=table_id)
    )
    _show(printer, answer, answer.table)


@asks_the_house
def table(house: House, printer: Printer, table_id: TableArgument) -> None:
    """Shows a table with its house rules.

    Example: zhangfang table t-1
    """
    answer = house.ask(house.settlement.GetTable, pb.GetTableRequest(table_id=table_id))
    _show(printer, answer, answer.table)


@asks_the_house
def tables(
    house: House,
    printer: Printer,
    game: GameOption = "",
    state: Annotated[TableState | None, typer.Option("--state", help="Only those in this state.")] = None,
    limit: LimitOption = 0,
) -> None:
    """Lists tables in the order in which they were opened.

    Example: zhangfang tables --state open
    """
    request = pb.ListTablesRequest(
        game=game, state=pb.Table.State.Value(f"STATE_{state.name if state else 'UNSPECIFIED'}")
    )
    found = house.pages(house.settlement.ListTables, request, "tables", limit)
    if printer.is_json:
        for each in found:
            printer.message(each)
        return
    rows = [
        (
            each.table_id,
            title_of(each.game),
            word(pb.Table.State.Name(each.state)),
            each.stake or "by wealth",
            moment(each.opened_at),
        )
        for each in found
    ]
    printer.table("", ("table", "game", "state", "#stake", "opened"), rows)


@asks_the_house
def bank(
    house: House,
    printer: Printer,
    table_id: TableArgument,
    player_id: Annotated[str, typer.Argument(help="Who applies, leaves or steps down.", show_default=False)],
    action: Annotated[BankerAction, typer.Argument(help="What he does.", show_default=False)],
    request_id: RequestIdOption = "",
) -> None:
    """Passes the bank of a 九點半 table on: 申請上莊, leaving the list, 申請下莊.

    Example: zhangfang bank t-9 A apply
    """
    request = pb.ChangeBankerRequest(
        request_id=request_id or new_id(),
        table_id=table_id,
        player_id=player_id,
        action=pb.BankerAction.Value(f"BANKER_ACTION_{action.name}"),
    )
    answer = house.ask(house.settlement.ChangeBanker, request)
    if printer.is_json:
        printer.message(answer)
    else:
        show_bank(printer, answer.bank)


def _show(
    printer: Printer, answer: pb.GetTableResponse | pb.OpenTableResponse | pb.CloseTableResponse, table: pb.Table
) -> None:
    if printer.is_json:
        printer.message(answer)
    else:
        show_table(printer, table)
