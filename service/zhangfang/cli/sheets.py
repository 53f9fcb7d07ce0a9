"""Hands and tables as sheets of the account book: what was dealt, why who pays whom, and what was posted."""

from collections.abc import Iterable, Sequence
from typing import Any

from rich.text import Text

from zhangfang.cli.printing import Printer, moment, silver, word
from zhangfang.cli.records import show_record
from zhangfang.rules.games import GAMES
from zhangfang.wire.v1 import money_pb2, settlement_pb2


def show_hand(printer: Printer, hand: settlement_pb2.Hand) -> None:
    """Everything about one hand."""
    printer.heading(f"Hand {hand.hand_id or '(preview)'}  {title_of(hand.game)}")
    printer.facts(
        ("table", hand.table_id),
        ("state", word(settlement_pb2.HandState.Name(hand.state))),
        ("ended", word(settlement_pb2.Ended.Name(hand.judgement.ended)) if hand.judgement.ended else ""),
        ("stake", Text(f"{hand.judgement.stake:,}")),
        ("position", str(hand.position or "")),
        ("occurred", moment(hand.occurred_at)),
        ("recorded", moment(hand.recorded_at)),
        ("actor", hand.actor),
        ("reason", hand.reason),
        ("replaces", hand.replaces_hand_id),
        ("replaced by", hand.replaced_by_hand_id),
        ("reversed at", str(hand.reversal_position or "")),
        ("phase", hand.phase),
        *((f"open to {opening.player_id}", ", ".join(opening.kinds)) for opening in hand.openings),
        *((f"held of {hold.player_id}", Text(f"{hold.silver:,}")) for hold in hand.holds),
    )
    show_record(printer, hand.judgement)
    show_settlement(printer, hand)
    show_postings(printer, "Postings 分錄", hand.postings)
    show_postings(printer, "Reversal postings 沖銷分錄", hand.reversal_postings)


def show_settlement(printer: Printer, hand: settlement_pb2.Hand) -> None:
    """The steps, in English and Chinese, and what they did to each player's silver. Rule: CM-3."""
    if hand.judgement.steps:
        printer.table(
            "Steps 結算",
            ("rule", "who pays", "#silver", "why 因"),
            [
                (step.rule, f"{step.payer} → {step.payee}", step.amount, f"{step.text}\n{step.text_zh}")
                for step in hand.judgement.steps
            ],
        )
    if hand.players:
        _show_players(printer, hand.players)


def show_postings(printer: Printer, title: str, postings: Sequence[money_pb2.Posting]) -> None:
    """Lines of double entry; nothing if there are none."""
    if postings:
        rows = [
            (each.account, each.amount, word(money_pb2.PostingKind.Name(each.kind)), each.balance_after)
            for each in postings
        ]
        printer.table(title, ("account", "#silver", "kind", "#balance after"), rows)


def show_hands(printer: Printer, hands: Iterable[settlement_pb2.Hand]) -> None:
    """A list of hands; where each stands in the log is told of one hand, not of a list."""
    rows = [
        (
            each.hand_id,
            each.table_id,
            title_of(each.game),
            word(settlement_pb2.HandState.Name(each.state)),
            moment(each.recorded_at),
        )
        for each in hands
    ]
    printer.table("", ("hand", "table", "game", "state", "recorded"), rows)


def show_table(printer: Printer, table: settlement_pb2.Table) -> None:
    """One table with its house rules."""
    printer.heading(f"Table {table.table_id}  {title_of(table.game)}")
    is_fixed = table.stake_mode == money_pb2.STAKE_MODE_FIXED
    printer.facts(
        ("state", word(settlement_pb2.Table.State.Name(table.state))),
        ("stake", silver(table.stake) if is_fixed else "by wealth"),
        ("shortfall", word(money_pb2.ShortfallPolicy.Name(table.shortfall))),
        ("table fee", silver(table.table_fee) if table.table_fee else ""),
        ("rake", f"{table.rake_per_mille} per mille" if table.rake_per_mille else ""),
        ("opened", moment(table.opened_at)),
        ("closed", moment(table.closed_at)),
    )
    rules = getattr(table.rules, table.game) if table.rules.WhichOneof("game") else None
    if rules is not None:
        printer.facts(*((f"rule {field.name}", _rule_text(field, value)) for field, value in rules.ListFields()))
    if table.HasField("bank"):
        show_bank(printer, table.bank)


def show_bank(printer: Printer, bank: settlement_pb2.BankState) -> None:
    """Who banks at a 九點半 table, and who is next. Rule: JD-13, JD-14."""
    printer.facts(
        ("banker 莊家", bank.banker or "nobody"),
        ("waiting 上莊列表", ", ".join(bank.queue)),
        ("seats", ", ".join(bank.seats)),
        ("stepping down 申請下莊", "after this hand" if bank.is_stepping_down else ""),
    )


def title_of(game: str) -> str:
    """A game's Chinese title with its name."""
    return f"{GAMES[game].title} {game}" if game in GAMES else game


def _show_players(printer: Printer, players: Sequence[money_pb2.PlayerSettlement]) -> None:
    """A row a player; columns in which everybody has nothing are left out."""
    columns = [
        name
        for name in ("net", "owed", "paid", "shortfall", "won", "received", "rake", "table_fee", "level_points")
        if name == "net" or any(getattr(each, name) for each in players)
    ]
    if any(each.available_after != each.balance_after for each in players):
        columns += ["balance_after", "available_after"]
    else:
        columns.append("balance_after")
    rows = [(each.player_id, *(getattr(each, name) for name in columns)) for each in players]
    printer.table("Silver 銀子", ("player", *(f"#{name.replace('_', ' ')}" for name in columns)), rows)


def _rule_text(field: Any, value: Any) -> str:
    if field.is_repeated:
        return ", ".join(str(each) for each in value)
    if field.enum_type is not None:
        name = str(field.enum_type.values_by_number[value].name)
        return name.removeprefix(_prefix(field.enum_type.name)) if value in field.enum_type.values_by_number else name
    return str(value).lower() if isinstance(value, bool) else str(value)


def _prefix(enum_name: str) -> str:
    """``FlushCompare`` → ``FLUSH_COMPARE_``: how proto names the values of an enum."""
    return "".join(f"_{each}" if each.isupper() else each.upper() for each in enum_name).lstrip("_") + "_"
