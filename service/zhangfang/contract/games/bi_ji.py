"""比機 between the wire and the rules.

The wire's enum members are named like the rulebook's values behind a prefix; a number without a member stays a number,
and the rules find it faulty (CM-4).
"""

from typing import Any

from zhangfang.contract.codec import Codec
from zhangfang.rules.games.bi_ji import GAME
from zhangfang.rules.games.bi_ji.record import (
    BiJiHand,
    BiJiRules,
    Deal,
    Ending,
    FlushCompare,
    LateLayout,
    Layout,
    LayoutChoice,
)
from zhangfang.rules.games.bi_ji.settlement import BiJiOutcome
from zhangfang.wire.games.v1 import bi_ji_pb2 as wire

_DEFAULTS = BiJiRules()

_FLUSH_COMPARES = {
    wire.BiJiRules.FLUSH_COMPARE_UNSPECIFIED: _DEFAULTS.flush_compare,
    wire.BiJiRules.FLUSH_COMPARE_TOP_THEN_SUIT: FlushCompare.TOP_THEN_SUIT,
    wire.BiJiRules.FLUSH_COMPARE_ALL_RANKS_THEN_SUIT: FlushCompare.ALL_RANKS_THEN_SUIT,
}
_LATE_LAYOUTS = {
    wire.BiJiRules.LATE_LAYOUT_UNSPECIFIED: _DEFAULTS.late_layout,
    wire.BiJiRules.LATE_LAYOUT_REFUSE: LateLayout.REFUSE,
    wire.BiJiRules.LATE_LAYOUT_AUTO: LateLayout.AUTO,
}
_FLUSH_COMPARE_NUMBERS = {value: number for number, value in _FLUSH_COMPARES.items() if number}
_LATE_LAYOUT_NUMBERS = {value: number for number, value in _LATE_LAYOUTS.items() if number}


def read_rules(message: wire.BiJiRules) -> BiJiRules:
    """House rules; what is left out has the default."""
    return BiJiRules(
        joker_pair=message.joker_pair if message.HasField("joker_pair") else _DEFAULTS.joker_pair,
        flush_compare=_FLUSH_COMPARES.get(message.flush_compare, int(message.flush_compare)),
        late_layout=_LATE_LAYOUTS.get(message.late_layout, int(message.late_layout)),
    )


def write_rules(rules: BiJiRules) -> wire.BiJiRules:
    """House rules with every field said, so that a later default changes no table."""
    return wire.BiJiRules(
        joker_pair=rules.joker_pair,
        flush_compare=_FLUSH_COMPARE_NUMBERS.get(rules.flush_compare, rules.flush_compare),  # type: ignore[arg-type]
        late_layout=_LATE_LAYOUT_NUMBERS.get(rules.late_layout, rules.late_layout),  # type: ignore[arg-type]
    )


def read_hand(message: wire.BiJiHand) -> BiJiHand:
    """A finished hand."""
    layouts = tuple([Layout(tuple(layout.groups), layout.unlaid) for layout in message.layouts])
    return BiJiHand(tuple(message.players), layouts)


def write_hand(hand: BiJiHand) -> wire.BiJiHand:
    """A hand, finished or not."""
    message = wire.BiJiHand(players=hand.players)
    _write_layouts(message.layouts, hand.layouts)
    return message


def read_deal(message: wire.BiJiDeal) -> Deal:
    """The dealt cards."""
    return Deal(tuple(message.hands))


def write_deal(deal: Deal) -> wire.BiJiDeal:
    """The dealt cards."""
    return wire.BiJiDeal(hands=deal.hands)


def read_choice(message: wire.BiJiChoice) -> LayoutChoice:
    """A player's layout."""
    return LayoutChoice(tuple(message.groups))


def write_choice(choice: LayoutChoice) -> wire.BiJiChoice:
    """A player's layout."""
    return wire.BiJiChoice(groups=choice.groups)


def read_ending(message: wire.BiJiEnding) -> Ending:  # noqa: ARG001 - the message says only that time is up
    """The end of the time for laying."""
    return Ending()


def write_ending(ending: Ending) -> wire.BiJiEnding:  # noqa: ARG001
    """The end of the time for laying."""
    return wire.BiJiEnding()


def write_outcome(outcome: BiJiOutcome) -> wire.BiJiOutcome:
    """The facts of a judged hand."""
    message = wire.BiJiOutcome(royalty_unit=outcome.royalty_unit, next_deal_seat=outcome.next_deal_seat)
    for pot in outcome.pots:
        pot_message = message.pots.add()
        pot_message.ranking.extend(pot.ranking)
        pot_message.groups.extend(pot.groups)
    for royalty in outcome.royalties:
        message.royalties.add(player=royalty.player, name=royalty.name, units=royalty.units)
    _write_layouts(message.layouts, outcome.layouts)
    return message


def _write_layouts(messages: Any, layouts: tuple[Layout, ...]) -> None:
    for layout in layouts:
        message = messages.add()
        message.groups.extend(layout.groups)
        message.unlaid = layout.unlaid


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
