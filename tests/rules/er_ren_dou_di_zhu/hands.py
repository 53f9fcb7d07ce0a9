"""Makes legal hands of 二人鬥地主, and breaks them in one place.

The plays are found with the page's slow list of combinations (``by_the_book``), never with the code that is tested.
"""

from collections import Counter
from dataclasses import replace
from random import Random

from hypothesis import strategies as st

from tests.rules.er_ren_dou_di_zhu import by_the_book
from tests.rules.er_ren_dou_di_zhu.by_the_book import ORDER, PAGE, Reading
from zhangfang.rules.games.er_ren_dou_di_zhu.record import (
    AuctionAction,
    ErRenDouDiZhuDeal,
    ErRenDouDiZhuHand,
    ErRenDouDiZhuRules,
    Word,
)
from zhangfang.rules.shedding import Play

PLAYERS = ("Ann", "Bo")
PACK = [*[rank + suit for rank in ORDER[:-2] for suit in "shcd"], "w", "W"]

AUCTIONS = [
    words.split()
    for words in (
        "call decline",
        "pass call decline",
        *[f"{start}{' rob' * robs} decline" for start in ("call", "pass call") for robs in (1, 2, 3)],
        *[f"{start} rob rob rob rob" for start in ("call", "pass call")],
    )
]
"""Every auction that makes a landlord."""

Table = tuple[ErRenDouDiZhuHand, ErRenDouDiZhuRules]


def deal_cards(random: Random) -> ErRenDouDiZhuDeal:
    """Seventeen cards each, three on the bottom, one of the 34 face up."""
    cards = random.sample(PACK, 37)
    hands = (" ".join(cards[:17]), " ".join(cards[17:34]))
    return ErRenDouDiZhuDeal(hands=hands, bottom=" ".join(cards[34:]), call_card=random.choice(cards[:34]))


def hold_auction(deal: ErRenDouDiZhuDeal, words: list[str]) -> tuple[AuctionAction, ...]:
    """The words spoken in turn, the holder of the call card first."""
    first = int(deal.call_card in deal.hands[1].split())
    return tuple([AuctionAction((first + index) % 2, Word(word)) for index, word in enumerate(words)])


def pick_rules(random: Random) -> ErRenDouDiZhuRules:
    """Some house rules, the defaults more often than not."""
    return ErRenDouDiZhuRules(
        rob_multipliers=random.choice([(1, 2, 4, 5, 6), (1, 2, 4, 5, 6), (1, 2, 4, 8, 16), (3, 3, 1, 7, 1)]),
        call_rang_pai=random.choice([0, 0, 1, 2]),
        distinct_single_wings=random.random() < 0.3,
        bomb_factor=random.choice([1, 2]),
    )


def find_options(cards: set[str], trick: Reading | None) -> list[tuple[str, int, str, str, int, str | None, int]]:
    """The bodies in a hand that could be laid: kind, length, highest rank, ranks, cards of each, wing, wings needed."""
    counts = Counter(card[0] for card in cards)
    found = [
        (kind, length, body[-1], body, depth, wing, wings_each * length)
        for kind, depth, lengths, wing, wings_each in PAGE
        for length in lengths
        for body in by_the_book.list_bodies(depth, length)
        if all(counts[rank] >= depth for rank in body)
        and (trick is None or by_the_book.beats((kind, length, body[-1]), trick))
    ]
    if counts["w"] and counts["W"]:
        found.append(("rocket", 1, "W", "wW", 1, None, 0))
    return found


def lay(random: Random, cards: set[str], trick: Reading | None, *, distinct: bool) -> tuple[str, Reading] | None:
    """Some legal play with its standing reading; None if this try found none."""
    options = find_options(cards, trick)
    if not options:
        return None
    kind, length, highest, body, depth, wing, number = random.choice(options)
    by_rank = {rank: sorted(card for card in cards if card[0] == rank) for rank in ORDER}
    laid = [card for rank in body for card in by_rank[rank][:depth]]
    if wing and any(len(by_rank[rank]) != depth for rank in body):
        laid = [card for rank in body for card in by_rank[rank][-depth:]]
    others = [rank for rank in ORDER if rank not in body]
    if wing == "pair":
        pairs = [rank for rank in others if len(by_rank[rank]) >= 2]
        if len(pairs) < number:
            return None
        laid += [card for rank in random.sample(pairs, number) for card in by_rank[rank][:2]]
    elif wing == "single":
        singles = [card for rank in others for card in by_rank[rank][: 1 if distinct else 4]]
        if "w" in singles and "W" in singles:
            singles.remove(random.choice("wW"))
        if len(singles) < number:
            return None
        laid += random.sample(singles, number)
    return " ".join(random.sample(laid, len(laid))), stand(laid, (kind, length, highest), trick)


def stand(laid: list[str], meant: Reading, trick: Reading | None) -> Reading:
    """What cards stand for: only triples with triples as wings can be something else than they were meant to be."""
    ranks = sorted({card[0] for card in laid}, key=ORDER.index)
    if meant[0] != "airplane_with_singles":
        return meant
    counts = Counter(card[0] for card in laid)
    rows = [
        (kind, length, body[-1])
        for kind, length in (("airplane", len(ranks)), ("airplane_with_singles", meant[1]))
        if kind != "airplane" or (len(laid) == 3 * len(ranks) and len(ranks) > 1)
        for body in by_the_book.list_bodies(3, length)
        if all(counts[rank] == 3 for rank in body)
    ]
    beating = [row for row in rows if trick is None or by_the_book.beats(row, trick)]
    return min(beating, key=by_the_book.preference)


def play_cards(
    random: Random, deal: ErRenDouDiZhuDeal, rules: ErRenDouDiZhuRules, landlord: int, *, rang_xian: bool, rang_pai: int
) -> tuple[Play, ...]:
    """A whole play, at random, up to its end."""
    hands = [set(cards.split()) for cards in deal.hands]
    hands[landlord] |= set(deal.bottom.split())
    seat = 1 - landlord if rang_xian else landlord
    eagerness = random.choice([0.3, 0.7, 0.95])
    plays: list[Play] = []
    trick: Reading | None = None
    while True:
        laid = None
        if trick is None or random.random() < eagerness:
            laid = lay(random, hands[seat], trick, distinct=rules.distinct_single_wings)
        if laid is not None:
            plays.append(Play(seat, laid[0]))
            trick = laid[1]
            hands[seat] -= set(laid[0].split())
            if len(hands[seat]) <= (0 if seat == landlord else rang_pai):
                return tuple(plays)
        elif trick is None:
            continue
        else:
            plays.append(Play(seat, ""))
            trick = None
        seat = 1 - seat


def make_table(seed: int) -> Table:
    """A legal hand played to its end, with the house rules it was played by."""
    random = Random(seed)  # noqa: S311 - a hand to test with, nobody is dealt it
    rules = pick_rules(random)
    deal = deal_cards(random)
    auction = hold_auction(deal, random.choice(AUCTIONS))
    robs = sum(action.word == Word.ROB for action in auction)
    landlord = next(action.seat for action in reversed(auction) if action.word in {Word.CALL, Word.ROB})
    rang_xian = random.random() < 0.5
    plays = play_cards(
        random, deal, rules, landlord, rang_xian=rang_xian, rang_pai=robs + 3 * rang_xian + rules.call_rang_pai
    )
    hand = ErRenDouDiZhuHand(players=PLAYERS, deal=deal, auction=auction, rang_xian=rang_xian, plays=plays)
    return hand, rules


def cut_short(seed: int) -> Table:
    """A legal hand that a player ran away from, anywhere between the deal and the last play."""
    hand, rules = make_table(seed)
    random = Random(seed)  # noqa: S311 - a hand to test with, nobody is dealt it
    stop = random.randrange(len(hand.auction) + 1 + len(hand.plays))
    plays_left = max(0, stop - len(hand.auction) - 1)
    return replace(
        hand,
        auction=hand.auction[:stop],
        rang_xian=hand.rang_xian if stop > len(hand.auction) else None,
        plays=hand.plays[:plays_left],
        escape=random.randrange(2),
    ), rules


def deal_anew(seed: int) -> Table:
    """A hand in which both passed."""
    hand, rules = make_table(seed)
    assert hand.deal is not None
    return replace(hand, auction=hold_auction(hand.deal, ["pass", "pass"]), rang_xian=None, plays=()), rules


seeds = st.integers(min_value=0, max_value=2**32)
finished_tables = seeds.map(make_table)
escaped_tables = seeds.map(cut_short)
redealt_tables = seeds.map(deal_anew)
tables = st.one_of(finished_tables, escaped_tables, redealt_tables)
