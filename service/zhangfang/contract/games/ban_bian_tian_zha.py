"""半邊天炸 on the wire: its messages, read into the record and written back."""

from typing import Any

from zhangfang.contract.codec import Codec
from zhangfang.rules.games.ban_bian_tian_zha import GAME
from zhangfang.rules.games.ban_bian_tian_zha.record import (
    SEATS,
    BanBianTianZhaChoice,
    BanBianTianZhaDeal,
    BanBianTianZhaEnding,
    BanBianTianZhaHand,
    BanBianTianZhaRules,
    BankAction,
    BankWord,
    ChoiceKind,
    Dou,
    FirstLead,
    How,
    LeadAfterOut,
    Side,
)
from zhangfang.rules.games.ban_bian_tian_zha.settlement import BanBianTianZhaOutcome, Points
from zhangfang.wire.games.v1 import ban_bian_tian_zha_pb2 as pb
from zhangfang.wire.games.v1 import cards_pb2

# The values of the wire's enums by number. 0 is "not said"; a number nobody knows is handed on for the rules to refuse.
_FIRST_LEADS = dict(enumerate((FirstLead.ANY, FirstLead.ANY, FirstLead.SPADE_THREE, FirstLead.BANKER)))
_LEADS_AFTER_OUT = dict(
    enumerate((LeadAfterOut.NEXT_SEAT, LeadAfterOut.NEXT_SEAT, LeadAfterOut.PARTNER, LeadAfterOut.ANY))
)
_BANK_WORDS = dict(enumerate((BankWord.FAN_BAO, BankWord.PASS, BankWord.KAI_DA, BankWord.SURRENDER), 1))

_FIRST_LEAD_NUMBERS: dict[object, int] = {value: number for number, value in _FIRST_LEADS.items()}
_LEAD_AFTER_OUT_NUMBERS: dict[object, int] = {value: number for number, value in _LEADS_AFTER_OUT.items()}
_BANK_WORD_NUMBERS: dict[object, int] = {value: number for number, value in _BANK_WORDS.items()}
_HOW_NUMBERS: dict[object, Any] = {How.FAN_BAO: 1, How.KAI_DA: 2, How.SURRENDER: 3}
_SIDE_NUMBERS: dict[object, Any] = {None: 0, Side.BANKER: 1, Side.IDLERS: 2}


def read_rules(message: Any) -> BanBianTianZhaRules:
    """The house rules of a table; what is left out has its default. Rule: CM-4."""
    defaults = BanBianTianZhaRules()
    return BanBianTianZhaRules(
        first_lead=_FIRST_LEADS.get(message.first_lead, message.first_lead),
        lead_after_out=_LEADS_AFTER_OUT.get(message.lead_after_out, message.lead_after_out),
        surrender_counts_chui=message.surrender_counts_chui,
        negative_requires_transfer=(
            message.negative_requires_transfer
            if message.HasField("negative_requires_transfer")
            else defaults.negative_requires_transfer
        ),
        kai_da_factor=message.kai_da_factor if message.HasField("kai_da_factor") else defaults.kai_da_factor,
    )


def write_rules(rules: BanBianTianZhaRules) -> pb.BanBianTianZhaRules:
    """All house rules, defaults as well: what is settled says by which rules, whatever later defaults are."""
    return pb.BanBianTianZhaRules(
        first_lead=_number(_FIRST_LEAD_NUMBERS, rules.first_lead),
        lead_after_out=_number(_LEAD_AFTER_OUT_NUMBERS, rules.lead_after_out),
        surrender_counts_chui=rules.surrender_counts_chui,
        negative_requires_transfer=rules.negative_requires_transfer,
        kai_da_factor=rules.kai_da_factor,
    )


def _number(numbers: dict[object, int], value: object) -> Any:
    """An enum's number on the wire; one that was unknown when read is written as it came."""
    return numbers.get(value, value)


def read_hand(message: Any) -> BanBianTianZhaHand:
    """A hand as recorded; an empty ``chui`` is that of an open hand, in which not everybody has spoken."""
    return BanBianTianZhaHand(
        players=tuple(message.players),
        chui=tuple(message.chui) or (None,) * SEATS,
        deal=read_deal(message.deal) if message.HasField("deal") else None,
        bank=tuple([BankAction(action.seat, _bank_word(action.kind)) for action in message.bank]),
        dou=tuple([Dou(dou.seat, dou.dou) for dou in message.dou]),
        lei=message.lei if message.HasField("lei") else None,
        plays=_read_plays(message),
    )


def write_hand(hand: BanBianTianZhaHand) -> pb.BanBianTianZhaHand:
    """A hand as recorded; ``chui`` is left out until everybody has spoken."""
    has_chui = None not in hand.chui
    return pb.BanBianTianZhaHand(
        players=hand.players,
        deal=write_deal(hand.deal) if hand.deal else None,
        chui=[bool(chui) for chui in hand.chui] if has_chui else [],
        bank=[
            pb.BanBianTianZhaBankAction(seat=seat, kind=_number(_BANK_WORD_NUMBERS, word)) for seat, word in hand.bank
        ],
        dou=[pb.BanBianTianZhaDou(seat=seat, dou=dou) for seat, dou in hand.dou],
        lei=hand.lei,
        plays=_write_plays(hand.plays),
    )


def _bank_word(number: int) -> BankWord | int:
    """A word for the bank, or the number that stands for none."""
    return _BANK_WORDS.get(number, number)


def _read_plays(message: Any) -> tuple[tuple[int, str], ...]:
    """All plays, passes included, as plain pairs: a hand has some seventy."""
    return tuple([(play.seat, play.cards) for play in message.plays])


def _write_plays(plays: tuple[tuple[int, str], ...]) -> list[cards_pb2.Play]:
    """All plays, passes included."""
    return [cards_pb2.Play(seat=seat, cards=cards) for seat, cards in plays]


def read_deal(message: Any) -> BanBianTianZhaDeal:
    """The cards dealt, a text for each seat."""
    return BanBianTianZhaDeal(tuple(message.hands))


def write_deal(deal: BanBianTianZhaDeal) -> pb.BanBianTianZhaDeal:
    """The cards dealt, a text for each seat."""
    return pb.BanBianTianZhaDeal(hands=deal.hands)


def read_choice(message: Any) -> BanBianTianZhaChoice:
    """One choice; a message that chooses nothing has no kind."""
    field = message.WhichOneof("choice")
    if field is None:
        return BanBianTianZhaChoice(None, None)
    value = getattr(message, field)
    return BanBianTianZhaChoice(ChoiceKind(field), _bank_word(value) if field == ChoiceKind.BANK else value)


def write_choice(choice: BanBianTianZhaChoice) -> pb.BanBianTianZhaChoice:
    """One choice, in the field of its kind."""
    if choice.kind is None:
        return pb.BanBianTianZhaChoice()
    value: Any = _number(_BANK_WORD_NUMBERS, choice.value) if choice.kind == ChoiceKind.BANK else choice.value
    return pb.BanBianTianZhaChoice(**{str(choice.kind): value})


def read_ending(message: Any) -> BanBianTianZhaEnding:
    """The plays that end an open hand."""
    return BanBianTianZhaEnding(_read_plays(message))


def write_ending(ending: BanBianTianZhaEnding) -> pb.BanBianTianZhaEnding:
    """The plays that end an open hand."""
    return pb.BanBianTianZhaEnding(plays=_write_plays(ending.plays))


def write_outcome(outcome: BanBianTianZhaOutcome) -> pb.BanBianTianZhaOutcome:
    """The facts of a judged hand; why an idler has his multiplier is told by the steps."""
    message = pb.BanBianTianZhaOutcome(
        how=_HOW_NUMBERS[outcome.how],
        banker=outcome.banker,
        surrendered=outcome.surrendered,
        first_leader=outcome.first_leader,
        gave_20=_SIDE_NUMBERS[outcome.gave_20],
        finishing_order=outcome.finishing_order,
        first_out=outcome.first_out,
        negative=_SIDE_NUMBERS[outcome.negative],
        winner=_SIDE_NUMBERS[outcome.winner],
    )
    if outcome.captured and outcome.after_transfer:
        _write_points(message.captured, outcome.captured)
        _write_points(message.after_transfer, outcome.after_transfer)
    for idler in outcome.idlers:
        message.idlers.add(seat=idler.seat, multiplier=idler.multiplier)
    return message


def _write_points(message: pb.BanBianTianZhaPoints, points: Points) -> None:
    """The points of both sides; left out after a surrender."""
    message.banker, message.idlers = points.banker, points.idlers


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
