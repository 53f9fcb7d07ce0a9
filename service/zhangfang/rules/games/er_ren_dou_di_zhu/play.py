"""The play: two players against each other, the farmer perhaps with cards to spare (讓牌).

Rule: DZ-6, DZ-8, DZ-9, DZ-25. Source: seed, "讓牌規則" and "牌型大小".
"""

from collections.abc import Callable

from zhangfang.rules.games.er_ren_dou_di_zhu.combinations import (
    WEIGHTS,
    read_with_any_wings,
    read_with_distinct_wings,
    reading_name,
)
from zhangfang.rules.games.er_ren_dou_di_zhu.deal import Cards
from zhangfang.rules.games.er_ren_dou_di_zhu.record import ErRenDouDiZhuHand, ErRenDouDiZhuRules
from zhangfang.rules.games.er_ren_dou_di_zhu.settlement import count_rang_pai
from zhangfang.rules.shedding import ClimbingGame, Course, Seating, play_out, stops_early
from zhangfang.rules.verdict import Fault

SIDES = ((0,), (1,))


def _climbing_game(readings: Callable[[int, int], tuple[int, ...]]) -> ClimbingGame:
    """二人鬥地主 as a climbing game; the hand ends at once when somebody is out. Rule: DZ-9."""
    return ClimbingGame(
        weights=WEIGHTS,
        readings=readings,
        reading_name=reading_name,
        finishes_trick=False,
        first_lead_rule="DZ-6",
        turn_rule="DZ-8",
        lead_rule="DZ-8",
        end_rule="DZ-9",
        combination_rule="DZ-25",
    )


WITH_ANY_SINGLE_WINGS = _climbing_game(lambda _cards, counts: read_with_any_wings(counts))
WITH_DISTINCT_SINGLE_WINGS = _climbing_game(lambda _cards, counts: read_with_distinct_wings(counts))


def play_cards(
    record: ErRenDouDiZhuHand, cards: Cards, rules: ErRenDouDiZhuRules, landlord: int, robs: int
) -> Course | Fault:
    """Plays the record's cards after rang_xian was chosen, to its end or to an escape.

    The landlord leads unless he has given the farmer the lead. He is out with no cards left; the farmer as soon as a
    play leaves him with at most rang_pai cards. Rule: DZ-6, DZ-7, DZ-8, DZ-9.
    """
    game = WITH_DISTINCT_SINGLE_WINGS if rules.distinct_single_wings else WITH_ANY_SINGLE_WINGS
    rang_xian = bool(record.rang_xian)
    rang_pai = count_rang_pai(rules, robs, rang_xian=rang_xian)
    seating = Seating(
        players=record.players,
        hands=cards.take_up(landlord),
        leaders=(1 - landlord if rang_xian else landlord,),
        sides=SIDES,
        limits=(0, rang_pai) if landlord == 0 else (rang_pai, 0),
        successors=lambda _winner, _holding: (),  # nobody leads after a player is out: the hand is over
    )
    course = play_out(game, seating, record.plays)
    if course.fault is not None:
        return course.fault
    if not course.is_over and record.escape is None:
        return stops_early(game, seating, course)
    return course
