"""Adapter for reference hands of the money layer: one settled hand, a stake, two levels, or a ledger of hands.

A line names accounts as people do (``A``, ``system/fees``); inside, a player's account is ``player/A``. Everything
typed is checked before it is judged: what no typed message can hold is the fault that the format names for it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from tests.reference.money_fields import check_fields, read_enum, read_money_rules, unknown
from zhangfang.ledger.accounts import FEES, SHORTFALL, player_account, player_of
from zhangfang.ledger.balances import balances_after
from zhangfang.ledger.postings import Postings, reversal_postings, settlement_postings, sums_by_account
from zhangfang.ledger.reversal import HandStanding, check_hand_id, check_replacement, check_reversal
from zhangfang.rules.levels import (
    StakeMode,
    check_stake,
    player_level,
    points_won,
    stake_by_wealth,
    wealth_level,
)
from zhangfang.rules.payment import (
    Payment,
    check_money_rules,
    check_obligations,
    check_seats,
    pay,
)
from zhangfang.rules.verdict import Ended, Fault, Faults, Obligation, is_int64

POSTING_RULES = {"rake": "CM-8", "table_fee": "CM-7", "reversal": "CM-11"}


@dataclass(slots=True)
class Book:
    """What a ledger holds after the events so far; balances and level points in silver and points."""

    balances: dict[str, int]
    level_points: dict[str, int]
    net: dict[str, int]
    movements: list[Postings] = field(default_factory=list)
    hands: dict[str, "SettledHand"] = field(default_factory=dict)
    standings: dict[str, HandStanding] = field(default_factory=dict)

    def standing_of(self, hand_id: str) -> HandStanding:
        """Tell what became of a hand."""
        return self.standings.get(hand_id, HandStanding.UNKNOWN)


@dataclass(frozen=True, slots=True)
class SettledHand:
    """A hand in the ledger, with the postings that a reversal takes back."""

    payment: Payment
    postings: Postings
    points: dict[str, int]
    replaces: str | None


def judge_line(hand: dict[str, Any]) -> dict[str, Any]:
    """Judge the ``hand`` of a line and answer in the words of its format."""
    if faults := check_fields(hand):
        return refused(faults)
    judges: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
        "hand": judge_hand,
        "stake": judge_stake,
        "levels": judge_levels,
        "ledger": judge_ledger,
    }
    kind = hand.get("kind", "hand")
    if kind not in judges:
        return refused((unknown("kind", kind, ", ".join(judges)),))
    return judges[kind](hand)


def judge_hand(hand: dict[str, Any]) -> dict[str, Any]:
    """Settle one hand."""
    book = opened_book(hand)
    settled = settle(hand, hand, book)
    if isinstance(settled, tuple):
        return refused(settled)
    payment, seats = settled.payment, hand["seats"]
    names = ("owed", "paid", "shortfall", "won", "received", "rake", "table_fee")
    facts = {name: dict(getattr(payment, name)) for name in names}
    accounts = listed(seats, settled.postings)
    facts["postings"] = by_name(sums_by_account(settled.postings), accounts)
    facts["balances_after"] = by_name(book.balances, accounts)
    facts |= standing_facts(hand, book)
    return {"net": dict(payment.net), "facts": facts, "steps": steps_of(settled.postings)}


def judge_ledger(hand: dict[str, Any]) -> dict[str, Any]:
    """Settle and reverse hands one after the other, up to the first event that is refused."""
    if faults := check_money_rules(read_money_rules(hand)) + check_seats(hand["seats"]):
        return refused(faults)
    book = opened_book(hand)
    for index, event in enumerate(hand["events"]):
        kind = event.get("event")
        if kind == "hand":
            faults = settle_event(hand, event, book)
        elif kind == "reversal":
            faults = reverse_event(event, book)
        else:
            faults = (unknown("event", kind, "hand, reversal"),)
        if faults:
            return refused(tuple([replace(fault, event=index) for fault in faults]))
    seats = hand["seats"]
    everything = tuple([posting for postings in book.movements for posting in postings])
    facts = {
        "postings": [by_name(sums_by_account(postings), listed(seats, postings)) for postings in book.movements],
        "balances_after": by_name(book.balances, listed(seats, everything)),
        **standing_facts(hand, book),
    }
    steps = [step | {"event": index} for index, postings in enumerate(book.movements) for step in steps_of(postings)]
    return {"net": book.net, "facts": facts, "steps": steps}


def judge_stake(hand: dict[str, Any]) -> dict[str, Any]:
    """Find a table's stake."""
    titles, stake = hand.get("titles", ""), hand.get("stake", 0)
    mode = read_enum(StakeMode, hand.get("stake_mode", "FIXED"))
    seats = hand.get("seats", [])
    if faults := check_stake(stake, mode, titles) + check_seats(seats):
        return refused(faults)
    facts: dict[str, Any] = {"stake": stake}
    if mode is StakeMode.BY_WEALTH:
        silver = {player: hand["balances"].get(player, 0) for player in seats}
        facts["stake"] = stake_by_wealth(titles, silver.values())
        facts["wealth_level"] = {player: wealth_level(titles, amount).title for player, amount in silver.items()}
    return {"net": {}, "facts": facts, "steps": []}


def judge_levels(hand: dict[str, Any]) -> dict[str, Any]:
    """Find a player's two levels."""
    wealth = wealth_level(hand["titles"], hand["silver"])
    player = player_level(hand["titles"], hand["level_points"])
    facts = {
        "wealth_level": wealth.title,
        "wealth_base": wealth.base,
        "player_level": player.title,
        "player_base": player.base,
    }
    return {"net": {}, "facts": facts, "steps": []}


def settle_event(hand: dict[str, Any], event: dict[str, Any], book: Book) -> Faults:
    """Settle one hand of a ledger, perhaps in the place of a reversed one."""
    hand_id, replaces = event["hand_id"], event.get("replaces") or None
    faults = check_hand_id(hand_id, book.standing_of(hand_id))
    if replaces is not None:
        faults += check_replacement(replaces, book.standing_of(replaces))
    if faults:
        return faults
    settled = settle(hand, event, book)
    if isinstance(settled, tuple):
        return settled
    book.hands[hand_id] = settled
    book.standings[hand_id] = HandStanding.SETTLED
    if settled.replaces is not None:
        book.standings[settled.replaces] = HandStanding.REPLACED
    return ()


def reverse_event(event: dict[str, Any], book: Book) -> Faults:
    """Take back one hand of a ledger, level points included."""
    hand_id = event["of"]
    if faults := check_reversal(
        hand_id, book.standing_of(hand_id), event.get("actor") or "", event.get("reason") or ""
    ):
        return faults
    settled = book.hands[hand_id]
    if faults := post(book, reversal_postings(settled.postings)):
        return faults
    for player, silver in settled.payment.net.items():
        book.net[player] -= silver
    for player, points in settled.points.items():
        book.level_points[player] -= points
    book.standings[hand_id] = HandStanding.REVERSED
    if settled.replaces is not None:
        book.standings[settled.replaces] = HandStanding.REVERSED
    return ()


def settle(settings: dict[str, Any], hand: dict[str, Any], book: Book) -> SettledHand | Faults:
    """Pay one hand and post it to the book; nothing is posted if anything is wrong."""
    seats = settings["seats"]
    money_rules = read_money_rules(settings)
    ended = Ended(hand.get("ended", settings.get("ended", Ended.NORMAL)))
    obligations = [Obligation(*obligation) for obligation in hand["obligations"]]
    if faults := check_money_rules(money_rules):
        return faults + check_seats(seats) + check_obligations(ended, seats, obligations)

    silver = {player: book.balances.get(player_account(player), 0) for player in seats}
    payment = pay(ended, seats, obligations, silver, money_rules)
    if isinstance(payment, tuple):
        return payment
    points = points_won(money_rules.points_per_win, settings.get("titles", ""), payment.net, book.level_points)
    for player, count in points.items():
        if not is_int64(book.level_points[player] + count):
            return (Fault(rule="CM-1", text=f"{player} would have more level points than can be recorded"),)
    postings = settlement_postings(payment)
    if faults := post(book, postings):
        return faults
    for player in seats:
        book.net[player] += payment.net[player]
        book.level_points[player] += points.get(player, 0)
    return SettledHand(payment, postings, points, hand.get("replaces") or None)


def post(book: Book, postings: Postings) -> Faults:
    """Post a movement, or say why it cannot be."""
    after = balances_after(book.balances, postings)
    if isinstance(after, tuple):
        return after
    book.balances |= after
    book.movements.append(postings)
    return ()


def opened_book(hand: dict[str, Any]) -> Book:
    """Open the book with the balances and level points of a line; who is not named has none."""
    balances = {account_of(name): amount for name, amount in hand["balances"].items()}
    level_points = dict.fromkeys(hand["seats"], 0) | hand.get("level_points", {})
    return Book(balances, level_points, net=dict.fromkeys(hand["seats"], 0))


def standing_facts(hand: dict[str, Any], book: Book) -> dict[str, Any]:
    """Tell the level points after the last event, where the line has some."""
    if "level_points" not in hand or "titles" not in hand:
        return {}
    points = {player: book.level_points[player] for player in hand["seats"]}
    levels = {player: player_level(hand["titles"], count).title for player, count in points.items()}
    return {"level_points_after": points, "player_level_after": levels}


def listed(seats: list[str], postings: Postings) -> list[str]:
    """List the accounts a line shows: every seat, fees and shortfall always, and what else was posted to."""
    accounts = [*map(player_account, seats), FEES, SHORTFALL, *[posting.account for posting in postings]]
    return list(dict.fromkeys(accounts))


def by_name(amounts: Mapping[str, int], accounts: list[str]) -> dict[str, int]:
    """Show amounts under the names of the format; an account without one shows 0."""
    return {name_of(account): amounts.get(account, 0) for account in accounts}


def account_of(name: str) -> str:
    """Find the account a name of the format means."""
    return name if name.startswith("system/") else player_account(name)


def name_of(account: str) -> str:
    """Find the name of the format for an account."""
    return player_of(account) or account


def steps_of(postings: Postings) -> list[dict[str, Any]]:
    """Show postings as the steps of a line."""
    return [
        {
            "rule": POSTING_RULES.get(posting.kind, "CM-6"),
            "account": name_of(posting.account),
            "amount": posting.amount,
        }
        for posting in postings
    ]


def refused(faults: Faults) -> dict[str, Any]:
    """Show faults in the words of the format."""
    places = ("rule", "player", "obligation", "event", "field")
    return {"faults": [{place: getattr(fault, place) for place in places} for fault in faults]}
