"""``settle``, ``preview``, ``void`` and ``reverse``: finished hands over the counter, and back."""

from collections.abc import Iterator
from typing import Annotated, Any

import typer

from zhangfang.cli.connection import House, asks_the_house
from zhangfang.cli.printing import Printer
from zhangfang.cli.problems import ExitCode, from_answer
from zhangfang.cli.requests import RequestIdOption, SourceArgument, digest_id, new_id, read_request, read_requests
from zhangfang.cli.sheets import show_hand
from zhangfang.wire.v1 import settlement_pb2 as pb

ReasonOption = Annotated[str, typer.Option("--reason", help="Why; 1 to 500 characters.", show_default=False)]
HandArgument = Annotated[str, typer.Argument(help="The hand's id.", show_default=False)]


@asks_the_house
def settle(house: House, printer: Printer, source: SourceArgument) -> None:
    """Settles finished hands.

    The file holds one SettleHandRequest as proto JSON, a list of them, or JSON lines. A request without a request_id
    gets one made of its content, so that settling the same file again gives the first answers.
    Exits with 1 if any hand was refused.

    Example: zhangfang settle hand.json
    """
    requests = (_identified(request) for request in read_requests(source, pb.SettleHandRequest))
    first, second = next(requests, None), next(requests, None)
    if first is None:
        return
    if second is None:
        answer = house.ask(house.settlement.SettleHand, first)
        _print_hand(printer, answer, answer.hand)
    else:
        _settle_many(house, printer, _each(first, second, requests))


@asks_the_house
def preview(house: House, printer: Printer, source: SourceArgument) -> None:
    """Shows what settling a hand now would do, and writes nothing.

    The file holds one PreviewSettlementRequest as proto JSON, or a SettleHandRequest, whose ids are then left out.

    Example: zhangfang preview hand.json
    """
    request = read_request(source, pb.SettleHandRequest)
    asked = pb.PreviewSettlementRequest(table_id=request.table_id, record=request.record)
    answer = house.ask(house.settlement.PreviewSettlement, asked)
    _print_hand(printer, answer, answer.hand)


@asks_the_house
def void(
    house: House, printer: Printer, hand_id: HandArgument, reason: ReasonOption, request_id: RequestIdOption = ""
) -> None:
    """Voids a hand that is not settled: nothing is posted. One that is not known yet will be refused when it comes.

    Example: zhangfang void h-1 --reason "table struck by lightning"
    """
    request = pb.VoidHandRequest(request_id=request_id or new_id(), hand_id=hand_id, reason=reason)
    answer = house.ask(house.settlement.VoidHand, request)
    _print_hand(printer, answer, answer.hand)


@asks_the_house
def reverse(
    house: House, printer: Printer, hand_id: HandArgument, reason: ReasonOption, request_id: RequestIdOption = ""
) -> None:
    """Posts the exact opposite of a settled hand, once. Needs --actor.

    Example: zhangfang reverse h-1 --reason "wrong winner" --actor 張三
    """
    request = pb.ReverseHandRequest(request_id=request_id or new_id(), hand_id=hand_id, reason=reason)
    answer = house.ask(house.settlement.ReverseHand, request)
    _print_hand(printer, answer, answer.hand)


def _settle_many(house: House, printer: Printer, requests: Iterator[pb.SettleHandRequest]) -> None:
    """Settles a stream of hands, one line each; refused ones are told on stderr and counted."""
    settled = refused = 0
    stream = (pb.SettleHandsRequest(settle_hand=request) for request in requests)
    for answer in house.stream(house.settlement.SettleHands, stream):
        is_refused = answer.HasField("error")
        refused, settled = refused + is_refused, settled + (not is_refused)
        if printer.is_json:
            printer.message(answer)
        elif not is_refused:
            moved = ", ".join(f"{each.player_id} {each.net:+,}" for each in answer.hand.players)
            printer.line(f"{answer.hand_id}  position {answer.hand.position}  {moved}")
        if is_refused:
            typer.echo(f"{answer.hand_id}: {from_answer(answer.error)}", err=True)
    if not printer.is_json:
        printer.heading(f"{settled} settled, {refused} refused")
    if refused:
        raise typer.Exit(ExitCode.REFUSED)


def _identified(request: pb.SettleHandRequest) -> pb.SettleHandRequest:
    request.request_id = request.request_id or digest_id(request, "settle")
    return request


def _each(first: Any, second: Any, others: Iterator[Any]) -> Iterator[Any]:
    yield first
    yield second
    yield from others


def _print_hand(printer: Printer, answer: Any, hand: pb.Hand) -> None:
    if printer.is_json:
        printer.message(answer)
    else:
        show_hand(printer, hand)
