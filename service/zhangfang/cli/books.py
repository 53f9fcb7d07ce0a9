"""``balance``, ``statement``, ``hand``, ``hands`` and ``trial-balance``: what the books say."""

from typing import Annotated

import typer

from zhangfang.cli.connection import House, asks_the_house
from zhangfang.cli.printing import Printer, moment, silver, word
from zhangfang.cli.problems import misused
from zhangfang.cli.requests import LimitOption, read_moment
from zhangfang.cli.settling import HandArgument
from zhangfang.cli.sheets import show_hand, show_hands
from zhangfang.cli.tables import GameOption
from zhangfang.domain.hands import HandState
from zhangfang.ledger.accounts import is_account, player_account
from zhangfang.ledger.postings import PostingKind
from zhangfang.rules.verdict import INT64_MAX, INT64_MIN
from zhangfang.wire.v1 import accounts_pb2, audit_pb2, money_pb2, settlement_pb2

AccountArgument = Annotated[
    str, typer.Argument(help="An account (player/<id>, system/cash …) or a player's id.", show_default=False)
]
FromOption = Annotated[
    str, typer.Option("--from", help="Only what was recorded at or after, e.g. 2026-01-31T00:00:00Z.")
]
BeforeOption = Annotated[str, typer.Option("--before", help="Only what was recorded before this time.")]
TableOption = Annotated[str, typer.Option("--table", help="Only of this table.")]


@asks_the_house
def balance(
    house: House,
    printer: Printer,
    account: AccountArgument,
    at_position: Annotated[
        int | None, typer.Option("--at-position", min=INT64_MIN, max=INT64_MAX, help="As it was after this position.")
    ] = None,
    at_time: Annotated[str, typer.Option("--at-time", help="As it was at this time, e.g. 2026-01-31T12:00:00Z.")] = "",
) -> None:
    """Shows an account's balance, now or as it was.

    Example: zhangfang balance p-1 --at-position 17
    """
    if at_position is not None and at_time:
        raise misused("--at-position and --at-time exclude each other")
    request = accounts_pb2.GetBalanceRequest(account=account_of(account), time=read_moment("--at-time", at_time))
    if at_position is not None:
        request.position = at_position
    answer = house.ask(house.accounts.GetBalance, request)
    if printer.is_json:
        printer.message(answer)
        return
    printer.facts(
        ("account", answer.account),
        ("balance", silver(answer.balance)),
        ("held", silver(answer.held) if answer.held else ""),
        ("at position", str(answer.position)),
    )


@asks_the_house
def statement(
    house: House,
    printer: Printer,
    account: AccountArgument,
    recorded_from: FromOption = "",
    recorded_before: BeforeOption = "",
    table: TableOption = "",
    hand: Annotated[str, typer.Option("--hand", help="Only of this hand.")] = "",
    kind: Annotated[PostingKind | None, typer.Option("--kind", case_sensitive=False, help="Only of this kind.")] = None,
    limit: LimitOption = 0,
) -> None:
    """Lists an account's entries, newest first, all pages.

    Example: zhangfang statement p-1 --kind rake
    """
    request = accounts_pb2.ListEntriesRequest(
        account=account_of(account),
        recorded_from=read_moment("--from", recorded_from),
        recorded_before=read_moment("--before", recorded_before),
        table_id=table,
        hand_id=hand,
        kind=money_pb2.PostingKind.Value(f"POSTING_KIND_{kind.name if kind else 'UNSPECIFIED'}"),
    )
    entries = house.pages(house.accounts.ListEntries, request, "entries", limit)
    if printer.is_json:
        for each in entries:
            printer.message(each)
        return
    rows = [
        (
            str(each.position),
            moment(each.recorded_at),
            word(money_pb2.PostingKind.Name(each.kind)),
            each.hand_id,
            each.table_id,
            each.amount,
            each.balance_after,
        )
        for each in entries
    ]
    columns = ("#position", "recorded", "kind", "hand", "table", "#silver", "#balance after")
    printer.table(f"Statement 對帳單 of {request.account}", columns, rows)


@asks_the_house
def hand(house: House, printer: Printer, hand_id: HandArgument) -> None:
    """Shows a hand: its cards, every step in English and Chinese, its postings.

    Example: zhangfang hand h-1
    """
    answer = house.ask(house.settlement.GetHand, settlement_pb2.GetHandRequest(hand_id=hand_id))
    if printer.is_json:
        printer.message(answer)
    else:
        show_hand(printer, answer.hand)


@asks_the_house
def hands(
    house: House,
    printer: Printer,
    player: Annotated[str, typer.Option("--player", help="Only of this player.")] = "",
    table: TableOption = "",
    game: GameOption = "",
    state: Annotated[
        HandState | None, typer.Option("--state", case_sensitive=False, help="Only those in this state.")
    ] = None,
    recorded_from: FromOption = "",
    recorded_before: BeforeOption = "",
    limit: LimitOption = 0,
) -> None:
    """Lists hands, newest first, all pages.

    Example: zhangfang hands --player p-1 --state settled --limit 10
    """
    request = settlement_pb2.ListHandsRequest(
        player_id=player,
        table_id=table,
        game=game,
        state=settlement_pb2.HandState.Value(f"HAND_STATE_{state.name if state else 'UNSPECIFIED'}"),
        recorded_from=read_moment("--from", recorded_from),
        recorded_before=read_moment("--before", recorded_before),
    )
    found = house.pages(house.settlement.ListHands, request, "hands", limit)
    if printer.is_json:
        for each in found:
            printer.message(each)
    else:
        show_hands(printer, found)


@asks_the_house
def trial_balance(
    house: House,
    printer: Printer,
    players: Annotated[bool, typer.Option("--players", help="List the players' accounts one by one.")] = False,
) -> None:
    """Shows every account's debits, credits and balance; the balances sum to zero.

    Example: zhangfang trial-balance --players
    """
    request = audit_pb2.GetTrialBalanceRequest(include_players=players)
    answer = house.ask(house.audit.GetTrialBalance, request)
    if printer.is_json:
        printer.message(answer)
        return
    rows = [(each.account, each.debits, each.credits, each.balance) for each in answer.accounts]
    printer.table(
        f"Trial balance 試算表 at position {answer.position}",
        ("account", "#debits", "#credits", "#balance"),
        [*rows, ("sum", "", "", answer.balance_sum)],
    )


def account_of(text: str) -> str:
    """An account's name; a player's id stands for his account.

    >>> account_of("p-1"), account_of("system/cash")
    ('player/p-1', 'system/cash')
    """
    return text if is_account(text) else player_account(text)
