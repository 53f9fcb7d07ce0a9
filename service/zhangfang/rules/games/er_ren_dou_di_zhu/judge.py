"""Judging a hand of 二人鬥地主: a record in, what it pays or everything wrong with it out.

The checks stand in the order of CM-5: stake, house rules, players, cards, choices, plays, escape. Faulty cards end the
judging, and so does the first faulty choice: nobody knows how the hand would have gone on.
"""

from collections.abc import Mapping, Sequence

from zhangfang.rules.games.er_ren_dou_di_zhu.auction import Auction
from zhangfang.rules.games.er_ren_dou_di_zhu.choices import follow_choices
from zhangfang.rules.games.er_ren_dou_di_zhu.deal import SEAT_COUNT, Cards, look_at
from zhangfang.rules.games.er_ren_dou_di_zhu.house_rules import check_house_rules, check_stake
from zhangfang.rules.games.er_ren_dou_di_zhu.play import play_cards
from zhangfang.rules.games.er_ren_dou_di_zhu.record import ErRenDouDiZhuHand, ErRenDouDiZhuRules
from zhangfang.rules.games.er_ren_dou_di_zhu.settlement import settle
from zhangfang.rules.shedding import Course
from zhangfang.rules.verdict import Fault, Faults, Verdict


def judge(
    record: ErRenDouDiZhuHand, rules: ErRenDouDiZhuRules, stake: int, _silver: Mapping[str, int]
) -> Verdict | Faults:
    """The verdict on a finished hand, a redeal or an escape; or all faults, in the order of CM-5.

    ``stake`` is silver ≥ 1. What the players hold does not matter: nothing is staked before the result.
    """
    setting_faults = (*check_stake(stake), *check_house_rules(rules))
    cards = check_players(record.players) or look_at(record.deal, record.players)
    if not isinstance(cards, Cards):
        return (*setting_faults, *cards)
    auction = follow_choices(record, cards)
    if isinstance(auction, Fault):
        return (*setting_faults, auction)
    if setting_faults:
        return setting_faults  # when the farmer wins, and with which cards, is for the house rules to say
    return _judge_play(record, cards, rules, stake, auction)


def check_players(players: Sequence[str]) -> Faults:
    """Two different players. Rule: DZ-1."""
    if len(players) == SEAT_COUNT and players[0] != players[1]:
        return ()
    text = f"the players are {', '.join(players) or 'nobody'}; the game is for two different players"
    return (Fault(rule="DZ-1", section="players", action=0, text=text),)


def _judge_play(
    record: ErRenDouDiZhuHand, cards: Cards, rules: ErRenDouDiZhuRules, stake: int, auction: Auction
) -> Verdict | Faults:
    """What follows faultless choices: the play, the escape, and what is owed."""
    course = None
    if auction.landlord is not None and record.rang_xian is not None:
        played = play_cards(record, cards, rules, auction.landlord, auction.robs)
        if isinstance(played, Fault):
            return (played,)
        course = played
    if record.escape is not None:
        fault = _find_escape_fault(record, record.escape, auction, course)
        if fault is not None:
            return (fault,)
    return settle(record, rules, stake, auction, course)


def _find_escape_fault(
    record: ErRenDouDiZhuHand, runaway: int, auction: Auction, course: Course | None
) -> Fault | None:
    """An escape is possible from the deal on until the hand ends, for the two who play it. Rule: DZ-30."""
    player = record.players[runaway] if 0 <= runaway < SEAT_COUNT else None
    if player is None:
        text = f"seat {runaway} escapes, but the seats are 0 and 1"
    elif auction.is_redeal:
        text = f"{player} escapes after both passed; a redeal ends the hand and nobody owes anything"
    elif course is not None and course.is_over:
        text = f"{player} escapes after the hand has ended; it is settled by its result"
    else:
        return None
    return Fault(rule="DZ-30", section="escape", action=0, player=player, text=text)
