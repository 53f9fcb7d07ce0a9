"""Legal hands of 半邊天炸, played by three careless players who know the rules: what every law is tested on."""

from dataclasses import dataclass, replace
from itertools import pairwise
from random import Random

from hypothesis import strategies as st

from tests.rules.ban_bian_tian_zha.by_the_book import ORDER, rank_of, stands
from zhangfang.rules.games.ban_bian_tian_zha import GAME
from zhangfang.rules.games.ban_bian_tian_zha.record import (
    BanBianTianZhaDeal,
    BanBianTianZhaHand,
    BanBianTianZhaRules,
    BankAction,
    BankWord,
    Dou,
    FirstLead,
    LeadAfterOut,
)

PLAYERS = ("A", "B", "C")
PACK = [rank + suit for rank in "3456789TJQKA2" for suit in "shcd" if rank + suit not in ("2c", "2d")] + ["W"]


@dataclass(frozen=True, slots=True)
class LegalHand:
    """A record with the rules and the stake of its table."""

    record: BanBianTianZhaHand
    rules: BanBianTianZhaRules
    stake: int

    def judge(self, **changes):
        return GAME.judge(replace(self.record, **changes), self.rules, self.stake, {})


@st.composite
def legal_hands(draw, *, surrenders=True):
    """Any legal hand; hypothesis shrinks towards a low seed."""
    return hand_of_seed(draw(st.integers(0, 2**32)), surrenders=surrenders)


def hand_of_seed(seed, *, surrenders=True):
    return legal_hand(Random(seed), surrenders=surrenders)  # noqa: S311 — cards for a test


def legal_hand(random, *, surrenders=True):
    rules = BanBianTianZhaRules(
        first_lead=random.choice(list(FirstLead)),
        lead_after_out=random.choice(list(LeadAfterOut)),
        surrender_counts_chui=random.random() < 0.5,
        negative_requires_transfer=random.random() < 0.5,
        kai_da_factor=random.choice((1, 2)),
    )
    hands = deal_hands(random)
    holder = next(seat for seat in range(3) if "W" in hands[seat])
    record = BanBianTianZhaHand(
        players=PLAYERS,
        chui=tuple(random.random() < 0.5 for _ in PLAYERS),
        deal=BanBianTianZhaDeal(tuple(" ".join(hand) for hand in hands)),
        bank=choose_bank(random, holder, surrenders=surrenders),
    )
    if record.bank[-1].word == BankWord.SURRENDER:
        return LegalHand(record, rules, random.choice((1, 7, 100)))
    banker = record.bank[-1].seat
    idlers = [seat for seat in range(3) if seat != banker]
    random.shuffle(idlers)
    dou = tuple(Dou(seat, random.random() < 0.5) for seat in idlers)
    has_dou = any(said.dou for said in dou)
    lei = random.random() < 0.5 if has_dou else random.choice((None, False))
    table = Table(hands, banker, rules)
    plays = tuple(table.play_hand(random))
    return LegalHand(replace(record, dou=dou, lei=lei, plays=plays), rules, random.choice((1, 7, 100)))


def deal_hands(random):
    """Three hands; the pack is shuffled in clumps, so that the rarer combinations come up."""
    clump = random.choice((1, 2, 4, 6))
    order = sorted(PACK, key=rank_of if random.random() < 0.7 else lambda card: card[::-1])
    clumps = [order[start : start + clump] for start in range(0, len(order), clump)]
    random.shuffle(clumps)
    cards = [card for group in clumps for card in group]
    return [cards[start : start + 17] for start in (0, 17, 34)]


def choose_bank(random, holder, *, surrenders):
    claimants = [seat for seat in range(3) if seat != holder]
    random.shuffle(claimants)
    said = []
    for seat in claimants:
        word = random.choice((BankWord.FAN_BAO, BankWord.PASS))
        said.append(BankAction(seat, word))
        if word == BankWord.FAN_BAO:
            return tuple(said)
    word = random.choice((BankWord.KAI_DA, BankWord.SURRENDER)) if surrenders else BankWord.KAI_DA
    return (*said, BankAction(holder, word))


class Table:
    """Three hands being played out, kept as the rulebook tells it."""

    def __init__(self, hands, banker, rules):
        self.hands = [list(hand) for hand in hands]
        self.banker = banker
        self.rules = rules
        self.trick = None

    def play_hand(self, random):
        leader = random.choice(self.first_leaders())
        while True:
            winner = yield from self.play_trick(random, leader)
            idlers = [seat for seat in range(3) if seat != self.banker]
            if not self.hands[self.banker] or not any(self.hands[seat] for seat in idlers):
                return
            leader = winner if self.hands[winner] else random.choice(self.successors(winner))

    def first_leaders(self):
        if self.rules.first_lead == FirstLead.SPADE_THREE:
            return [seat for seat in range(3) if "3s" in self.hands[seat]]
        return [self.banker] if self.rules.first_lead == FirstLead.BANKER else [0, 1, 2]

    def successors(self, winner):
        holding = [seat % 3 for seat in (winner + 1, winner + 2) if self.hands[seat % 3]]
        if self.rules.lead_after_out == LeadAfterOut.PARTNER:
            return [seat for seat in holding if seat != self.banker] or holding[:1]
        return holding if self.rules.lead_after_out == LeadAfterOut.ANY else holding[:1]

    def play_trick(self, random, leader):
        self.trick, seat, winner, passed = None, leader, leader, 0
        while True:
            cards = self.pick(random, seat)
            if cards:
                self.trick, winner, passed = stands(cards, self.trick), seat, 0
                for card in cards:
                    self.hands[seat].remove(card)
            else:
                passed += 1
            yield seat, " ".join(cards)
            if passed == sum(bool(self.hands[other]) for other in range(3) if other != winner):
                return winner
            seat = next(other % 3 for other in (seat + 1, seat + 2) if self.hands[other % 3])

    def pick(self, random, seat):
        """A play at random, or a pass; a leader prefers to lay many cards."""
        picks = [cards for cards in candidates(random, self.hands[seat]) if stands(cards, self.trick)]
        if self.trick is None:
            return max(random.sample(picks, min(3, len(picks))), key=len)
        return random.choice(picks) if picks and random.random() < 0.7 else []


def candidates(random, hand):
    """Combinations in a hand: not all, but some of every kind."""
    by_rank = {rank: [card for card in hand if card[0] == rank] for rank in ORDER}
    found = [[card] for card in hand]
    for cards in by_rank.values():
        rest = [card for card in hand if card not in cards]
        random.shuffle(rest)
        found += [cards[:copies] for copies in (2, 3, 4) if len(cards) >= copies]
        if len(cards) >= 3:
            found += [cards[:3] + rest[:1], cards[:3] + rest[:2], cards + rest[: 5 - len(cards)]]
        if len(cards) == 4:
            found += [cards + rest[:extras] for extras in (1, 2, 3)]
    for copies, shortest in ((1, 5), (2, 2), (3, 2)):
        found += rows(random, [by_rank[rank] for rank in ORDER[:12]], copies, shortest, hand)
    for suit in "shcd":
        of_suit = [[card for card in by_rank[rank] if card[1] == suit] for rank in ORDER[:12]]
        found += rows(random, of_suit, 1, 5, hand)
        found.append([card for card in hand if card in ("5" + suit, "T" + suit, "K" + suit)])
    found.append([by_rank[rank][0] for rank in "5TK" if by_rank[rank]])
    return [cards for cards in found if cards]


def rows(random, by_rank, copies, shortest, hand):
    """Rows of so many copies, whole and cut short; triples now and then with extras."""
    gaps = [-1, *[place for place, cards in enumerate(by_rank) if len(cards) < copies], len(by_rank)]
    found = []
    for gap, following in pairwise(gaps):
        row = [cards[:copies] for cards in by_rank[gap + 1 : following]]
        for length in {len(row), random.randint(shortest, max(shortest, len(row)))}:
            if shortest <= length <= len(row):
                start = random.randint(0, len(row) - length)
                cards = [card for group in row[start : start + length] for card in group]
                found.append(cards)
                if copies == 3:
                    rest = [card for card in hand if card not in cards]
                    random.shuffle(rest)
                    found.append(cards + rest[: random.randint(1, 2 * length)])
    return found
