"""Settling, voiding and reversing hands: where a verdict becomes postings."""

from collections.abc import Mapping
from typing import Any

from zhangfang.domain.banking import bank_changed, banker_of, close_bank, open_bank, silver_after
from zhangfang.domain.books import Books, as_changes
from zhangfang.domain.commands import Judged, Request, ReverseHand, SettleHand, VoidHand
from zhangfang.domain.events import DomainEvent, HandReplaced, HandReversed, HandSettled, HandVoided, PlayerSettlement
from zhangfang.domain.hands import Hand, HandState
from zhangfang.domain.tables import Table
from zhangfang.errors import Reason, Refusal, Status, faulty, invalid
from zhangfang.ledger.accounts import player_account
from zhangfang.ledger.postings import Posting, reversal_postings, settlement_postings
from zhangfang.ledger.reversal import HandStanding, check_replacement, check_reversal
from zhangfang.rules.banking import Bank
from zhangfang.rules.levels import StakeMode, points_won, stake_by_wealth
from zhangfang.rules.payment import Payment, pay
from zhangfang.rules.verdict import Ended, Faults


def settle_hand(books: Books, command: SettleHand) -> list[DomainEvent]:
    """A finished hand in one go: judged, netted, paid."""
    table = table_for_hand(books, command.table_id, command.game)
    check_new_hand(books, command.hand_id)
    books.require_players(command.players)
    bank = open_bank(books, table, banker_of(table.game, command.record))
    available = books.available(command.players)
    stake = stake_of(books, table, command.players)
    judged = command.judged or judge(books, table, command.record, stake, available)
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
    return paid if judged.verdict.ended is Ended.REDEAL else [*paid, *replaced]


def judge(books: Books, table: Table, record: Any, stake: int, silver: Mapping[str, int]) -> Judged:
    """The verdict on a record at this table.

    Raises:
        Refusal: with all faults of the hand. Rule: CM-5.
    """
    verdict = books.referee(table.game, record, table.house_rules, stake, silver)
    if isinstance(verdict, tuple):
        raise faulty(verdict)
    return Judged(verdict, stake, books.scribe.judgement(table.game, stake, table.house_rules, record, verdict))


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
    verdict = judged.verdict
    if verdict.ended is Ended.REDEAL:
        ended = voided(books, request, hand, "redeal: nobody called", verdict.seats, judged.encoded)
        return [ended, *_given_up(books, request, hand)]
    silver = books.available(verdict.seats, hand.holds)
    payment = pay(verdict.ended, verdict.seats, verdict.obligations, silver, table.money_rules)
    if isinstance(payment, tuple):
        raise faulty(payment)
    points = books.level_points(table.game, verdict.seats)
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
        holds=_released(hand),
        level_points=as_changes(won),
        players=_settlements(books, hand, payment, ends, won),
        judgement=judged.encoded,
    )
    after = {each.player_id: each.available_after for each in settled.players}
    passed_on = close_bank(table, bank, verdict.outcome, silver_after(books, bank, after))
    if passed_on is None or passed_on == table.bank:
        return [settled]
    return [settled, bank_changed(books, request, table, passed_on, hand_id=hand.hand_id)]


def _settlements(
    books: Books, hand: Hand, payment: Payment, ends: Mapping[str, int], won: Mapping[str, int]
) -> tuple[PlayerSettlement, ...]:
    settlements = []
    for player_id, net in payment.net.items():
        account = books.account(player_account(player_id))
        balance = ends.get(player_account(player_id), account.balance)
        settlements.append(
            PlayerSettlement(
                player_id,
                net,
                payment.owed[player_id],
                payment.paid[player_id],
                payment.shortfall[player_id],
                payment.won[player_id],
                payment.received[player_id],
                payment.rake[player_id],
                payment.table_fee[player_id],
                won.get(player_id, 0),
                balance,
                balance - account.held + hand.holds.get(player_id, 0),
            )
        )
    return tuple(settlements)


def void_hand(books: Books, command: VoidHand) -> list[DomainEvent]:
    """Ends a hand without a posting. One that is not known yet becomes a tombstone: it is refused when it comes."""
    hand = books.hands.get(command.hand_id)
    if hand is None:
        hand = Hand(
            hand_id=command.hand_id,
            table_id="",
            game="",
            state=HandState.OPEN,
            version=0,
            position=0,
            recorded_at_us=0,
            metadata=books.metadata(command.request),
        )
    check_open(hand, "only an open or an unknown hand can be voided")
    ended = voided(books, command.request, hand, command.reason, hand.players)
    return [ended, *_given_up(books, command.request, hand)]


def _given_up(books: Books, request: Request, hand: Hand) -> list[DomainEvent]:
    """What a voided hand gives free: the hand it would have settled again, and the bank of its table."""
    events: list[DomainEvent] = [*_released_replacement(books, request, hand)]
    table = books.tables.get(hand.table_id)
    if table and hand.version:
        after = books.available(hand.holds, hand.holds)
        bank = close_bank(table, table.bank, None, silver_after(books, table.bank, after))
        if bank:
            events.append(bank_changed(books, request, table, bank, hand_id=hand.hand_id))
    return events


def voided(
    books: Books, request: Request, hand: Hand, reason: str, players: tuple[str, ...], judgement: bytes = b""
) -> HandVoided:
    """The event that ends a hand without a posting."""
    return HandVoided(
        originator_id=f"hand/{hand.hand_id}",
        originator_version=hand.version + 1,
        metadata=books.metadata(request),
        hand_id=hand.hand_id,
        table_id=hand.table_id,
        game=hand.game,
        reason=reason,
        players=players,
        replaces_hand_id=hand.replaces_hand_id,
        holds=_released(hand),
        judgement=judgement,
    )


def reverse_hand(books: Books, command: ReverseHand) -> list[DomainEvent]:
    """Posts the exact opposite of a settled hand, once. Rule: CM-11."""
    hand = books.hand(command.hand_id)
    if not command.request.actor.strip():
        raise invalid("x-zhangfang-actor", "CM-11: a reversal names who answers for it; set this call metadata")
    faults = check_reversal(hand.hand_id, standing_of(hand), command.request.actor, command.reason)
    if faults:
        reason = Reason.HAND_ALREADY_REVERSED if hand.state is HandState.REVERSED else Reason.HAND_NOT_SETTLED
        raise _refused_by_rule(faults, reason, hand)
    postings = [Posting(posted.account, posted.amount, posted.kind) for posted in hand.postings]
    reversed_hand = HandReversed(
        originator_id=f"hand/{hand.hand_id}",
        originator_version=hand.version + 1,
        metadata=books.metadata(command.request),
        hand_id=hand.hand_id,
        table_id=hand.table_id,
        game=hand.game,
        reason=command.reason,
        postings=books.post(reversal_postings(postings)),
        level_points=tuple([(player_id, -points) for player_id, points in hand.level_points]),
    )
    return [reversed_hand, *_released_replacement(books, command.request, hand)]


def standing_of(hand: Hand | None) -> HandStanding:
    """What CM-11 asks of a hand."""
    if hand is None or hand.state in (HandState.OPEN, HandState.VOIDED):
        return HandStanding.UNKNOWN
    if hand.state is HandState.SETTLED:
        return HandStanding.SETTLED
    return HandStanding.REPLACED if hand.replaced_by else HandStanding.REVERSED


def replacement(books: Books, request: Request, hand_id: str, replaces_hand_id: str) -> list[DomainEvent]:
    """Marks a reversed hand as settled again by this one; nothing if it settles none again. Rule: CM-11."""
    if not replaces_hand_id:
        return []
    replaced = books.hands.get(replaces_hand_id)
    faults = check_replacement(replaces_hand_id, standing_of(replaced))
    if faults or replaced is None:
        raise _refused_by_rule(faults, Reason.REPLACED_HAND_NOT_REVERSED, replaced)
    return [_replaced(books, request, replaced, hand_id)]


def _released_replacement(books: Books, request: Request, hand: Hand) -> list[DomainEvent]:
    """A hand that had settled another again gives that one free when it comes to nothing itself."""
    replaced = books.hands.get(hand.replaces_hand_id)
    if replaced is None or replaced.replaced_by != hand.hand_id:
        return []
    return [_replaced(books, request, replaced, "")]


def _replaced(books: Books, request: Request, hand: Hand, by_hand_id: str) -> HandReplaced:
    return HandReplaced(
        originator_id=f"hand/{hand.hand_id}",
        originator_version=hand.version + 1,
        metadata=books.metadata(request),
        hand_id=hand.hand_id,
        table_id=hand.table_id,
        game=hand.game,
        by_hand_id=by_hand_id,
    )


def table_for_hand(books: Books, table_id: str, game: str) -> Table:
    """A table that takes hands of this game.

    Raises:
        Refusal: if there is none, it is closed, or another game is played there.
    """
    table = books.table(table_id)
    if not table.is_open:
        raise Refusal(
            Status.FAILED_PRECONDITION,
            Reason.TABLE_CLOSED,
            f"table {table_id!r} is closed; it takes no new hands",
            {"table_id": table_id},
        )
    if game and game != table.game:
        raise Refusal(
            Status.INVALID_ARGUMENT,
            Reason.WRONG_GAME,
            f"table {table_id!r} plays {table.game}, the request is about {game}",
            {"table_id": table_id, "table_game": table.game, "game": game},
        )
    return table


def check_new_hand(books: Books, hand_id: str) -> None:
    """Refuses a hand id that is in use, or was voided before the hand came."""
    hand = books.hands.get(hand_id)
    if hand is None:
        return
    if hand.state is HandState.VOIDED:
        raise Refusal(
            Status.FAILED_PRECONDITION,
            Reason.HAND_VOIDED,
            f"hand {hand_id!r} was voided: {hand.reason}",
            {"hand_id": hand_id, "void_reason": hand.reason},
        )
    raise Refusal(
        Status.ALREADY_EXISTS,
        Reason.HAND_EXISTS,
        f"hand {hand_id!r} exists already and is {hand.state.lower()}; a hand id is used once",
        {"hand_id": hand_id, "state": hand.state},
    )


def _released(hand: Hand) -> tuple[tuple[str, int], ...]:
    return as_changes({player_id: -held for player_id, held in hand.holds.items()})


def check_open(hand: Hand, text: str) -> None:
    """Refuses a hand that has ended; ``text`` says what only an open hand can do."""
    if hand.state is HandState.OPEN:
        return
    why = f" ({hand.reason})" if hand.reason else ""
    raise Refusal(
        Status.FAILED_PRECONDITION,
        Reason.HAND_VOIDED if hand.state is HandState.VOIDED else Reason.HAND_NOT_OPEN,
        f"hand {hand.hand_id!r} is {hand.state.lower()}{why}: {text}",
        {"hand_id": hand.hand_id, "state": hand.state},
    )


def _refused_by_rule(faults: Faults, reason: Reason, hand: Hand | None) -> Refusal:
    metadata = {"hand_id": hand.hand_id, "state": hand.state} if hand else {}
    text = f"{faults[0].rule}: {faults[0].text}"
    return Refusal(Status.FAILED_PRECONDITION, reason, text, metadata, faults=faults)
