"""二人鬥地主 on the wire: its messages, read into the record and written back."""

from typing import Any

from google.protobuf.message import Message

from zhangfang.contract.codec import Codec
from zhangfang.rules.games.er_ren_dou_di_zhu import GAME
from zhangfang.rules.games.er_ren_dou_di_zhu.record import (
    AuctionAction,
    ErRenDouDiZhuChoice,
    ErRenDouDiZhuDeal,
    ErRenDouDiZhuEnding,
    ErRenDouDiZhuHand,
    ErRenDouDiZhuRules,
    Side,
    Word,
)
from zhangfang.rules.games.er_ren_dou_di_zhu.settlement import ErRenDouDiZhuOutcome
from zhangfang.wire.games.v1 import cards_pb2
from zhangfang.wire.games.v1 import er_ren_dou_di_zhu_pb2 as pb

_DEFAULTS = ErRenDouDiZhuRules()

# The words by their number on the wire. A number that stands for none is handed on for the rules to refuse.
_WORDS: dict[int, Word] = {
    pb.ErRenDouDiZhuAuctionAction.KIND_CALL: Word.CALL,
    pb.ErRenDouDiZhuAuctionAction.KIND_PASS: Word.PASS,
    pb.ErRenDouDiZhuAuctionAction.KIND_ROB: Word.ROB,
    pb.ErRenDouDiZhuAuctionAction.KIND_DECLINE: Word.DECLINE,
}
_WORD_NUMBERS: dict[object, int] = {word: number for number, word in _WORDS.items()}
_SIDE_NUMBERS = {
    None: pb.ErRenDouDiZhuOutcome.SIDE_UNSPECIFIED,
    Side.LANDLORD: pb.ErRenDouDiZhuOutcome.SIDE_LANDLORD,
    Side.FARMER: pb.ErRenDouDiZhuOutcome.SIDE_FARMER,
}


def read_rules(message: Any) -> ErRenDouDiZhuRules:
    """The house rules of a table; what is left out has its default. Rule: CM-4."""
    has = message.HasField
    return ErRenDouDiZhuRules(
        rob_multipliers=tuple(message.rob_multipliers) or _DEFAULTS.rob_multipliers,
        call_rang_pai=message.call_rang_pai if has("call_rang_pai") else _DEFAULTS.call_rang_pai,
        distinct_single_wings=(
            message.distinct_single_wings if has("distinct_single_wings") else _DEFAULTS.distinct_single_wings
        ),
        bomb_factor=message.bomb_factor if has("bomb_factor") else _DEFAULTS.bomb_factor,
    )


def write_rules(rules: ErRenDouDiZhuRules) -> Message:
    """All house rules, defaults as well: what is settled says by which rules, whatever later defaults are."""
    return pb.ErRenDouDiZhuRules(
        rob_multipliers=rules.rob_multipliers,
        call_rang_pai=rules.call_rang_pai,
        distinct_single_wings=rules.distinct_single_wings,
        bomb_factor=rules.bomb_factor,
    )


def read_hand(message: Any) -> ErRenDouDiZhuHand:
    """A hand as recorded, finished or not."""
    has = message.HasField
    return ErRenDouDiZhuHand(
        players=tuple(message.players),
        deal=read_deal(message.deal) if has("deal") else None,
        auction=tuple([AuctionAction(action.seat, _word(action.kind)) for action in message.auction]),
        rang_xian=message.rang_xian if has("rang_xian") else None,
        plays=_read_plays(message.plays),
        escape=message.escape.seat if has("escape") else None,
    )


def write_hand(hand: ErRenDouDiZhuHand) -> Message:
    """A hand as recorded, finished or not."""
    return pb.ErRenDouDiZhuHand(
        players=hand.players,
        deal=None if hand.deal is None else write_deal(hand.deal),
        auction=[pb.ErRenDouDiZhuAuctionAction(seat=seat, kind=_number(word)) for seat, word in hand.auction],
        rang_xian=hand.rang_xian,
        plays=_write_plays(hand.plays),
        escape=_write_escape(hand.escape),
    )


def read_deal(message: Any) -> ErRenDouDiZhuDeal:
    """The cards dealt: a text for each seat, the bottom cards, the call card."""
    return ErRenDouDiZhuDeal(hands=tuple(message.hands), bottom=message.bottom, call_card=message.call_card)


def write_deal(deal: ErRenDouDiZhuDeal) -> pb.ErRenDouDiZhuDeal:
    """The cards dealt: a text for each seat, the bottom cards, the call card."""
    return pb.ErRenDouDiZhuDeal(hands=deal.hands, bottom=deal.bottom, call_card=deal.call_card)


def read_choice(message: Any) -> ErRenDouDiZhuChoice:
    """One choice; a message that chooses nothing gives one that is refused."""
    chosen = message.WhichOneof("choice")
    return ErRenDouDiZhuChoice(
        word=_word(message.auction) if chosen == "auction" else None,
        rang_xian=message.rang_xian if chosen == "rang_xian" else None,
        escape=message.escape if chosen == "escape" else None,
    )


def write_choice(choice: ErRenDouDiZhuChoice) -> Message:
    """One choice, in its field."""
    if choice.word is not None:
        return pb.ErRenDouDiZhuChoice(auction=_number(choice.word))
    if choice.rang_xian is not None:
        return pb.ErRenDouDiZhuChoice(rang_xian=choice.rang_xian)
    if choice.escape is not None:
        return pb.ErRenDouDiZhuChoice(escape=choice.escape)
    return pb.ErRenDouDiZhuChoice()


def read_ending(message: Any) -> ErRenDouDiZhuEnding:
    """What ends an open hand: its plays, and who ran away during them."""
    return ErRenDouDiZhuEnding(
        plays=_read_plays(message.plays),
        escape=message.escape.seat if message.HasField("escape") else None,
    )


def write_ending(ending: ErRenDouDiZhuEnding) -> Message:
    """What ends an open hand: its plays, and who ran away during them."""
    return pb.ErRenDouDiZhuEnding(plays=_write_plays(ending.plays), escape=_write_escape(ending.escape))


def write_outcome(outcome: ErRenDouDiZhuOutcome) -> Message:
    """The facts of a judged hand; what there is none of is left out."""
    return pb.ErRenDouDiZhuOutcome(
        landlord=outcome.landlord,
        winner=outcome.winner,
        winner_side=_SIDE_NUMBERS[outcome.winner_side],
        robs=outcome.robs,
        rang_xian=outcome.rang_xian,
        rang_pai=outcome.rang_pai,
        spring=outcome.spring,
        anti_spring=outcome.anti_spring,
        bombs=outcome.bombs,
        multiplier=outcome.multiplier,
        redeal=outcome.redeal,
        escape=outcome.escape,
        cards_left=outcome.cards_left,
        tong_tian_shun=outcome.tong_tian_shun,
    )


def _word(number: int) -> Word | int:
    """A word of the auction, or the number that stands for none."""
    return _WORDS.get(number, number)


def _number(word: Word | int) -> Any:
    """A word's number on the wire; one that stood for none is written as it came."""
    return _WORD_NUMBERS.get(word, word)


def _read_plays(plays: Any) -> tuple[tuple[int, str], ...]:
    """All plays, passes included."""
    return tuple([(play.seat, play.cards) for play in plays])


def _write_plays(plays: tuple[tuple[int, str], ...]) -> list[cards_pb2.Play]:
    """All plays, passes included."""
    return [cards_pb2.Play(seat=seat, cards=cards) for seat, cards in plays]


def _write_escape(seat: int | None) -> pb.ErRenDouDiZhuEscape | None:
    """Who ran away, if anybody did."""
    return None if seat is None else pb.ErRenDouDiZhuEscape(seat=seat)


CODEC = Codec(
    game=GAME,
    read_rules=read_rules,
    write_rules=write_rules,
    read_hand=read_hand,
    write_hand=write_hand,
    read_deal=read_deal,
    write_deal=write_deal,
    read_choice=read_choice,
    write_choice=write_choice,
    read_ending=read_ending,
    write_ending=write_ending,
    write_outcome=write_outcome,
)
