"""Voiding a hand: it ends without a posting, and what it held is free again."""

from zhangfang.domain.admission import check_open
from zhangfang.domain.banking import bank_changed, close_bank, silver_after
from zhangfang.domain.books import Books
from zhangfang.domain.commands import Request, VoidHand
from zhangfang.domain.events import DomainEvent, HandVoided
from zhangfang.domain.hands import Hand, HandState
from zhangfang.rules.games import GAMES


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
    ended = voided(books, command.request, hand, command.reason, _participants(hand))
    return [ended, *given_up(books, command.request, hand)]


def given_up(books: Books, request: Request, hand: Hand) -> list[DomainEvent]:
    """What a voided hand gives free: the bank of its table."""
    table = books.tables.get(hand.table_id)
    if table is None or not hand.version:
        return []
    after = books.available(hand.holds, hand.holds)
    bank = close_bank(table, table.bank, None, silver_after(books, table.bank, after))
    return [bank_changed(books, request, table, bank, hand_id=hand.hand_id)] if bank else []


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
        holds=hand.released,
        judgement=judgement,
    )


def _participants(hand: Hand) -> tuple[str, ...]:
    """Everybody who sat down, and whoever joined by a bet."""
    joined = GAMES[hand.game].participants(hand.record) if hand.game else ()
    return tuple(dict.fromkeys((*hand.players, *joined)))
