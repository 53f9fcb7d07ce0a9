"""Short ends of hands, so that a rule is seen at work in three or four plays."""

from tests.rules.ban_bian_tian_zha.hands import PLAYERS
from zhangfang.rules.games.ban_bian_tian_zha.combinations import WEIGHTS, readings
from zhangfang.rules.games.ban_bian_tian_zha.judge import play_cards
from zhangfang.rules.games.ban_bian_tian_zha.record import (
    BanBianTianZhaHand,
    BanBianTianZhaRules,
    BankAction,
    BankWord,
    Dou,
)
from zhangfang.rules.games.ban_bian_tian_zha.settlement import settle
from zhangfang.rules.shedding import CARD_BITS, COUNTS, held_cards, weight_of


def read(cards):
    """The product's readings of cards."""
    weight = weight_of(WEIGHTS, cards)
    return readings(weight & CARD_BITS, weight >> COUNTS)


def plays_of(*plays):
    """Plays from texts like ``A 5s 5h``; a name alone is a pass."""
    pairs = [play.partition(" ") for play in plays]
    return tuple((PLAYERS.index(player) if player in PLAYERS else 7, cards) for player, _, cards in pairs)


def end_of_hand(*plays, banker="A", word=BankWord.FAN_BAO, chui="", dou="", lei=None):
    """A record of the last plays; ``chui`` and ``dou`` name who said it."""
    seat = PLAYERS.index(banker)
    return BanBianTianZhaHand(
        players=PLAYERS,
        chui=tuple(player in chui for player in PLAYERS),
        bank=(BankAction(seat, word),),
        dou=tuple(Dou(other, PLAYERS[other] in dou) for other in range(3) if other != seat),
        lei=lei,
        plays=plays_of(*plays),
    )


def play(hands, *plays, banker="A", **rules):
    """How the plays go with these cards left in the hands of A, B and C."""
    sets = tuple(held_cards(WEIGHTS, hand) for hand in hands)
    return play_cards(end_of_hand(*plays, banker=banker), BanBianTianZhaRules(**rules), sets)


def score(hands, *plays, stake=1, rules=None, **choices):
    """What the hand pays if these were its only plays."""
    record = end_of_hand(*plays, **choices)
    rules = BanBianTianZhaRules(**(rules or {}))
    course = play_cards(record, rules, tuple(held_cards(WEIGHTS, hand) for hand in hands))
    assert course.fault is None, course.fault
    return settle(record, rules, stake, course)
