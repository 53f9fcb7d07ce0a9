"""九點半 between the wire and the rules.

The wire's enum members are named like the rulebook's values behind a prefix; a number without a member stays a number,
and the rules find it faulty (CM-4, of a door JD-1).
"""

from typing import Any

from zhangfang.contract.codec import Codec
from zhangfang.rules.games.jiu_dian_ban import GAME
from zhangfang.rules.games.jiu_dian_ban.record import (
    NO_DEAL,
    BankerMode,
    BetCap,
    BetChoice,
    CardValues,
    Deal,
    Door,
    Ending,
    JiuDianBanHand,
    JiuDianBanRules,
    PairRanking,
)
from zhangfang.rules.games.jiu_dian_ban.settlement import JiuDianBanOutcome
from zhangfang.wire.games.v1 import jiu_dian_ban_pb2 as wire

_DEFAULTS = JiuDianBanRules()

_CARD_VALUES = {
    wire.JiuDianBanRules.CARD_VALUES_UNSPECIFIED: _DEFAULTS.card_values,
    wire.JiuDianBanRules.CARD_VALUES_J1_Q1_KHALF: CardValues.J1_Q1_KHALF,
    wire.JiuDianBanRules.CARD_VALUES_J1_Q2_K3: CardValues.J1_Q2_K3,
}
_PAIR_RANKINGS = {
    wire.JiuDianBanRules.PAIR_RANKING_UNSPECIFIED: _DEFAULTS.pair_ranking,
    wire.JiuDianBanRules.PAIR_RANKING_EQUAL: PairRanking.EQUAL,
    wire.JiuDianBanRules.PAIR_RANKING_BY_RANK: PairRanking.BY_RANK,
}
_BET_CAPS = {
    wire.JiuDianBanRules.BET_CAP_UNSPECIFIED: _DEFAULTS.bet_cap,
    wire.JiuDianBanRules.BET_CAP_BANKER_SILVER: BetCap.BANKER_SILVER,
    wire.JiuDianBanRules.BET_CAP_BANKER_SILVER_OVER_MAX_PAYOUT: BetCap.BANKER_SILVER_OVER_MAX_PAYOUT,
}
_BANKER_MODES = {
    wire.JiuDianBanRules.BANKER_MODE_UNSPECIFIED: _DEFAULTS.banker_mode,
    wire.JiuDianBanRules.BANKER_MODE_SEATS: BankerMode.SEATS,
    wire.JiuDianBanRules.BANKER_MODE_QUEUE: BankerMode.QUEUE,
}
_DOORS: dict[int, Door] = {wire.DOOR_SHANG: Door.SHANG, wire.DOOR_TIAN: Door.TIAN, wire.DOOR_XIA: Door.XIA}

# The same the other way; a default is written as what it is.
_NUMBERS: dict[object, int] = {
    value: number
    for values in (_CARD_VALUES, _PAIR_RANKINGS, _BET_CAPS, _BANKER_MODES, _DOORS)
    for number, value in values.items()
    if number
}


def read_rules(message: wire.JiuDianBanRules) -> JiuDianBanRules:
    """House rules; what is left out has the default."""
    return JiuDianBanRules(
        card_values=_CARD_VALUES.get(message.card_values, int(message.card_values)),
        pair_ranking=_PAIR_RANKINGS.get(message.pair_ranking, int(message.pair_ranking)),
        bet_cap=_BET_CAPS.get(message.bet_cap, int(message.bet_cap)),
        banker_mode=_BANKER_MODES.get(message.banker_mode, int(message.banker_mode)),
    )


def write_rules(rules: JiuDianBanRules) -> wire.JiuDianBanRules:
    """House rules with every field said, so that a later default changes no table."""
    return wire.JiuDianBanRules(
        card_values=_number_of(rules.card_values),
        pair_ranking=_number_of(rules.pair_ranking),
        bet_cap=_number_of(rules.bet_cap),
        banker_mode=_number_of(rules.banker_mode),
    )


def read_hand(message: wire.JiuDianBanHand) -> JiuDianBanHand:
    """A finished hand."""
    bets = tuple([(bet.player, _DOORS.get(number := bet.door, number), bet.silver) for bet in message.bets])
    deal = read_deal(message.deal) if message.HasField("deal") else NO_DEAL
    return JiuDianBanHand(message.banker, bets, deal, tuple(message.seats))


def write_hand(hand: JiuDianBanHand) -> wire.JiuDianBanHand:
    """A hand, finished or not."""
    return wire.JiuDianBanHand(
        banker=hand.banker,
        bets=[
            wire.JiuDianBanBet(player=player, door=_number_of(door), silver=silver)
            for player, door, silver in hand.bets
        ],
        deal=None if hand.deal == NO_DEAL else write_deal(hand.deal),
        seats=hand.seats,
    )


def read_deal(message: wire.JiuDianBanDeal) -> Deal:
    """The dealt cards."""
    return Deal(message.banker, message.shang, message.tian, message.xia, message.turned_card)


def write_deal(deal: Deal) -> wire.JiuDianBanDeal:
    """The dealt cards."""
    return wire.JiuDianBanDeal(
        banker=deal.banker, shang=deal.shang, tian=deal.tian, xia=deal.xia, turned_card=deal.turned_card
    )


def read_choice(message: wire.JiuDianBanChoice) -> BetChoice:
    """A bet."""
    return BetChoice(_DOORS.get(message.door, message.door), message.silver)


def write_choice(choice: BetChoice) -> wire.JiuDianBanChoice:
    """A bet."""
    return wire.JiuDianBanChoice(door=_number_of(choice.door), silver=choice.silver)


def read_ending(message: wire.JiuDianBanEnding) -> Ending:
    """The cards that end a hand, unless they came before."""
    return Ending(read_deal(message.deal) if message.HasField("deal") else NO_DEAL)


def write_ending(ending: Ending) -> wire.JiuDianBanEnding:
    """The cards that end a hand, unless they came before."""
    return wire.JiuDianBanEnding(deal=None if ending.deal == NO_DEAL else write_deal(ending.deal))


def write_outcome(outcome: JiuDianBanOutcome) -> wire.JiuDianBanOutcome:
    """The facts of a judged hand; of the banker's own hand only class and half points are said."""
    message = wire.JiuDianBanOutcome(
        banker_beaten_by_all=outcome.banker_beaten_by_all,
        deal_start=outcome.deal_start or "",
        banker_shortfall=outcome.banker_shortfall,
        next_banker=outcome.next_banker or "",
    )
    for hand in outcome.hands:
        message.hands.add(
            name=hand.name,
            half_points=hand.half_points,
            beats_banker=hand.beats_banker,
            factor=hand.factor if hand.name != "banker" else 0,
            **{"class": hand.hand_class},
        )
    return message


def _number_of(value: object) -> Any:  # a number of any of the enums
    """The wire's number of a value; a number that nobody knows goes back as it came."""
    return _NUMBERS.get(value, value)


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
