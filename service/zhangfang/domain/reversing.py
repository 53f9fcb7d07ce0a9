"""Reversing a settled hand, and settling it again under another id. Rule: CM-11."""

from zhangfang.domain.books import Books
from zhangfang.domain.commands import Request, ReverseHand
from zhangfang.domain.events import DomainEvent, HandReplaced, HandReversed
from zhangfang.domain.hands import Hand, HandState
from zhangfang.errors import Reason, Refusal, Status, invalid
from zhangfang.ledger.postings import Posting, reversal_postings
from zhangfang.ledger.reversal import HandStanding, check_replacement, check_reversal
from zhangfang.rules.verdict import Faults


def reverse_hand(books: Books, command: ReverseHand) -> list[DomainEvent]:
    """Posts the exact opposite of a settled hand, once. Rule: CM-11."""
    hand = books.hand(command.hand_id)
    if not command.request.actor.strip():
        raise invalid("x-zhangfang-actor", "CM-11: a reversal names who answers for it; set this call metadata")
    faults = check_reversal(hand.hand_id, _standing_of(books, hand), command.request.actor, command.reason)
    if faults:
        reason = Reason.HAND_ALREADY_REVERSED if hand.state is HandState.REVERSED else Reason.HAND_NOT_SETTLED
        raise _refused_by_rule(faults, reason, hand)
    postings = [Posting(posted.account, posted.amount, posted.kind) for posted in hand.postings]
    return [
        HandReversed(
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
    ]


def replacement(books: Books, request: Request, hand_id: str, replaces_hand_id: str) -> list[DomainEvent]:
    """Marks a reversed hand as settled again by this one; nothing if it settles none again.

    If it was settled again before and that came to nothing, this hand follows the last that did: whichever of them is
    named, only one settlement of what was played ever stands.
    """
    if not replaces_hand_id:
        return []
    named = books.hands.get(replaces_hand_id)
    last = _last_of_chain(books, named)
    faults = check_replacement(replaces_hand_id, _standing_of(books, last))
    if faults or last is None:
        raise _refused_by_rule(faults, Reason.REPLACED_HAND_NOT_REVERSED, named)
    return [
        HandReplaced(
            originator_id=f"hand/{last.hand_id}",
            originator_version=last.version + 1,
            metadata=books.metadata(request),
            hand_id=last.hand_id,
            table_id=last.table_id,
            game=last.game,
            by_hand_id=hand_id,
        )
    ]


def _last_of_chain(books: Books, hand: Hand | None) -> Hand | None:
    """The last reversed hand of those that settled this one again and again."""
    while hand:
        follower = books.hands.get(hand.replaced_by)
        if follower is None or follower.state is not HandState.REVERSED:
            break
        hand = follower
    return hand


def _standing_of(books: Books, hand: Hand | None) -> HandStanding:
    """What CM-11 asks of a hand; a settlement that replaces it counts until it is voided or reversed."""
    if hand is None or hand.state in (HandState.OPEN, HandState.VOIDED):
        return HandStanding.UNKNOWN
    if hand.state is HandState.SETTLED:
        return HandStanding.SETTLED
    follower = books.hands.get(hand.replaced_by)
    stands = follower is not None and follower.state in (HandState.OPEN, HandState.SETTLED)
    return HandStanding.REPLACED if stands else HandStanding.REVERSED


def _refused_by_rule(faults: Faults, reason: Reason, hand: Hand | None) -> Refusal:
    metadata = {"hand_id": hand.hand_id, "state": hand.state} if hand else {}
    text = f"{faults[0].rule}: {faults[0].text}"
    return Refusal(Status.FAILED_PRECONDITION, reason, text, metadata, faults=faults)
