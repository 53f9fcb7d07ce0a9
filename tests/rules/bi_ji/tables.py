"""比機 hands as a tester writes them, and generated ones."""

from hypothesis import strategies as st

from zhangfang.rules.cards import cards_text
from zhangfang.rules.games.bi_ji.groups import group_key
from zhangfang.rules.games.bi_ji.judge import judge
from zhangfang.rules.games.bi_ji.record import BiJiHand, BiJiRules, FlushCompare, LateLayout, Layout

PLAYERS = ("A", "B", "C", "D", "E")

all_rules = st.builds(
    BiJiRules,
    joker_pair=st.booleans(),
    flush_compare=st.sampled_from(FlushCompare),
    late_layout=st.sampled_from(LateLayout),
)
stakes = st.integers(1, 10**6)


def layout(text):
    """``2s 3h 9d | 4s 4h Td | 5s 6h 7d`` is a layout, nine cards without a bar have not been laid."""
    groups = tuple(text.split(" | "))
    return Layout(groups) if len(groups) > 1 else Layout(unlaid=text)


def hand(*layouts):
    """A hand of the players A, B, … with these layouts."""
    return BiJiHand(PLAYERS[: len(layouts)], tuple(layout(text) for text in layouts))


def net(verdict):
    """What every player wins or loses by the steps, in seat order."""
    amounts = dict.fromkeys(verdict.seats, 0)
    for step in verdict.steps:
        amounts[step.payer] -= step.amount
        amounts[step.payee] += step.amount
    return amounts


def judged(record, stake=1, **house_rules):
    """The verdict of a hand that must be faultless."""
    result = judge(record, BiJiRules(**house_rules), stake, {})
    assert not isinstance(result, tuple), result
    return result


def places(faults):
    """Rule and place of every fault, without the places that are not given."""
    return [
        tuple(part for part in (fault.rule, fault.player, fault.pot, fault.card, fault.field) if part is not None)
        for fault in faults
    ]


@st.composite
def legal_hands(draw, rules):
    """Two to five players who each lay nine cards of one pack in any groups, sorted."""
    players = PLAYERS[: draw(st.integers(2, 5))]
    pack = draw(st.permutations(range(54)))
    layouts = []
    for seat in range(len(players)):
        groups = [pack[first : first + 3] for first in range(seat * 9, seat * 9 + 9, 3)]
        groups.sort(key=lambda group: group_key(*group, rules))
        layouts.append(Layout(tuple(map(cards_text, groups))))
    return BiJiHand(players, tuple(layouts))
