"""A hand that arrives piece by piece: the deal, the auction's words, rang_xian, the plays or an escape.

Every piece is judged as the finished record would be, so that a hand accepted piece by piece is a hand that the judge
accepts. Rule: DZ-1 … DZ-6, DZ-30.
"""

from collections.abc import Mapping
from dataclasses import replace

from zhangfang.rules.game import Opening, Progress
from zhangfang.rules.games.er_ren_dou_di_zhu.auction import Auction, refuse_word
from zhangfang.rules.games.er_ren_dou_di_zhu.choices import hear_auction
from zhangfang.rules.games.er_ren_dou_di_zhu.deal import Cards, find_first_speaker, look_at
from zhangfang.rules.games.er_ren_dou_di_zhu.judge import check_players
from zhangfang.rules.games.er_ren_dou_di_zhu.record import (
    AuctionAction,
    ErRenDouDiZhuChoice,
    ErRenDouDiZhuDeal,
    ErRenDouDiZhuEnding,
    ErRenDouDiZhuHand,
    ErRenDouDiZhuRules,
    Word,
)
from zhangfang.rules.verdict import Fault, Faults

Continued = ErRenDouDiZhuHand | Faults


def begin(players: tuple[str, ...]) -> ErRenDouDiZhuHand:
    """A hand before the deal."""
    return ErRenDouDiZhuHand(players=players)


def deal(record: ErRenDouDiZhuHand, cards: ErRenDouDiZhuDeal, _rules: ErRenDouDiZhuRules) -> Continued:
    """Deals the cards, once. Rule: DZ-1, DZ-2."""
    if record.deal is not None:
        return (Fault(rule="DZ-1", section="deal", action=0, text="the cards of this hand have been dealt already"),)
    dealt = check_players(record.players) or look_at(cards, record.players)
    if not isinstance(dealt, Cards):
        return dealt
    first_speaker = find_first_speaker(dealt, cards.call_card)
    return (first_speaker,) if isinstance(first_speaker, Fault) else replace(record, deal=cards)


def choose(
    record: ErRenDouDiZhuHand,
    player: str,
    choice: ErRenDouDiZhuChoice,
    _rules: ErRenDouDiZhuRules,
    _stake: int,
    _silver: Mapping[str, int],
) -> Continued:
    """One choice of one player: a word in the auction, rang_xian or not, or an escape.

    Rule: DZ-2, DZ-3, DZ-4, DZ-6, DZ-30.
    """
    if record.deal is None:
        rule, text = ("DZ-30" if choice.escape else "DZ-1"), "the cards are not dealt yet; the first choice comes after"
        return (Fault(rule=rule, section="deal", action=0, player=player, text=f"{player} chooses, but {text}"),)
    auction = _hear(record)
    if record.escape is not None:
        text = f"{player} chooses after the escape of {record.players[record.escape]}, which ended the hand"
        return (Fault(rule="DZ-30", section="escape", action=0, player=player, text=text),)
    if choice.word is not None:
        return _speak(record, auction, player, choice.word)
    if choice.rang_xian is not None:
        return _choose_rang_xian(record, auction, player, rang_xian=choice.rang_xian)
    return _escape(record, auction, player, is_meant=choice.escape is True)


def finish(record: ErRenDouDiZhuHand, ending: ErRenDouDiZhuEnding, _rules: ErRenDouDiZhuRules) -> Continued:
    """The record with its plays, for the judge to look at. A hand that an escape has ended takes none. Rule: DZ-30."""
    if record.escape is None:
        return replace(record, plays=ending.plays, escape=ending.escape)
    if ending.plays or ending.escape is not None:
        text = f"the hand goes on after the escape of {record.players[record.escape]}, which ended it"
        return (Fault(rule="DZ-30", section="escape", action=0, text=text),)
    return record


def progress(record: ErRenDouDiZhuHand, _rules: ErRenDouDiZhuRules) -> Progress:
    """What the hand waits for, and who may choose what; from the deal on everybody may also run away.

    Phases: ``deal``, ``auction``, ``rang_xian``, ``play``, and ``over`` after a redeal or an escape.
    """
    if record.deal is None:
        return Progress("deal", ())
    auction = _hear(record)
    if record.escape is not None or auction.is_redeal:
        return Progress("over", (), is_over=True)
    if not auction.is_over:
        return Progress("auction", _open(record, auction.speaker, auction.words))
    if record.rang_xian is None:
        return Progress("rang_xian", _open(record, auction.landlord, ("rang_xian",)))
    return Progress("play", _open(record, None, ()))


def _hear(record: ErRenDouDiZhuHand) -> Auction:
    """The auction of an open hand so far.

    Raises:
        ValueError: for a record that ``deal`` and ``choose`` did not make.
    """
    cards = look_at(record.deal, record.players)
    auction = hear_auction(record, cards) if isinstance(cards, Cards) else cards[0]
    if isinstance(auction, Fault):
        raise ValueError(auction.text)  # noqa: TRY004 - a fault where none can be is a wrong value
    return auction


def _open(record: ErRenDouDiZhuHand, chooser: int | None, kinds: tuple[str, ...]) -> tuple[Opening, ...]:
    """The openings of both seats: ``kinds`` for the chooser, an escape for everybody."""
    return tuple(
        [
            Opening(player, (*map(str, kinds), "escape") if seat == chooser else ("escape",))
            for seat, player in enumerate(record.players)
        ]
    )


def _speak(record: ErRenDouDiZhuHand, auction: Auction, player: str, word: Word | int) -> Continued:
    """Adds a word to the auction. Rule: DZ-2, DZ-3, DZ-4."""
    if player != record.players[auction.speaker] or word not in auction.words:
        return (refuse_word(auction, word, player, record.players),)
    return replace(record, auction=(*record.auction, AuctionAction(auction.speaker, word)))


def _choose_rang_xian(record: ErRenDouDiZhuHand, auction: Auction, player: str, *, rang_xian: bool) -> Continued:
    """Takes the landlord's choice, once. Rule: DZ-6."""
    if auction.landlord is None:
        reason = "but the auction has made no landlord who could"
    elif record.players[auction.landlord] != player:
        reason = f"but only the landlord {record.players[auction.landlord]} may"
    elif record.rang_xian is not None:
        reason = f"but has chosen already, and the first choice stands: {str(record.rang_xian).lower()}"
    else:
        return replace(record, rang_xian=rang_xian)
    text = f"{player} chooses rang_xian, {reason}"
    return (Fault(rule="DZ-6", section="rang_xian", action=0, player=player, text=text),)


def _escape(record: ErRenDouDiZhuHand, auction: Auction, player: str, *, is_meant: bool) -> Continued:
    """Lets a player run away while the hand lasts. Rule: DZ-30."""
    if not is_meant:
        text = f"{player} chooses nothing; a choice is a word in the auction, rang_xian or an escape"
    elif auction.is_redeal:
        text = f"{player} escapes after both passed; a redeal ends the hand and nobody owes anything"
    elif player not in record.players:
        text = f"{player} escapes, but the hand is played by {' and '.join(record.players)}"
    else:
        return replace(record, escape=record.players.index(player))
    return (Fault(rule="DZ-30", section="escape", action=0, player=player, text=text),)
