"""The house on an abacus (算盤): what every command should do to silver, holds and points, without a log or a store.

Whether a hand was played by the rules and who owes whom is asked of the rulebook, and so is who banks next; what it
then pays is worked out once more in ``payout``.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import singledispatchmethod
from typing import Any

from tests.application.payout import CASH, RefusedError, accepted, fits, net_of, pay, refuse_if
from zhangfang.domain import commands
from zhangfang.errors import Reason
from zhangfang.rules.banking import Bank
from zhangfang.rules.games import GAMES
from zhangfang.rules.levels import StakeMode, player_level, wealth_level
from zhangfang.rules.verdict import Ended, Verdict


@dataclass
class TableSheet:
    """A table: how it was opened, who banks, whether it is open."""

    terms: commands.OpenTable
    bank: Bank | None
    is_open: bool = True


@dataclass
class HandSheet:
    """A hand: ``moved`` is silver by account, ``points`` are level points by player, once it is settled.

    ``family`` is shared by a hand and all that settled it again.
    """

    table: TableSheet | None = None
    state: str = "OPEN"
    record: Any = None
    stake: int = 0
    holds: Counter[str] = field(default_factory=Counter)
    moved: dict[str, int] = field(default_factory=dict)
    points: dict[str, int] = field(default_factory=dict)
    family: str = ""


class Abacus:
    """Everything the house should know after the commands it was told."""

    def __init__(self) -> None:
        self.balances: Counter[str] = Counter()
        self.registered: set[str] = set()
        self.points: Counter[tuple[str, str]] = Counter()
        self.tables: dict[str, TableSheet] = {}
        self.hands: dict[str, HandSheet] = {}
        self.answered: dict[str, bytes] = {}

    def take(self, command: commands.Command) -> Reason | None:
        """Does what a command should do; returns why it should be refused, None if it should be answered."""
        asked = command.request
        if asked.request_id in self.answered:
            return None if self.answered[asked.request_id] == asked.fingerprint else Reason.REQUEST_ID_REUSED
        try:
            self.do(command)
        except RefusedError as refused:
            return refused.reason
        self.answered[asked.request_id] = asked.fingerprint
        return None

    def held(self, player: str) -> int:
        """The silver of all his open bets."""
        return sum(hand.holds[player] for hand in self.hands.values())

    def available(self, *players: str, besides: HandSheet | None = None) -> dict[str, int]:
        """What players can lose; their bets in one hand may be left out."""
        own = besides.holds if besides else Counter()
        return {player: self.balances["player/" + player] - self.held(player) + own[player] for player in players}

    @singledispatchmethod
    def do(self, command: Any) -> None:
        """Does what a command should do, or nothing and raises RefusedError."""
        raise NotImplementedError

    @do.register
    def _(self, command: commands.RegisterPlayer) -> None:
        refuse_if(Reason.PLAYER_EXISTS, command.player_id in self.registered)
        self.registered.add(command.player_id)

    @do.register
    def _(self, command: commands.Deposit) -> None:
        self._know(command.player_id)
        self._move({"player/" + command.player_id: command.amount, CASH: -command.amount})

    @do.register
    def _(self, command: commands.Withdraw) -> None:
        self._know(command.player_id)
        available = self.available(command.player_id)[command.player_id]
        refuse_if(Reason.INSUFFICIENT_SILVER, command.amount > available)
        self._move({"player/" + command.player_id: -command.amount, CASH: command.amount})

    @do.register
    def _(self, command: commands.OpenTable) -> None:
        refuse_if(Reason.TABLE_EXISTS, command.table_id in self.tables)
        self._know(*command.seats)
        banking = GAMES[command.game].banking
        refuse_if(Reason.INVALID_FIELD, banking is None and bool(command.seats))
        bank = banking.begin(command.house_rules, command.seats, command.draws) if banking else None
        refuse_if(Reason.HAND_FAULTY, isinstance(bank, tuple))
        self.tables[command.table_id] = TableSheet(command, bank)  # type: ignore[arg-type]

    @do.register
    def _(self, command: commands.CloseTable) -> None:
        self._open_table(command.table_id).is_open = False

    @do.register
    def _(self, command: commands.ChangeBanker) -> None:
        table = self._open_table(command.table_id)
        self._know(command.player_id)
        banking = GAMES[table.terms.game].banking
        if banking is None or table.bank is None:
            raise RefusedError(Reason.BANKER_REFUSED)
        silver = self.available(command.player_id)
        changed = banking.change(table.bank, table.terms.house_rules, command.player_id, command.action, silver)
        table.bank = accepted(Reason.BANKER_REFUSED, changed)

    @do.register
    def _(self, command: commands.OpenHand) -> None:
        table = self._open_table(command.table_id)
        self._new_hand(command.hand_id)
        game, players = GAMES[table.terms.game], command.players
        least, most = game.opening_seats
        refuse_if(Reason.INVALID_FIELD, not least <= len(players) <= most or len(set(players)) < len(players))
        self._know(*players)
        bank = self._bank_of(table, players[0])
        hand = HandSheet(table, "OPEN", game.begin(players), self._stake(table, players))
        self._replace(command.replaces_hand_id, command.hand_id, hand)
        self.hands[command.hand_id], table.bank = hand, bank

    @do.register
    def _(self, command: commands.RecordDeal) -> None:
        hand, table = self._open_hand(command.hand_id, command.game)
        game, rules = GAMES[command.game], table.terms.house_rules
        is_time = game.progress(hand.record, rules).phase in ("deal", "bet")
        dealt = game.deal(hand.record, command.deal, rules)
        hand.record = accepted(Reason.HAND_FAULTY if is_time else Reason.CHOICE_REFUSED, dealt)

    @do.register
    def _(self, command: commands.MakeChoice) -> None:
        hand, table = self._open_hand(command.hand_id, command.game)
        self._know(command.player_id)
        game, rules, player = GAMES[command.game], table.terms.house_rules, command.player_id
        silver = self.available(*game.participants(hand.record), player, besides=hand)
        chosen = game.choose(hand.record, player, command.choice, rules, hand.stake, silver)
        record, bet = accepted(Reason.CHOICE_REFUSED, chosen), game.held_by(command.choice)
        if game.progress(record, rules).is_over:
            self._settle(hand, table, record, table.bank)
        assert bet <= self.available(player)[player] or not bet, f"{player} bets {bet}, more than he has"
        hand.record = record
        hand.holds[player] += bet

    @do.register
    def _(self, command: commands.FinishHand) -> None:
        hand, table = self._open_hand(command.hand_id, command.game)
        finished = GAMES[command.game].finish(hand.record, command.ending, table.terms.house_rules)
        self._settle(hand, table, accepted(Reason.HAND_FAULTY, finished), table.bank)

    @do.register
    def _(self, command: commands.SettleHand) -> None:
        table = self._open_table(command.table_id)
        refuse_if(Reason.WRONG_GAME, table.terms.game != command.game)
        self._new_hand(command.hand_id)
        self._know(*command.players)
        banking = GAMES[command.game].banking
        bank = self._bank_of(table, banking.banker_of(command.record) if banking else "")
        hand = HandSheet(table, stake=self._stake(table, GAMES[command.game].seated(command.record)))
        verdict = self._judge(hand, table, command.record)
        self._replace(command.replaces_hand_id, command.hand_id, hand)
        self._pay(hand, table, verdict, bank)
        self.hands[command.hand_id] = hand

    @do.register
    def _(self, command: commands.VoidHand) -> None:
        hand = self.hands.setdefault(command.hand_id, HandSheet())
        refuse_if(Reason.HAND_VOIDED, hand.state == "VOIDED")
        refuse_if(Reason.HAND_NOT_OPEN, hand.state != "OPEN")
        self._void(hand, hand.table.bank if hand.table else None)

    @do.register
    def _(self, command: commands.ReverseHand) -> None:
        hand = self._hand(command.hand_id)
        refuse_if(Reason.INVALID_FIELD, not command.request.actor)
        refuse_if(Reason.HAND_ALREADY_REVERSED, hand.state == "REVERSED")
        refuse_if(Reason.HAND_NOT_SETTLED, hand.state != "SETTLED")
        assert hand.table is not None
        self._move({account: -silver for account, silver in hand.moved.items()})
        for player, points in hand.points.items():
            self.points[player, hand.table.terms.game] -= points
        hand.state = "REVERSED"

    def _settle(self, hand: HandSheet, table: TableSheet, record: Any, bank: Bank | None) -> None:
        self._pay(hand, table, self._judge(hand, table, record), bank)

    def _judge(self, hand: HandSheet, table: TableSheet, record: Any) -> Verdict:
        game = GAMES[table.terms.game]
        self._know(*game.participants(record))
        silver = self.available(*game.participants(record), besides=hand)
        return accepted(Reason.HAND_FAULTY, game.judge(record, table.terms.house_rules, hand.stake, silver))

    def _pay(self, hand: HandSheet, table: TableSheet, verdict: Verdict, bank: Bank | None) -> None:
        """A judged hand paid, or voided if nobody called."""
        if verdict.ended is Ended.REDEAL:
            self._void(hand, bank)
            return
        game, silver = table.terms.game, self.available(*verdict.seats, besides=hand)
        net = net_of(verdict)
        hand.moved = self._move(*pay(verdict, net, silver, table.terms.money_rules), released=hand.holds)
        if GAMES[game].has_levels and table.terms.money_rules.points_per_win == "LEVEL_BASE":
            winners = [player for player in verdict.seats if net[player] > 0]
            hand.points = {player: player_level(game, self.points[player, game]).base for player in winners}
        for player, points in hand.points.items():
            self.points[player, game] += points
        hand.state, hand.holds = "SETTLED", Counter()
        self._pass_on(table, bank, verdict.outcome)

    def _void(self, hand: HandSheet, bank: Bank | None) -> None:
        hand.state, hand.holds = "VOIDED", Counter()
        if hand.table and bank:
            self._pass_on(hand.table, bank, None)

    def _move(self, *movements: dict[str, int], released: Mapping[str, int] | None = None) -> dict[str, int]:
        """Moves silver in so many steps, if every amount and balance on the way can be written down."""
        after, moved = Counter(self.balances), Counter[str]()
        for movement in movements:
            assert sum(movement.values()) == 0, movement
            for account, silver in movement.items():
                moved[account] += silver
                after[account] += silver
                for amount in (silver, moved[account], after[account]):
                    refuse_if(Reason.AMOUNT_OUT_OF_RANGE, not fits(amount))
        for account in moved:
            player = account.removeprefix("player/")
            available = after[account] - self.held(player) + (released or {}).get(player, 0)
            refuse_if(Reason.AMOUNT_OUT_OF_RANGE, not fits(available))
        self.balances = after
        return dict(moved)

    def _pass_on(self, table: TableSheet, bank: Bank | None, outcome: Any) -> None:
        banking = GAMES[table.terms.game].banking
        if banking and bank and bank.is_hand_open:
            silver = self.available(*bank.queue, *bank.seats)
            table.bank = banking.close_hand(bank, table.terms.house_rules, outcome, silver)

    def _bank_of(self, table: TableSheet, banker: str) -> Bank | None:
        banking = GAMES[table.terms.game].banking
        if banking is None or table.bank is None:
            return None
        silver = self.available(*table.bank.queue, *table.bank.seats)
        opened = banking.open_hand(table.bank, table.terms.house_rules, banker, silver)
        return accepted(Reason.BANKER_REFUSED, opened)

    def _stake(self, table: TableSheet, players: tuple[str, ...]) -> int:
        if table.terms.stake_mode is StakeMode.FIXED:
            return table.terms.stake
        return min(wealth_level(table.terms.game, self.balances["player/" + player]).base for player in players)

    def _replace(self, replaces: str, hand_id: str, hand: HandSheet) -> None:
        """Only a reversed hand is settled again, and of what was played only one settlement stands."""
        hand.family = hand_id
        if replaces:
            replaced = self.hands.get(replaces)
            refuse_if(Reason.REPLACED_HAND_NOT_REVERSED, not replaced or replaced.state != "REVERSED")
            family = [other.state for other in self.hands.values() if other.family == replaced.family]
            refuse_if(Reason.REPLACED_HAND_NOT_REVERSED, "OPEN" in family or "SETTLED" in family)
            hand.family = replaced.family

    def _know(self, *players: str) -> None:
        refuse_if(Reason.UNKNOWN_PLAYER, not self.registered.issuperset(players))

    def _open_table(self, table_id: str) -> TableSheet:
        refuse_if(Reason.UNKNOWN_TABLE, table_id not in self.tables)
        refuse_if(Reason.TABLE_CLOSED, not self.tables[table_id].is_open)
        return self.tables[table_id]

    def _new_hand(self, hand_id: str) -> None:
        refuse_if(Reason.HAND_VOIDED, hand_id in self.hands and self.hands[hand_id].state == "VOIDED")
        refuse_if(Reason.HAND_EXISTS, hand_id in self.hands)

    def _hand(self, hand_id: str) -> HandSheet:
        refuse_if(Reason.UNKNOWN_HAND, hand_id not in self.hands)
        return self.hands[hand_id]

    def _open_hand(self, hand_id: str, game: str) -> tuple[HandSheet, TableSheet]:
        hand = self._hand(hand_id)
        refuse_if(Reason.HAND_VOIDED, hand.state == "VOIDED")
        refuse_if(Reason.HAND_NOT_OPEN, hand.state != "OPEN")
        assert hand.table is not None
        refuse_if(Reason.WRONG_GAME, hand.table.terms.game != game)
        return hand, hand.table
