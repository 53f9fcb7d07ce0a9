"""The judging of a finished 半邊天炸 hand: stake, house rules, players, cards, choices, plays, in this order.

Faulty cards end the judging, a faulty choice the choices, a faulty play the plays; plays are looked at only when it is
known who holds the bank. Rule: CM-5.
"""

from collections.abc import Mapping

from zhangfang.rules.cards import CARDS
from zhangfang.rules.dealing import Dealt, check_cards
from zhangfang.rules.game import unknown_value
from zhangfang.rules.games.ban_bian_tian_zha.choices import bank_phase_fault, doubling_fault, has_surrendered
from zhangfang.rules.games.ban_bian_tian_zha.combinations import PACK, WEIGHTS, reading_name, readings
from zhangfang.rules.games.ban_bian_tian_zha.record import (
    CARDS_EACH,
    SEATS,
    BanBianTianZhaHand,
    BanBianTianZhaRules,
    FirstLead,
    LeadAfterOut,
)
from zhangfang.rules.games.ban_bian_tian_zha.settlement import settle, settle_surrender
from zhangfang.rules.shedding import ClimbingGame, Course, Seating, held_cards, play_out, stops_early
from zhangfang.rules.verdict import Fault, Faults, Verdict

CLIMBING = ClimbingGame(
    weights=WEIGHTS,
    readings=readings,
    reading_name=reading_name,
    finishes_trick=True,
    first_lead_rule="BB-7",
    turn_rule="BB-7",
    lead_rule="BB-8",
    end_rule="BB-9",
    combination_rule="BB-23",
)
"""半邊天炸 as a climbing game: a side that is out still lets the running trick be finished. Rule: BB-9."""

WHOLE_PACK = sum([1 << card for card in PACK])
SPADE_THREE = 1 << CARDS["3s"]


def judge(
    record: BanBianTianZhaHand, rules: BanBianTianZhaRules, stake: int, _silver: Mapping[str, int]
) -> Verdict | Faults:
    """A finished hand in, what it pays out, or every fault it has."""
    faults = [*check_stake(stake), *check_house_rules(rules)]
    hands = held_hands(record)
    structure = check_players(record.players) or (() if is_dealt_out(hands) else check_deal(record))
    if structure:
        return (*faults, *structure)
    bank_fault = bank_phase_fault(record)
    if bank_fault:
        return (*faults, bank_fault)
    choice_fault = doubling_fault(record)
    if choice_fault:
        faults.append(choice_fault)
    if has_surrendered(record.bank):
        faults += _plays_after_surrender(record)
        return tuple(faults) or settle_surrender(record, rules, stake)
    course = play_cards(record, rules, hands)
    if course.fault:
        faults.append(course.fault)
    return tuple(faults) or settle(record, rules, stake, course)


def check_stake(stake: int) -> Faults:
    """The stake is at least 1 silver. Rule: CM-9."""
    if stake >= 1:
        return ()
    return (Fault(rule="CM-9", section="stake", field="stake", text=f"the stake is {stake}; it is at least 1 silver"),)


def check_house_rules(rules: BanBianTianZhaRules) -> Faults:
    """Every house rule with a value it cannot have, in the order of the rules message. Rule: CM-4."""
    wrong: list[tuple[str, str]] = []
    if not isinstance(rules.first_lead, FirstLead):
        wrong.append(("first_lead", unknown_value("first_lead", rules.first_lead, FirstLead)))
    if not isinstance(rules.lead_after_out, LeadAfterOut):
        wrong.append(("lead_after_out", unknown_value("lead_after_out", rules.lead_after_out, LeadAfterOut)))
    if rules.kai_da_factor not in (1, 2):
        wrong.append(("kai_da_factor", unknown_value("kai_da_factor", rules.kai_da_factor, "1, 2")))
    return tuple([Fault(rule="CM-4", section="rules", field=field, text=text) for field, text in wrong])


def check_players(players: tuple[str, ...]) -> Faults:
    """Three different players sit down. Rule: BB-1."""
    if len(players) == SEATS == len(set(players)):
        return ()
    text = f"the record has {len(players)} players, {len(set(players))} of them different; three different ones play"
    return (Fault(rule="BB-1", section="players", text=text),)


def held_hands(record: BanBianTianZhaHand) -> tuple[int, ...]:
    """The dealt hands as sets of cards, an empty set for one that cannot be read."""
    return tuple([held_cards(WEIGHTS, hand) for hand in record.deal.hands]) if record.deal else ()


def is_dealt_out(hands: tuple[int, ...]) -> bool:
    """Whether three hands of seventeen are the whole pack: then no card is foreign, twice or missing. Rule: BB-1."""
    return (
        len(hands) == SEATS
        and hands[0] | hands[1] | hands[2] == WHOLE_PACK
        and all(hand.bit_count() == CARDS_EACH for hand in hands)
    )


def check_deal(record: BanBianTianZhaHand) -> Faults:
    """Every fault of the cards dealt. Rule: BB-1."""
    hands = record.deal.hands if record.deal else ()
    if len(hands) > SEATS:
        text = f"cards are dealt to {len(hands)} seats; there are {SEATS}"
        return (Fault(rule="BB-1", section="deal", action=SEATS, text=text),)
    hands += ("",) * (SEATS - len(hands))
    places = [
        Dealt("deal", seat, player, hand, CARDS_EACH)
        for seat, (player, hand) in enumerate(zip(record.players, hands, strict=True))
    ]
    return check_cards("BB-1", WEIGHTS, places)


def _plays_after_surrender(record: BanBianTianZhaHand) -> Faults:
    """The first play after a surrender, which ended the hand. Rule: BB-4."""
    if not record.plays:
        return ()
    player = record.player_at(record.plays[0][0])
    text = f"play 0: {player or 'nobody'} acts, but the hand has ended by a surrender"
    return (Fault(rule="BB-4", section="plays", action=0, player=player, text=text),)


def play_cards(record: BanBianTianZhaHand, rules: BanBianTianZhaRules, hands: tuple[int, ...]) -> Course:
    """Plays the hand out, up to its end or its first fault. Rule: BB-7, BB-8, BB-9."""
    banker = record.bank[-1].seat
    idlers = tuple([seat for seat in range(SEATS) if seat != banker])
    seating = Seating(
        players=record.players,
        hands=hands,
        leaders=_first_leaders(rules, banker, hands),
        sides=((banker,), idlers),
        limits=(0,) * SEATS,
        successors=lambda winner, holding: _successors(rules, banker, winner, holding),
    )
    course = play_out(CLIMBING, seating, record.plays)
    if not course.fault and not course.is_over:
        course.fault = stops_early(CLIMBING, seating, course)
    return course


def _first_leaders(rules: BanBianTianZhaRules, banker: int, hands: tuple[int, ...]) -> tuple[int, ...]:
    """Who may lead the first trick; anybody under a rule that is faulty itself. Rule: BB-7."""
    if rules.first_lead == FirstLead.BANKER:
        return (banker,)
    if rules.first_lead == FirstLead.SPADE_THREE:
        return tuple([seat for seat, hand in enumerate(hands) if hand & SPADE_THREE])
    return tuple(range(SEATS))


def _successors(rules: BanBianTianZhaRules, banker: int, winner: int, holding: tuple[int, ...]) -> tuple[int, ...]:
    """Who may lead after a winner who is out: an idler, because a banker who is out ends the hand. Rule: BB-8.

    His partner still holds cards for the same reason. Under a rule that is faulty itself anybody may.
    """
    if rules.lead_after_out == LeadAfterOut.NEXT_SEAT:
        return holding[:1]
    if rules.lead_after_out == LeadAfterOut.PARTNER:
        return (SEATS - banker - winner,)
    return holding
