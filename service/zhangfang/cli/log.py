"""``log``, ``head`` and ``verify``: the log as it is written, and whether it is sound."""

from contextlib import suppress
from typing import Annotated

import typer

from zhangfang.cli.connection import House, asks_the_house
from zhangfang.cli.printing import Printer, moment, to_json
from zhangfang.cli.problems import CommandError, ExitCode
from zhangfang.cli.progress import progress_bar
from zhangfang.cli.tables import GameOption
from zhangfang.rules.verdict import INT64_MAX, INT64_MIN
from zhangfang.wire.v1 import audit_pb2 as pb

PositionOption = Annotated[
    int, typer.Option("--position", min=INT64_MIN, max=INT64_MAX, help="A position; 0 for the end of the log.")
]


@asks_the_house
def log(
    house: House,
    printer: Printer,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Go on with new events until Ctrl-C.")] = False,
    after: Annotated[
        int, typer.Option("--after", min=INT64_MIN, max=INT64_MAX, help="Only events after this position.")
    ] = 0,
    tail: Annotated[int | None, typer.Option("--tail", min=0, help="Begin with the last so many events.")] = None,
    table: Annotated[str, typer.Option("--table", help="Only events of this table.")] = "",
    player: Annotated[str, typer.Option("--player", help="Only events that concern this player.")] = "",
    hand: Annotated[str, typer.Option("--hand", help="Only events of this hand.")] = "",
    game: GameOption = "",
    topics: Annotated[
        list[str] | None, typer.Option("--topic", help="Only events of this topic, e.g. HandSettled.")
    ] = None,
    stored_bytes: Annotated[
        bool, typer.Option("--stored-bytes", help="With --json: the bytes the hash is over.")
    ] = False,
) -> None:
    """Prints the events of the log, one a line.

    Example: zhangfang log --tail 10 --follow --topic HandSettled
    """
    if tail is not None:
        after = max(after, house.ask(house.audit.GetLogHead, pb.GetLogHeadRequest()).position - tail)
    request = pb.StreamEventsRequest(
        after_position=after,
        follow=follow,
        table_id=table,
        player_id=player,
        hand_id=hand,
        game=game,
        topics=topics or (),
        include_stored_bytes=stored_bytes,
    )
    with suppress(KeyboardInterrupt):  # it is how following ends
        for answer in house.stream(house.audit.StreamEvents, request):
            if printer.is_json:
                printer.message(answer.event)
            else:
                printer.line(_line_of(answer.event))


@asks_the_house
def head(house: House, printer: Printer, position: PositionOption = 0) -> None:
    """Prints the last position and hash of the log: a receipt for everything before it.

    Example: zhangfang head --position 17
    """
    answer = house.ask(house.audit.GetLogHead, pb.GetLogHeadRequest(position=position))
    if printer.is_json:
        printer.message(answer)
        return
    printer.facts(
        ("position", str(answer.position)),
        ("hash", answer.hash.hex()),
        ("recorded", moment(answer.recorded_at)),
        ("receipt", f"{answer.position}:{answer.hash.hex()}"),
    )


@asks_the_house
def verify(house: House, printer: Printer) -> None:
    """Walks the whole log and checks chain, postings and every projection. Exits with 1 if anything is wrong.

    Example: zhangfang verify
    """
    finding = None
    with progress_bar("verifying") as show:
        for step in house.stream(house.audit.VerifyLog, pb.VerifyLogRequest()):
            show(step.position, step.last_position)
            finding = step if step.HasField("finding") else finding
    if finding is None:
        raise CommandError(ExitCode.UNREACHABLE, "UNAVAILABLE", "the verification ended without a finding; try again")
    if printer.is_json:
        printer.message(finding)
    else:
        _show_finding(printer, finding.finding)
    if not finding.finding.is_sound:
        raise typer.Exit(ExitCode.REFUSED)


def _show_finding(printer: Printer, finding: pb.VerifyLogResponse.Finding) -> None:
    printer.heading("The log is sound." if finding.is_sound else "The log is NOT sound.")
    printer.facts(("events", f"{finding.event_count:,}"), ("head hash", finding.head_hash.hex()))
    if finding.discrepancies:
        rows = [(str(each.position or ""), each.place, each.text) for each in finding.discrepancies]
        printer.table("Discrepancies", ("#position", "place", "what differs"), rows)


def _line_of(event: pb.Event) -> str:
    body = event.WhichOneof("body")
    shown = to_json(getattr(event, body)) if body else ""
    return f"{event.position:>8}  {moment(event.recorded_at)}  {event.topic:<16}  {event.stream}  {shown}"
