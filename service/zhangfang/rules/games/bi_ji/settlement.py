"""What a judged 比機 hand pays: three pots, then the royalties.

Every step is one payment between two players and says why, e.g.
``第1锅 A ♥顺清胜，C第3名：10000(底分)×2(名次)=20000`` and ``A 全三，B付：20000(一喜)×3(喜)=60000``; factors of 1 are
left out (CM-3). Rule: BJ-13 … BJ-22.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from zhangfang.rules.games.bi_ji.groups import group_name, group_text, group_title
from zhangfang.rules.games.bi_ji.record import Layout
from zhangfang.rules.games.bi_ji.royalties import Royalty, find_royalties
from zhangfang.rules.verdict import Ended, Factor, Fault, Faults, Step, Verdict, is_int64, step_of

POTS = 3
STAKES_REMEMBERED = 1 << 10
_ORDINALS = ("1st", "2nd", "3rd", "4th", "5th")
_RANK_FACTORS = [Factor("BJ-13", "rank_minus_1", place) for place in range(5)]


class Pot(NamedTuple):
    """One pot (鍋): the players from best to worst, and the type of each player's group in seat order."""

    ranking: tuple[str, ...]
    groups: tuple[str, ...]


class HeldRoyalty(NamedTuple):
    """A royalty a player holds, and the units (喜) every other player pays him for it."""

    player: str
    name: str
    units: int


class BiJiOutcome(NamedTuple):
    """The facts of a hand.

    ``royalties`` stand by seat, then in the order BJ-16 … BJ-21; ``next_deal_seat`` counts from 0 (BJ-22); ``layouts``
    are those that were judged, the ones the service laid included.
    """

    pots: tuple[Pot, ...]
    royalty_unit: int
    royalties: tuple[HeldRoyalty, ...]
    next_deal_seat: int
    layouts: tuple[Layout, ...]


class LaidHand(NamedTuple):
    """A player's layout as the judge read it: a bit for each card held, and the key of each group."""

    held: int
    keys: tuple[int, int, int]
    layout: Layout


class Due(NamedTuple):
    """What whoever has a certain place pays, the same in every pot, and the words for it after his name."""

    amount: int
    factors: tuple[Factor, ...]
    text: str
    text_zh: str


def settle_hand(players: tuple[str, ...], laid: Sequence[LaidHand], stake: int) -> Verdict | Faults:
    """Pays the pots and the royalties of a faultless hand.

    Returns:
        The verdict, or one fault if an amount cannot be recorded. Rule: CM-1.
    """
    seats = range(len(players))
    rankings = [sorted(seats, key=[hand.keys[pot] for hand in laid].__getitem__, reverse=True) for pot in range(POTS)]
    winners = {ranking[0] for ranking in rankings}
    held = [find_royalties(hand.held, hand.keys, wins_all_pots=winners == {seat}) for seat, hand in enumerate(laid)]
    royalty_unit = stake * (len(players) - 1)

    dues = list_dues(len(players), stake)
    steps = [step for pot in range(POTS) for step in _pay_pot(pot, players, rankings[pot], laid, dues)]
    for seat in seats:
        for royalty in held[seat]:
            steps.extend(_pay_royalty(royalty, players, seat, royalty_unit))
    faults = _check_amounts(players, steps, royalty_unit)
    if faults:
        return faults
    outcome = BiJiOutcome(
        tuple(
            [
                Pot(
                    tuple([players[seat] for seat in rankings[pot]]),
                    tuple([group_name(hand.keys[pot]) for hand in laid]),
                )
                for pot in range(POTS)
            ]
        ),
        royalty_unit,
        tuple([HeldRoyalty(players[seat], royalty.name, royalty.units) for seat in seats for royalty in held[seat]]),
        (rankings[2][0] + 1) % len(players),
        tuple([hand.layout for hand in laid]),
    )
    return Verdict(Ended.NORMAL, players, tuple(steps), outcome)


@lru_cache(maxsize=STAKES_REMEMBERED)
def list_dues(player_count: int, stake: int) -> tuple[Due, ...]:
    """What each place pays, from the second on; a table plays hand after hand for the same. Rule: BJ-13."""
    return tuple([_due(place, stake) for place in range(1, player_count)])


def _due(place: int, stake: int) -> Due:
    """Whoever is ranked k pays k − 1 stakes to the winner of the pot; the winner's ``place`` is 0. Rule: BJ-13."""
    amount = place * stake
    factors: tuple[Factor, ...] = (Factor("BJ-13", "stake", stake),)
    times = times_zh = ""
    if place > 1:
        factors += (_RANK_FACTORS[place],)
        times, times_zh = f" × rank_minus_1 {place}", f"×{place}(名次)"
    text = f"is {_ORDINALS[place]}: stake {stake}{times} = {amount}"
    return Due(amount, factors, text, f"第{place + 1}名：{stake}(底分){times_zh}={amount}")


def _pay_pot(
    pot: int, players: tuple[str, ...], ranking: Sequence[int], laid: Sequence[LaidHand], dues: Sequence[Due]
) -> Iterator[Step]:
    """What everybody else pays to the winner of the pot. Rule: BJ-13."""
    winner, key = players[ranking[0]], laid[ranking[0]].keys[pot]
    why = f"pot {pot + 1}, {group_text(key)} of {winner} wins"
    why_zh = f"第{pot + 1}锅 {winner} {group_title(key)}胜"
    for seat, (amount, factors, due, due_zh) in zip(ranking[1:], dues, strict=True):
        payer = players[seat]
        yield step_of(("BJ-13", payer, winner, amount, factors, f"{why}, {payer} {due}", f"{why_zh}，{payer}{due_zh}"))


def _pay_royalty(royalty: Royalty, players: tuple[str, ...], seat: int, royalty_unit: int) -> Iterator[Step]:
    """Every other player pays the holder the royalty's units. Rule: BJ-15."""
    holder, units = players[seat], royalty.units
    amount = royalty_unit * units
    factors: tuple[Factor, ...] = (Factor("BJ-14", "royalty_unit", royalty_unit),)
    times = times_zh = ""
    if units > 1:
        factors += (Factor(royalty.rule, "units", units),)
        times, times_zh = f" × units {units}", f"×{units}(喜)"
    why, product = f"{holder} holds {royalty.name}", f"royalty_unit {royalty_unit}{times} = {amount}"
    why_zh, product_zh = f"{holder} {royalty.title}", f"{royalty_unit}(一喜){times_zh}={amount}"
    for payer in players:
        if payer != holder:
            text, text_zh = f"{why}, {payer} pays: {product}", f"{why_zh}，{payer}付：{product_zh}"
            yield step_of((royalty.rule, payer, holder, amount, factors, text, text_zh))


def _check_amounts(players: tuple[str, ...], steps: Sequence[Step], royalty_unit: int) -> Faults:
    """A royalty unit, a payment or a net result too large to be recorded. Rule: CM-1."""
    if is_int64(royalty_unit + sum([step.amount for step in steps])):
        return ()  # no single amount and no net result is more than all of them together
    net = dict.fromkeys(players, 0)
    for step in steps:
        net[step.payer] -= step.amount
        net[step.payee] += step.amount
    if all(map(is_int64, (royalty_unit, *net.values(), *[step.amount for step in steps]))):
        return ()
    text = "an amount of this hand does not fit into 64 bits; the stake must be smaller"
    return (Fault(rule="CM-1", section="result", text=text),)
