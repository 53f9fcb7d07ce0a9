"""The auction: who becomes landlord, and for how much (叫地主, 搶地主).

Rule: DZ-2 … DZ-5. Source: seed, "叫分規則". That the other player may call after a pass, and that a decline ends the
robbing, is the house's reading.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from zhangfang.rules.games.er_ren_dou_di_zhu.record import AuctionAction, Word
from zhangfang.rules.verdict import Fault

ROBS_MAX = 4
BEFORE_THE_CALL = (Word.CALL, Word.PASS)
AFTER_THE_CALL = (Word.ROB, Word.DECLINE)


@dataclass(slots=True)
class Auction:
    """Where the auction stands after the words heard so far.

    ``speaker`` is the seat whose turn it is, ``words`` what it may say: nothing once the auction is over. ``holder``
    called or robbed last, and is the landlord if the auction ends so.
    """

    speaker: int
    words: tuple[Word, ...] = BEFORE_THE_CALL
    heard: int = 0
    holder: int | None = None
    robs: int = 0

    @property
    def is_over(self) -> bool:
        """Whether nobody may speak any more."""
        return not self.words

    @property
    def is_redeal(self) -> bool:
        """Whether both passed, so that the cards are dealt anew. Rule: DZ-3."""
        return not self.words and self.holder is None

    @property
    def landlord(self) -> int | None:
        """The landlord's seat, once the auction has made one."""
        return None if self.words else self.holder

    @property
    def rule(self) -> str:
        """The rule that judges the next word."""
        return "DZ-3" if self.holder is None else "DZ-4"

    def hear(self, word: Word | int) -> None:
        """Takes a word that the speaker may say, and gives the turn to the other. Rule: DZ-3, DZ-4."""
        if word == Word.CALL:
            self.holder = self.speaker
            self.words = AFTER_THE_CALL
        elif word == Word.ROB:
            self.holder = self.speaker
            self.robs += 1
            if self.robs == ROBS_MAX:
                self.words = ()
        elif word == Word.DECLINE or self.heard:
            self.words = ()
        self.heard += 1
        self.speaker = 1 - self.speaker


def hold_auction(actions: Sequence[AuctionAction], first_speaker: int, players: Sequence[str]) -> Auction | Fault:
    """Hears the auction word by word, up to its first fault."""
    auction = Auction(first_speaker)
    for seat, word in actions:
        if seat != auction.speaker or word not in auction.words:
            return refuse_word(auction, word, players[seat] if 0 <= seat < len(players) else None, players)
        auction.hear(word)
    return auction


def refuse_word(auction: Auction, word: Word | int, player: str | None, players: Sequence[str]) -> Fault:
    """The fault of a word after the end, out of turn, or where another is due; ``player`` None is nobody's seat."""
    name = player or "somebody without a seat"
    rule = auction.rule
    due = players[auction.speaker]
    if auction.is_over:
        end = "both passed and the cards are dealt anew" if auction.is_redeal else "the auction has its landlord"
        reason = f"says {word}, but {end}; nothing more may be said"
    elif player == due:
        reason = f"says {word}, where only {' or '.join(auction.words)} can be said"
    elif auction.heard:
        reason = f"says {word} out of turn; it is the turn of {due}"
    else:
        rule = "DZ-2"
        reason = f"speaks first, but the call card lies with {due}, who has the first word"
    text = f"auction word {auction.heard}: {name} {reason}"
    return Fault(rule=rule, section="auction", action=auction.heard, player=player, text=text)


def stops_unheard(auction: Auction, players: Sequence[str]) -> Fault:
    """The fault of an auction that stops before it is over: at the word that is missing."""
    words = " or ".join(auction.words)
    text = f"the auction stops before word {auction.heard}; {players[auction.speaker]} has yet to say {words}"
    return Fault(rule=auction.rule, section="auction", action=auction.heard, text=text)
