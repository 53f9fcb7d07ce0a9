"""Settling hands: where a verdict becomes postings."""

from collections.abc import Mapping
from typing import Any

from zhangfang.domain.admission import check_new_hand, table_for_hand
from zhangfang.domain.banking import bank_changed, banker_of, close_bank, open_bank, silver_after
from zhangfang.domain.books import Books
from zhangfang.domain.commands import Judged, Request, SettleHand
from zhangfang.domain.events import DomainEvent, HandSettled, PlayerSettlement, as_changes
from zhangfang.domain.hands import Hand, HandState
from zhangfang.domain.reversing import replacement
from zhangfang.domain.tables import Table
from zhangfang.domain.voiding import given_up, voided
from zhangfang.errors import faulty
from zhangfang.ledger.accounts import player_account
from zhangfang.ledger.postings import settlement_postings
from zhangfang.rules.banking import Bank
from zhangfang.rules.games import GAMES
from zhangfang.rules.levels import StakeMode, points_won, stake_by_wealth
from zhangfang.rules.payment import Payment, pay
from zhangfang.rules.verdict import Ended


def settle_hand(books: Books, command: SettleHand) -> list[DomainEvent]:
    """A finished hand in one go: judged, netted, paid."""
    table = table_for_hand(books, command.table_id, command.game)
    check_new_hand(books, command.hand_id)
    books.require_players(command.players)
    bank = open_bank(books, table, banker_of(table.game, command.record))
    judged = command.judged
    if judged is None:
        stake = stake_of(books, table, GAMES[table.game].seated(command.record))
        judged = judge(books, table, command.record, stake, books.available(command.players))
    hand = Hand(
        hand_id=command.hand_id,
        table_id=table.table_id,
        game=table.game,
        state=HandState.OPEN,
        version=0,
        position=0,
        recorded_at_us=0,
        metadata=books.metadata(command.request),
        replaces_hand_id=command.replaces_hand_id,
    )
    replaced = replacement(books, command.request, command.hand_id, command.replaces_hand_id)
    paid = pay_out(books, command.request, table, hand, judged, bank)
    return paid if judged.ended is Ended.REDEAL else [*paid, *replaced]


def judge(books: Books, table: Table, record: Any, stake: int, silver: Mapping[str, int]) -> Judged:
    """The verdict on a record at this table.

    Raises:
        Refusal: with all faults of the hand. Rule: CM-5.
    """
    verdict = books.referee(table.game, record, table.house_rules, stake, silver)
    if isinstance(verdict, tuple):
        raise faulty(verdict)
    return Judged.of(verdict, stake, books.scribe.judgement(table.game, stake, table.house_rules, record, verdict))


def stake_of(books: Books, table: Table, players: tuple[str, ...]) -> int:
    """What a hand of these players that opens now is played for, in silver; what is held is wealth too. Rule: CM-9."""
    if table.stake_mode is StakeMode.FIXED or not players:
        return table.stake
    return stake_by_wealth(table.game, [books.account(player_account(player_id)).balance for player_id in players])


def pay_out(
    books: Books, request: Request, table: Table, hand: Hand, judged: Judged, bank: Bank | None
) -> list[DomainEvent]:
    """The events of a judged hand: paid, or voided if nobody called; and the bank of its table passed on.

    ``bank`` is the table's bank while this hand runs.
    """
    if judged.ended is Ended.REDEAL:
        ended = voided(books, request, hand, "redeal: nobody called", judged.seats, judged.encoded)
        return [ended, *given_up(books, request, hand)]
    silver = books.available(judged.seats, hand.holds)
    payment = pay(judged.ended, judged.seats, judged.obligations, silver, table.money_rules)
    if isinstance(payment, tuple):
        raise faulty(payment)
    points = books.level_points(table.game, judged.seats)
    won = points_won(table.money_rules.points_per_win, table.game, payment.net, points)
    postings = books.post(settlement_postings(payment), hand.holds)
    ends = {posted.account: posted.balance_after for posted in postings}
    settled = HandSettled(
        originator_id=f"hand/{hand.hand_id}",
        originator_version=hand.version + 1,
        metadata=books.metadata(request),
        hand_id=hand.hand_id,
        table_id=table.table_id,
        game=table.game,
        replaces_hand_id=hand.replaces_hand_id,
        postings=postings,
        holds=hand.released,
        level_points=as_changes(won),
        players=_settlements(books, hand, payment, ends, won),
        judgement=judged.encoded,
    )
    after = {each.player_id: each.available_after for each in settled.players}
    passed_on = close_bank(table, bank, judged.outcome, silver_after(books, bank, after))
    if passed_on is None or passed_on == table.bank:
        return [settled]
    return [settled, bank_changed(books, request, table, passed_on, hand_id=hand.hand_id)]


def _settlements(
    books: Books, hand: Hand, payment: Payment, ends: Mapping[str, int], won: Mapping[str, int]
) -> tuple[PlayerSettlement, ...]:
    settlements = []
    for player_id, *silver in payment.by_player():
        account = player_account(player_id)
        before, held = books.account(account)
        balance = ends.get(account, before)
        free = balance - held + hand.holds.get(player_id, 0)
        settlements.append(PlayerSettlement._make((player_id, *silver, won.get(player_id, 0), balance, free)))
    return tuple(settlements)
