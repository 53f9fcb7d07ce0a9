"""What may come to the counter: a hand of the table's game under a new id, and only while table and hand are open."""

from zhangfang.domain.books import Books
from zhangfang.domain.hands import Hand, HandState
from zhangfang.domain.tables import Table
from zhangfang.errors import Reason, Refusal, Status, table_closed
from zhangfang.ledger.reversal import HandStanding, check_hand_id


def table_for_hand(books: Books, table_id: str, game: str) -> Table:
    """A table that takes hands of this game.

    Raises:
        Refusal: if there is none, it is closed, or another game is played there.
    """
    table = books.table(table_id)
    if not table.is_open:
        raise table_closed(table_id, "; it takes no new hands")
    if game and game != table.game:
        raise Refusal(
            Status.INVALID_ARGUMENT,
            Reason.WRONG_GAME,
            f"table {table_id!r} plays {table.game}, the request is about {game}",
            {"table_id": table_id, "table_game": table.game, "game": game},
        )
    return table


def check_new_hand(books: Books, hand_id: str) -> None:
    """Refuses a hand id that is in use, or was voided before the hand came. Rule: CM-11."""
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
    metadata = {"hand_id": hand_id, "state": hand.state}
    if hand.state is HandState.OPEN:
        text = f"hand {hand_id!r} exists already and is open; a hand id is used once"
        raise Refusal(Status.ALREADY_EXISTS, Reason.HAND_EXISTS, text, metadata)
    [fault] = check_hand_id(hand_id, HandStanding[hand.state])
    text = f"{fault.rule}: {fault.text}"
    raise Refusal(Status.ALREADY_EXISTS, Reason.HAND_EXISTS, text, metadata, faults=(fault,))


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
