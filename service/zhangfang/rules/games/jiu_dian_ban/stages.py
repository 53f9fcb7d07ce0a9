"""A 九點半 hand that arrives piece by piece: the banker, bets in their order, then the cards.

Bets are open until the cards are known; a bet after that is refused (JD-2).
"""

from collections.abc import Mapping
from dataclasses import replace

from zhangfang.rules.game import Opening, Progress
from zhangfang.rules.games.jiu_dian_ban.bets import find_limits, sum_bets
from zhangfang.rules.games.jiu_dian_ban.judge import check_counts, read_cards, split_deal
from zhangfang.rules.games.jiu_dian_ban.record import (
    NO_DEAL,
    Bet,
    BetChoice,
    Deal,
    Ending,
    JiuDianBanHand,
    JiuDianBanRules,
)
from zhangfang.rules.verdict import Fault, Faults

BET = "bet"
ANYBODY = ""
"""In an opening: whoever comes, except the banker. Nobody is called so, as no id is empty."""


def begin(players: tuple[str, ...]) -> JiuDianBanHand:
    """A hand of one banker, who is the only player named when it opens: bettors join by betting. Rule: JD-1.

    The table knows its seats, the open hand does not: who banks next is asked of the table (JD-13).
    """
    return JiuDianBanHand(players[0] if players else "")


def deal(record: JiuDianBanHand, dealt: Deal, rules: JiuDianBanRules) -> JiuDianBanHand | Faults:  # noqa: ARG001
    """Banker and doors get two cards each, once; betting is over (發牌). Rule: JD-1, JD-11."""
    if record.deal != NO_DEAL:
        return (Fault(rule="JD-1", section="deal", text="the cards are dealt already; a hand is dealt once"),)
    texts = split_deal(dealt)
    faults = (*check_counts(texts), *read_cards(texts)[1])
    return faults or replace(record, deal=dealt)


def choose(
    record: JiuDianBanHand,
    player: str,
    choice: BetChoice,
    rules: JiuDianBanRules,
    stake: int,
    silver: Mapping[str, int],
) -> JiuDianBanHand | Faults:
    """A bettor bets on a door (下注). Rule: JD-1, JD-2.

    Args:
        record: the hand so far; its bets were judged when they were made.
        player: who bets.
        choice: the door and the silver.
        rules: the table's house rules.
        stake: the smallest bet, silver.
        silver: what each player had available before the first bet of this hand, as for the judge: the bets of the
            record are counted against it here, so it must not be lowered by them. Holds of other hands are.

    Returns:
        The record with the bet, or why it is refused.
    """
    index = len(record.bets)
    if record.deal != NO_DEAL:
        text = f"{player} bets after the cards were dealt; bets come before"
        return (Fault(rule="JD-2", section="bets", player=player, bet=index, text=text),)
    bets = (*record.bets, Bet(player, choice.door, choice.silver))
    _, faults = sum_bets(bets, find_limits(record, rules, stake, silver), weighed_count=index)
    return tuple(faults) or replace(record, bets=bets, weighed_bet_count=len(bets))


def finish(record: JiuDianBanHand, ending: Ending, rules: JiuDianBanRules) -> JiuDianBanHand | Faults:
    """The cards are turned up (開牌), with the ending unless they were recorded before. Rule: JD-1."""
    return record if ending.deal == NO_DEAL else deal(record, ending.deal, rules)


def progress(record: JiuDianBanHand, rules: JiuDianBanRules) -> Progress:  # noqa: ARG001
    """Anybody but the banker may bet until the deal; then the hand may finish."""
    if record.deal != NO_DEAL:
        return Progress("finish", ())
    return Progress(BET, (Opening(ANYBODY, (BET,)),))


def participants(record: JiuDianBanHand) -> tuple[str, ...]:
    """Everybody whose silver the hand may move: the banker first, then the bettors by their first bet."""
    return tuple(dict.fromkeys((record.banker, *[player for player, _door, _silver in record.bets])))


def seated(record: JiuDianBanHand) -> tuple[str, ...]:
    """Who sits at the table: the four seats, or the banker alone; bettors come and go."""
    return record.seats or (record.banker,)


def accepted(record: JiuDianBanHand) -> JiuDianBanHand:
    """The record with every bet weighed when it was made: what was lost elsewhere since then does not undo it."""
    return replace(record, weighed_bet_count=len(record.bets))


def held_by(choice: BetChoice) -> int:
    """The silver a bet holds until the hand ends. Rule: JD-2."""
    return choice.silver
