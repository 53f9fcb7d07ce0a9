"""九點半 hands as a tester writes them, and generated ones."""

from hypothesis import strategies as st

from zhangfang.rules.cards import cards_text
from zhangfang.rules.games.jiu_dian_ban.judge import judge
from zhangfang.rules.games.jiu_dian_ban.record import (
    BankerMode,
    Bet,
    BetCap,
    CardValues,
    Deal,
    Door,
    JiuDianBanHand,
    JiuDianBanRules,
    PairRanking,
)
from zhangfang.rules.verdict import Verdict

BETTORS = ("P1", "P2", "P3", "P4", "P5")
SEATS = ("Z", "P1", "P2", "P3")

all_rules = st.builds(
    JiuDianBanRules,
    card_values=st.sampled_from(CardValues),
    pair_ranking=st.sampled_from(PairRanking),
    bet_cap=st.sampled_from(BetCap),
    banker_mode=st.sampled_from(BankerMode),
)


def deal(cards, turned_card=""):
    """``8s Td | 2s 3s | 9h w | As Ad`` are the hands of banker, shang, tian and xia."""
    return Deal(*cards.split(" | "), turned_card)


PLAIN = deal("8s Td | 2s 3s | 9h w | As Ad")
"""The banker has eight points; shang loses, tian has nine_and_half, xia a pair."""


def bets(text):
    """``P1 shang 10, P2 xia 5`` are two bets in this order."""
    words = [bet.split(" ") for bet in text.split(", ") if bet]
    return tuple(Bet(player, Door(door), int(silver)) for player, door, silver in words)


def hand(bets_text="", dealt=PLAIN, seats=()):
    """A hand of the banker Z."""
    return JiuDianBanHand("Z", bets(bets_text), dealt, seats)


def judged(record, silver=None, **house_rules):
    """The verdict of a hand that must be faultless."""
    result = judge(record, JiuDianBanRules(**house_rules), 1, silver or {})
    assert isinstance(result, Verdict), result
    return result


def faults_of(record, silver=None, stake=1, **house_rules):
    """The faults of a hand, none if it is legal."""
    result = judge(record, JiuDianBanRules(**house_rules), stake, silver or {})
    return () if isinstance(result, Verdict) else result


def net(verdict):
    """What everybody wins or loses by the steps, the banker first."""
    amounts = dict.fromkeys(verdict.seats, 0)
    for step in verdict.steps:
        amounts[step.payer] -= step.amount
        amounts[step.payee] += step.amount
    return amounts


def places(faults):
    """Rule and place of every fault, without the places that are not given."""
    return [
        tuple(
            part
            for part in (fault.rule, fault.player, fault.bet, fault.hand, fault.card, fault.field)
            if part is not None
        )
        for fault in faults
    ]


@st.composite
def legal_hands(draw, rules):
    """A hand whose bets stay within what the banker and every bettor have, and what they have."""
    pack = draw(st.permutations(range(54)))
    turned_card = draw(st.sampled_from(["", *[cards_text([card]) for card in pack[8:] if card < 52]]))
    hands = [cards_text(pack[first : first + 2]) for first in range(0, 8, 2)]
    made = draw(
        st.lists(st.builds(Bet, st.sampled_from(BETTORS), st.sampled_from(Door), st.integers(1, 1000)), max_size=12)
    )
    total = sum(bet.silver for bet in made)
    cap = total * 3 if rules.bet_cap is BetCap.BANKER_SILVER_OVER_MAX_PAYOUT else total
    silver = {"Z": cap + draw(st.integers(0, 1000))}
    for bettor in draw(st.sets(st.sampled_from(BETTORS))):
        silver[bettor] = sum(bet.silver for bet in made if bet.player == bettor) + draw(st.integers(0, 100))
    seats = draw(st.sampled_from([(), SEATS, ("P2", "P1", "Z", "P3")]))
    return JiuDianBanHand("Z", tuple(made), Deal(*hands, turned_card), seats), silver
