"""``open-hand``, ``deal``, ``choose`` and ``finish``: a hand that arrives piece by piece."""

from typing import Annotated, Any

import typer

from zhangfang.cli.connection import House, asks_the_house
from zhangfang.cli.printing import Printer
from zhangfang.cli.requests import RequestIdOption, SourceArgument, new_id, read_request
from zhangfang.cli.settling import HandArgument
from zhangfang.cli.sheets import show_hand
from zhangfang.wire.v1 import settlement_pb2 as pb


@asks_the_house
def open_hand(
    house: House,
    printer: Printer,
    hand_id: HandArgument,
    table: Annotated[str, typer.Option("--table", help="The table's id.", show_default=False)],
    players: Annotated[
        list[str],
        typer.Option("--player", help="A player, in seat order; 九點半: the banker alone.", show_default=False),
    ],
    replaces: Annotated[str, typer.Option("--replaces", help="The reversed hand that this one settles again.")] = "",
    request_id: RequestIdOption = "",
) -> None:
    """Opens a hand that will arrive piece by piece.

    Example: zhangfang open-hand h-2 --table t-1 --player A --player B --player C
    """
    request = pb.OpenHandRequest(
        request_id=request_id or new_id(), hand_id=hand_id, table_id=table, players=players, replaces_hand_id=replaces
    )
    _show(printer, house.ask(house.settlement.OpenHand, request))


@asks_the_house
def deal(
    house: House, printer: Printer, hand_id: HandArgument, source: SourceArgument, request_id: RequestIdOption = ""
) -> None:
    """Records the cards of an open hand: a Deal as proto JSON.

    Example: zhangfang deal h-2 '{"biJi": {"hands": ["Ah Kd 9c …", "…"]}}'
    """
    cards = read_request(source, pb.Deal)
    request = pb.RecordDealRequest(request_id=request_id or new_id(), hand_id=hand_id, deal=cards)
    _show(printer, house.ask(house.settlement.RecordDeal, request))


@asks_the_house
def choose(
    house: House,
    printer: Printer,
    hand_id: HandArgument,
    player_id: Annotated[str, typer.Argument(help="Who chooses.", show_default=False)],
    source: SourceArgument,
    request_id: RequestIdOption = "",
) -> None:
    """Records one choice of one player: a Choice as proto JSON.

    Example: zhangfang choose h-2 A '{"banBianTianZha": {"chui": true}}'
    """
    choice = read_request(source, pb.Choice)
    request = pb.MakeChoiceRequest(
        request_id=request_id or new_id(), hand_id=hand_id, player_id=player_id, choice=choice
    )
    _show(printer, house.ask(house.settlement.MakeChoice, request))


@asks_the_house
def finish(
    house: House, printer: Printer, hand_id: HandArgument, source: SourceArgument, request_id: RequestIdOption = ""
) -> None:
    """Ends an open hand with what is still missing, an Ending as proto JSON, and settles it.

    Example: zhangfang finish h-2 '{"biJi": {}}'
    """
    ending = read_request(source, pb.Ending)
    request = pb.FinishHandRequest(request_id=request_id or new_id(), hand_id=hand_id, ending=ending)
    _show(printer, house.ask(house.settlement.FinishHand, request))


def _show(printer: Printer, answer: Any) -> None:
    if printer.is_json:
        printer.message(answer)
    else:
        show_hand(printer, answer.hand)
