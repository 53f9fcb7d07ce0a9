"""Hands that arrive piece by piece: opened, dealt, chosen in, finished; each piece is checked when it comes."""

from typing import Any

from zhangfang.domain.admission import check_new_hand, check_open, table_for_hand
from zhangfang.domain.banking import bank_changed, open_bank
from zhangfang.domain.books import Books
from zhangfang.domain.commands import FinishHand, MakeChoice, OpenHand, RecordDeal, Request
from zhangfang.domain.events import ChoiceMade, DealRecorded, DomainEvent, HandOpened
from zhangfang.domain.hands import Hand, evolve_hand
from zhangfang.domain.reversing import replacement
from zhangfang.domain.settling import judge, pay_out, stake_of
from zhangfang.errors import Reason, Refusal, Status, Violation, faulty, invalid, refused_choice
from zhangfang.rules.games import GAMES

DEALING_PHASES = frozenset({"deal", "bet"})
"""When cards may come: a game waits for them, or takes bets until they do."""


def open_hand(books: Books, command: OpenHand) -> list[DomainEvent]:
    """A new hand, with the stake and the house rules of this moment. Rule: CM-4, CM-9."""
    table = table_for_hand(books, command.table_id, "")
    check_new_hand(books, command.hand_id)
    _check_seats(table.game, command.players)
    books.require_players(command.players)
    bank = open_bank(books, table, command.players[0])
    opened: DomainEvent = HandOpened(
        originator_id=f"hand/{command.hand_id}",
        originator_version=1,
        metadata=books.metadata(command.request),
        hand_id=command.hand_id,
        table_id=table.table_id,
        game=table.game,
        players=command.players,
        stake=stake_of(books, table, command.players),
        house_rules=table.house_rules,
        replaces_hand_id=command.replaces_hand_id,
    )
    events = [opened, *replacement(books, command.request, command.hand_id, command.replaces_hand_id)]
    if bank:
        events.append(bank_changed(books, command.request, table, bank, hand_id=command.hand_id))
    return events


def record_deal(books: Books, command: RecordDeal) -> list[DomainEvent]:
    """The cards, at the moment the game deals; at another one they are refused, whatever they are."""
    hand = _open_hand(books, command.hand_id, command.game, "deal")
    game = GAMES[hand.game]
    dealt = game.deal(hand.record, command.deal, hand.house_rules)
    if isinstance(dealt, tuple):
        is_time = game.progress(hand.record, hand.house_rules).phase in DEALING_PHASES
        raise faulty(dealt) if is_time else refused_choice(dealt)
    return [
        DealRecorded(
            originator_id=f"hand/{hand.hand_id}",
            originator_version=hand.version + 1,
            metadata=books.metadata(command.request),
            hand_id=hand.hand_id,
            table_id=hand.table_id,
            game=hand.game,
            deal=command.deal,
        )
    ]


def make_choice(books: Books, command: MakeChoice) -> list[DomainEvent]:
    """One choice of one player; a bet holds his silver, and a choice that ends the hand settles or voids it."""
    hand = _open_hand(books, command.hand_id, command.game, "choice")
    books.require_players((command.player_id,))
    game = GAMES[hand.game]
    involved = dict.fromkeys((*game.participants(hand.record), command.player_id))
    silver = books.available(involved, hand.holds)
    record = game.choose(hand.record, command.player_id, command.choice, hand.house_rules, hand.stake, silver)
    if isinstance(record, tuple):
        raise refused_choice(record)
    held = game.held_by(command.choice)
    chosen = ChoiceMade(
        originator_id=f"hand/{hand.hand_id}",
        originator_version=hand.version + 1,
        metadata=books.metadata(command.request),
        hand_id=hand.hand_id,
        table_id=hand.table_id,
        game=hand.game,
        player_id=command.player_id,
        choice=command.choice,
        opened_position=hand.opened_position,
        holds=((command.player_id, held),) if held else (),
    )
    if not game.progress(record, hand.house_rules).is_over:
        return [chosen]
    return [chosen, *_ended(books, command.request, evolve_hand(hand, chosen), record)]


def finish_hand(books: Books, command: FinishHand) -> list[DomainEvent]:
    """What was still missing, and the whole hand judged and paid."""
    hand = _open_hand(books, command.hand_id, command.game, "ending")
    record = GAMES[hand.game].finish(hand.record, command.ending, hand.house_rules)
    if isinstance(record, tuple):
        raise faulty(record)
    return _ended(books, command.request, hand, record)


def _ended(books: Books, request: Request, hand: Hand, record: Any) -> list[DomainEvent]:
    table = books.table(hand.table_id)
    game = GAMES[hand.game]
    participants = game.participants(record)
    books.require_players(participants)
    judged = judge(books, table, record, hand.stake, books.available(participants, hand.holds))
    return pay_out(books, request, table, hand, judged, table.bank)


def _open_hand(books: Books, hand_id: str, game: str, field: str) -> Hand:
    hand = books.hand(hand_id)
    check_open(hand, "nothing more can be added to it")
    if game != hand.game:
        raise Refusal(
            Status.INVALID_ARGUMENT,
            Reason.WRONG_GAME,
            f"{field} is of {game}, but hand {hand_id!r} is played at {hand.game}; set {field}.{hand.game}",
            {"hand_id": hand_id, "hand_game": hand.game, "game": game},
            (Violation(field, f"is of {game}, must be of {hand.game}"),),
        )
    return hand


def _check_seats(game_name: str, players: tuple[str, ...]) -> None:
    game = GAMES[game_name]
    least, most = game.opening_seats
    if not least <= len(players) <= most:
        seats = str(least) if least == most else f"{least} to {most}"
        raise invalid("players", f"{game_name} opens with {seats} players, the request names {len(players)}")
    if len(set(players)) != len(players):
        raise invalid("players", "a player is named twice; everybody has one seat")
