"""``demo``: a sample evening of all four games, played through the wire and told step by step."""

from zhangfang.cli.connection import House, asks_the_house
from zhangfang.cli.printing import Printer, silver
from zhangfang.cli.sheets import show_settlement, title_of
from zhangfang.samples import Sample, SampleHand, read_samples
from zhangfang.wire.v1 import accounts_pb2, audit_pb2


@asks_the_house
def demo(house: House, printer: Printer) -> None:
    """Opens a table of each game, registers and funds players, settles sample hands, and explains every payment.

    Can be run again: its request ids are fixed, so the service gives the answers of the first time.

    Example: zhangfang demo
    """
    play(house, printer)


def play(house: House, printer: Printer) -> None:
    """Plays the samples of all games."""
    known = house.ask(house.audit.GetLogHead, audit_pb2.GetLogHeadRequest()).position
    for sample in read_samples():
        _play_sample(house, printer, sample, known)


def _play_sample(house: House, printer: Printer, sample: Sample, known: int) -> None:
    """One game; what lies at or before position ``known`` was there before this demo began."""
    opened = house.ask(house.settlement.OpenTable, sample.table)
    for registration in sample.registrations:
        house.ask(house.accounts.RegisterPlayer, registration)
    for deposit in sample.deposits:
        house.ask(house.accounts.Deposit, deposit)
    if not printer.is_json:
        again = "  (played before: these are the answers of the first time)" if opened.position <= known else ""
        printer.line()
        printer.heading(
            f"═══ {title_of(sample.game)}, table {opened.table.table_id}, stake {opened.table.stake:,}{again}"
        )
    for hand in sample.hands:
        _settle(house, printer, hand)
    if not printer.is_json:
        _show_balances(house, printer, sample)


def _settle(house: House, printer: Printer, sample_hand: SampleHand) -> None:
    answer = house.ask(house.settlement.SettleHand, sample_hand.request)
    if printer.is_json:
        printer.message(answer)
        return
    printer.line()
    printer.heading(f"{sample_hand.name} · {sample_hand.name_zh}")
    printer.line(f"hand {answer.hand.hand_id}, position {answer.hand.position}", "dim")
    show_settlement(printer, answer.hand)


def _show_balances(house: House, printer: Printer, sample: Sample) -> None:
    players = [
        house.ask(house.accounts.GetPlayer, accounts_pb2.GetPlayerRequest(player_id=each.player_id)).player
        for each in sample.registrations
    ]
    printer.line()
    printer.heading("Balances now 現有銀子")
    printer.facts(*((f"{each.player_id} {each.display_name}", silver(each.balance)) for each in players))
