"""Any evening at the house, step by step beside an abacus: whatever is asked in whatever order, the silver is right.

Commands gather until they are sent as one batch to one of two houses that share the store. Some are said again, with
the same body or with another; a house may close and open again at any time.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule, run_state_machine_as_test
from sqlalchemy import delete, select, update

from tests.application.abacus import Abacus
from tests.application.hands import NINE, NINE_DEALS, Seated, seat, seat_nine, spoil
from tests.samples import GAMES, SAMPLES
from zhangfang.application import Answer, CountingHouse
from zhangfang.audit.verify import Finding, verify
from zhangfang.contract.games import CODECS
from zhangfang.domain import commands
from zhangfang.domain.books import Account
from zhangfang.domain.commands import Command, Request
from zhangfang.domain.events import DomainEvent
from zhangfang.domain.hands import Hand, project_hand
from zhangfang.domain.tables import project_table
from zhangfang.errors import Reason, Refusal
from zhangfang.rules.games.jiu_dian_ban.record import BankerMode, Bet, BetCap, Door, JiuDianBanRules
from zhangfang.rules.levels import PointsPerWin, StakeMode
from zhangfang.rules.payment import MoneyRules, ShortfallPolicy
from zhangfang.store import schema
from zhangfang.store.database import Database
from zhangfang.store.log import read_head

PLAYERS = ("张三", "a/b", "hand/1", "O'Neil %_", "east", "-17")
HOUSES = 2
BATCH_MAX = 8

numbers = st.integers(0, 63)
amounts = st.sampled_from([1, 5, 30, 200, 200, 1000, 1000, 5000, 20_000, 2**62])
bets = st.builds(Bet, st.sampled_from(PLAYERS), st.sampled_from(Door), st.sampled_from([1, 5, 30, 200, 1000]))
seatings = st.one_of(st.permutations(PLAYERS), st.permutations(PLAYERS), st.lists(st.sampled_from(PLAYERS), min_size=6))
money = st.builds(
    MoneyRules,
    shortfall=st.sampled_from(ShortfallPolicy),
    table_fee=st.sampled_from([0, 0, 3, 500]),
    rake_per_mille=st.sampled_from([0, 0, 25, 1000]),
    points_per_win=st.sampled_from(PointsPerWin),
)
nine_rules = st.builds(
    JiuDianBanRules, bet_cap=st.sampled_from(BetCap), banker_mode=st.sampled_from([BankerMode.SEATS, BankerMode.QUEUE])
)
golden = {game: st.sampled_from(SAMPLES[game]) for game in GAMES}
plain_rules = {game: CODECS[game].game.house_rules() for game in GAMES}


@dataclass(frozen=True)
class Asked:
    """A command and what the abacus makes of it: a reason to refuse it, or how the hand it is about then stands."""

    command: Command
    reason: Reason | None
    state: str
    moved: dict[str, int]
    holds: dict[str, int]


class Evening(RuleBasedStateMachine):
    """Commands to two houses on one store, and what they should come to."""

    def __init__(self, database_url: str) -> None:
        super().__init__()
        self.url = database_url
        self.databases = [Database(database_url) for _ in range(HOUSES)]
        empty(self.databases[0])
        self.houses = [CountingHouse(database) for database in self.databases]
        self.abacus = Abacus()
        self.waiting: list[Asked] = []
        self.asked: list[Command] = []
        self.answers: dict[str, Answer] = {}
        self.scripts: dict[str, list[Command]] = {}
        self.table_ids: list[str] = []
        self.hand_ids: list[str] = []
        self.log: list[DomainEvent] = []

    def ask(self, command: Command, request_id: str = "", actor: str = "掌柜") -> None:
        """Puts a command into the next batch, under an id of its own unless one is named."""
        body = repr(replace(command, request=Request("", b"")))
        fingerprint = blake2b(body.encode(), digest_size=16).digest()
        request = Request(request_id or f"request {len(self.asked)}", fingerprint, actor)
        command = replace(command, request=request)
        reason = self.abacus.take(command)
        sheet = self.abacus.hands.get(getattr(command, "hand_id", ""))
        told = (sheet.state, dict(sheet.moved), dict(+sheet.holds)) if sheet else ("", {}, {})
        self.waiting.append(Asked(command, reason, *told))
        self.asked.append(command)
        if len(self.waiting) >= BATCH_MAX:
            self.send(len(self.asked))

    @initialize(silver=st.lists(amounts, min_size=5, max_size=5), settings=st.data())
    def open_the_house(self, silver: list[int], settings: st.DataObject) -> None:
        for player, amount in zip(PLAYERS, silver, strict=False):
            self.ask(commands.RegisterPlayer(request=NOBODY, player_id=player))
            self.ask(commands.Deposit(request=NOBODY, player_id=player, amount=amount))
        for game in GAMES:
            self.open_table(
                game, settings.draw(money), settings.draw(stakes), settings.draw(nine_rules), settings.draw(seatings)
            )

    @rule(player=st.sampled_from(PLAYERS))
    def register(self, player: str) -> None:
        self.ask(commands.RegisterPlayer(request=NOBODY, player_id=player))

    @rule(player=st.sampled_from(PLAYERS), amount=amounts)
    def deposit(self, player: str, amount: int) -> None:
        self.ask(commands.Deposit(request=NOBODY, player_id=player, amount=amount))

    @rule(player=st.sampled_from(PLAYERS), amount=amounts, more=st.sampled_from([None, 0, 1]))
    def withdraw(self, player: str, amount: int, more: int | None) -> None:
        available = self.abacus.available(player)[player]
        asked_for = amount if more is None else max(available + more, 1)
        self.ask(commands.Withdraw(request=NOBODY, player_id=player, amount=asked_for))

    @rule(
        game=st.sampled_from(GAMES), money_rules=money, stake=st.deferred(lambda: stakes), rules=nine_rules, seats=seatings
    )
    def open_table(
        self, game: str, money_rules: MoneyRules, stake: int, rules: JiuDianBanRules, seats: list[str]
    ) -> None:
        is_by_wealth = not stake and CODECS[game].game.has_levels
        table_id = f"table/{len(self.table_ids)}"
        self.table_ids.append(table_id)
        self.ask(
            commands.OpenTable(
                request=NOBODY,
                table_id=table_id,
                game=game,
                house_rules=rules if game == NINE else plain_rules[game],
                stake_mode=StakeMode.BY_WEALTH if is_by_wealth else StakeMode.FIXED,
                stake=0 if is_by_wealth else max(stake, 1),
                money_rules=money_rules,
                seats=tuple(seats[:4]) if game == NINE and seats[0] < seats[1] else (),
            )
        )
        if game == NINE and rules.banker_mode is BankerMode.QUEUE:
            for player in seats[:3]:
                self.ask(
                    commands.ChangeBanker(request=NOBODY, table_id=table_id, player_id=player, action="apply")
                )

    @rule(number=numbers, is_meant=st.integers(0, 4))
    def close_table(self, number: int, is_meant: int) -> None:
        if not is_meant:
            self.ask(commands.CloseTable(request=NOBODY, table_id=self.table_ids[number % len(self.table_ids)]))

    @rule(number=numbers, player=st.sampled_from(PLAYERS), action=st.sampled_from(["apply", "leave", "step_down"]))
    def change_banker(self, number: int, player: str, action: str) -> None:
        table_ids = [table_id for table_id, table in self.abacus.tables.items() if table.bank]
        if table_ids:
            table_id = table_ids[number % len(table_ids)]
            queue = self.abacus.tables[table_id].bank.queue  # type: ignore[union-attr]
            player = queue[0] if action == "step_down" and queue and number % 4 else player
            self.ask(commands.ChangeBanker(request=NOBODY, table_id=table_id, player_id=player, action=action))

    @rule(number=numbers, seats=seatings, bet_list=st.lists(bets, max_size=4), data=st.data(), is_spoiled=numbers)
    def settle(self, number: int, seats: list[str], bet_list: list[Bet], data: st.DataObject, is_spoiled: int) -> None:
        table_id, hand = self.seat(number, seats, bet_list, data)
        players = CODECS[hand.game].game.participants(hand.record)
        self.ask(
            commands.SettleHand(
                request=NOBODY,
                hand_id=self.hand_ids[-1],
                table_id=table_id,
                game=hand.game,
                players=players,
                record=hand.record if is_spoiled % 8 else spoil(hand.record),
                replaces_hand_id=self.replaced(number),
            )
        )

    @rule(number=numbers, seats=seatings, bet_list=st.lists(bets, max_size=4), data=st.data())
    def open_hand(self, number: int, seats: list[str], bet_list: list[Bet], data: st.DataObject) -> None:
        table_id, hand = self.seat(number, seats, bet_list, data)
        hand_id = self.hand_ids[-1]
        self.ask(
            commands.OpenHand(
                request=NOBODY,
                hand_id=hand_id,
                table_id=table_id,
                players=hand.players,
                replaces_hand_id=self.replaced(number),
            )
        )
        self.scripts[hand_id] = list(hand.pieces)

    @precondition(lambda self: self.scripts)
    @rule(number=numbers, count=st.integers(1, 9))
    def go_on(self, number: int, count: int) -> None:
        """The next pieces of a hand, in their order."""
        hand_id = list(self.scripts)[number % len(self.scripts)]
        script = self.scripts[hand_id]
        for piece in script[:count]:
            self.ask(piece)
        del script[:count]
        if not script:
            del self.scripts[hand_id]

    @precondition(lambda self: self.scripts)
    @rule(number=numbers, place=numbers, player=st.sampled_from(PLAYERS))
    def stray(self, number: int, place: int, player: str) -> None:
        """A piece too early, or said by another player."""
        script = list(self.scripts.values())[number % len(self.scripts)]
        piece = script[place % len(script)]
        if isinstance(piece, commands.MakeChoice) and place % 2:
            piece = replace(piece, player_id=player)
        self.ask(piece)

    @rule(number=numbers, bet=bets)
    def bet(self, number: int, bet: Bet) -> None:
        """A bet in any open hand of 九點半, a small one or all that he has."""
        open_ids = [
            hand_id
            for hand_id, hand in self.abacus.hands.items()
            if hand.state == "OPEN" and hand.table and hand.table.terms.game == NINE
        ]
        if open_ids:
            hand_id = open_ids[number % len(open_ids)]
            silver = bet.silver if number % 3 else max(self.abacus.available(bet.player)[bet.player], 1)
            piece = seat_nine(NINE_DEALS[0], "", [replace(bet, silver=silver)], hand_id).pieces[0]
            self.ask(piece)

    @rule(number=numbers, is_known=st.integers(0, 3))
    def void(self, number: int, is_known: int) -> None:
        if not is_known or not self.hand_ids:
            self.hand_ids.append(f"hand {len(self.hand_ids)}")
            number = -1
        hand_id = self.hand_ids[number % len(self.hand_ids)]
        self.ask(commands.VoidHand(request=NOBODY, hand_id=hand_id, reason="散了"))

    @precondition(lambda self: self.hand_ids)
    @rule(number=numbers, actor=st.sampled_from(["掌柜", "掌柜", "掌柜", ""]))
    def reverse(self, number: int, actor: str) -> None:
        settled = [hand_id for hand_id, hand in self.abacus.hands.items() if hand.state == "SETTLED"]
        hand_ids = settled if settled and number % 4 else self.hand_ids
        hand_id = hand_ids[number % len(hand_ids)]
        self.ask(commands.ReverseHand(request=NOBODY, hand_id=hand_id, reason="看错"), actor=actor)

    @precondition(lambda self: self.asked)
    @rule(number=numbers, is_changed=st.booleans())
    def say_again(self, number: int, is_changed: bool) -> None:
        earlier = self.asked[-1 - number % len(self.asked)]
        other = commands.Deposit(request=NOBODY, player_id=PLAYERS[0], amount=number + 10_007)
        self.ask(other if is_changed else earlier, earlier.request.request_id, earlier.request.actor)

    @precondition(lambda self: self.waiting)
    @rule(house=numbers)
    def send(self, house: int) -> None:
        """Sends everything that waits to one of the houses, as one batch."""
        batch, self.waiting = self.waiting, []
        with self.databases[0].read() as connection:
            head = read_head(connection)
        answers = self.houses[house % HOUSES].execute([asked.command for asked in batch])
        is_new = [self.compare(asked, answer) for asked, answer in zip(batch, answers, strict=True)]
        with self.databases[0].read() as connection:
            assert any(is_new) == (read_head(connection) != head)

    @rule(house=st.integers(0, HOUSES - 1))
    def restart(self, house: int) -> None:
        self.databases[house].close()
        self.databases[house] = Database(self.url)
        self.houses[house] = CountingHouse(self.databases[house])

    def seat(self, number: int, seats: list[str], bet_list: list[Bet], data: st.DataObject) -> tuple[str, Seated]:
        """A hand of any table's game, under a new id, and that table."""
        table_id = self.table_ids[number % len(self.table_ids)]
        hand_id = f"hand {len(self.hand_ids)}"
        self.hand_ids.append(hand_id)
        table = self.abacus.tables.get(table_id)
        game = table.terms.game if table else NINE
        if game != NINE:
            return table_id, seat(data.draw(golden[game]), seats, hand_id)
        banker = table.bank.banker if table and table.bank and number % 5 else seats[0]
        others = [bet for bet in bet_list if bet.player != banker or number % 7 == 0]
        return table_id, seat_nine(data.draw(st.sampled_from(NINE_DEALS)), banker, others, hand_id)

    def replaced(self, number: int) -> str:
        """Mostly nothing, else a hand that might be settled again."""
        reversed_ids = [hand_id for hand_id, hand in self.abacus.hands.items() if hand.state == "REVERSED"]
        if reversed_ids and number % 2:
            return reversed_ids[number % len(reversed_ids)]
        return self.hand_ids[number % len(self.hand_ids)] if number % 16 == 0 else ""

    def compare(self, asked: Asked, answer: Answer | Refusal) -> bool:
        """Holds an answer against what it should be; returns whether it tells something new."""
        request_id = asked.command.request.request_id
        if isinstance(answer, Refusal):
            assert answer.reason is asked.reason, (asked, answer)
            return False
        assert asked.reason is None, (asked, answer)
        if request_id in self.answers:
            assert answer == replace(self.answers[request_id], is_repeat=True)
            return False
        assert not answer.is_repeat
        self.answers[request_id] = answer
        if isinstance(answer.subject, Hand):
            assert answer.subject.state == asked.state
            assert +Counter(answer.subject.holds) == asked.holds
            moved = {**sums(answer.subject.postings), **dict.fromkeys(asked.moved, 0)}
            assert {**moved, **sums(answer.subject.postings)} == {**moved, **asked.moved}
        return True

    @invariant()
    def the_books_are_right(self) -> None:
        """What is on disk is what the abacus shows, whenever nothing waits."""
        if self.waiting:
            return
        self.read_on()
        with self.databases[0].read() as connection:
            accounts = {
                row.account: Account(row.balance, row.held) for row in connection.execute(select(schema.accounts))
            }
            points = {(row.player_id, row.game): row.points for row in connection.execute(select(schema.level_points))}
            hands = {row.hand_id: row.state for row in connection.execute(select(schema.hands))}
            tables = {row.table_id: row.is_open for row in connection.execute(select(schema.tables))}
            requests = {row.request_id: row.fingerprint for row in connection.execute(select(schema.requests))}
        assert sum(account.balance for account in accounts.values()) == 0
        names = {*accounts, *self.abacus.balances}
        assert {name: accounts.get(name, Account()) for name in names} == {
            name: Account(self.abacus.balances[name], self.abacus.held(name.removeprefix("player/"))) for name in names
        }
        assert all(count >= 0 for count in points.values())
        assert {**dict.fromkeys(self.abacus.points, 0), **points} == {**dict.fromkeys(points, 0), **self.abacus.points}
        assert hands == {hand_id: hand.state for hand_id, hand in self.abacus.hands.items()}
        assert tables == {table_id: table.is_open for table_id, table in self.abacus.tables.items()}
        assert requests == self.abacus.answered
        for table_id, table in self.abacus.tables.items():
            shown = self.houses[0].table(table_id)
            assert shown is not None
            assert shown.bank == table.bank

    def read_on(self) -> None:
        """Reads what the log has grown by: gapless, later than before, and every event in balance."""
        house = self.houses[-1]
        for entry in house.recorder.select_notifications(len(self.log) + 1, 10_000):
            event: Any = house.mapper.to_domain_event(entry)
            assert event.position == len(self.log) + 1
            assert not self.log or event.recorded_at_us > self.log[-1].recorded_at_us
            assert sum(posted.amount for posted in event.postings) == 0
            assert all(posted.amount for posted in event.postings)
            self.log.append(event)

    def teardown(self) -> None:
        """The costly ones, once at the end: the log folded anew, and the audit."""
        try:
            if self.waiting:
                self.send(0)
            self.restart(0)
            self.the_books_are_right()
            self.the_log_folds_into_what_is_shown()
            *_, finding = verify(self.databases[0])
            assert isinstance(finding, Finding)
            assert finding.is_sound, finding.discrepancies
        finally:
            for database in self.databases:
                database.close()

    def the_log_folds_into_what_is_shown(self) -> None:
        streams: dict[str, list[DomainEvent]] = {}
        entries, balances = [], Counter[str]()
        for event in self.log:
            streams.setdefault(event.originator_id, []).append(event)
            for line, posted in enumerate(event.postings):
                balances[posted.account] += posted.amount
                assert posted.balance_after == balances[posted.account]
                entries.append((posted.account, event.position, line, posted.amount, posted.balance_after))
        columns = schema.entries.c
        with self.databases[0].read() as connection:
            query = select(columns.account, columns.position, columns.line, columns.amount, columns.balance_after)
            assert sorted(entries) == sorted(tuple(row) for row in connection.execute(query))
        for hand_id, sheet in self.abacus.hands.items():
            hand = project_hand(None, streams[f"hand/{hand_id}"])
            assert all(house.hand(hand_id) == hand for house in self.houses)
            assert hand is not None
            assert (hand.state, hand.replaced_by) == (sheet.state, sheet.replaced_by)
        for table_id in self.abacus.tables:
            table = project_table(None, streams[f"table/{table_id}"])
            assert all(house.table(table_id) == table for house in self.houses)


NOBODY = Request("", b"")
stakes = st.sampled_from([0, 1, 7, 100, 100, 3000, 2**60])


def sums(postings: Any) -> dict[str, int]:
    """What postings do to each account."""
    moved = Counter[str]()
    for posted in postings:
        moved[posted.account] += posted.amount
    return dict(moved)


def empty(database: Database) -> None:
    """A store as it was before anything happened."""
    with database.write() as connection:
        for table in (schema.events, *schema.PROJECTION_TABLES):
            connection.execute(delete(table))
        connection.execute(update(schema.log_head).values(position=0, hash=bytes(32), recorded_at_us=0))


@pytest.mark.parametrize("store", ["sqlite", "postgresql"])
def test_whatever_is_asked_in_whatever_order_silver_holds_and_points_are_right(
    store: str, request: pytest.FixtureRequest
) -> None:
    url: str = request.getfixturevalue(f"{store}_url")
    make: Callable[[], Evening] = lambda: Evening(url)  # noqa: E731
    run_state_machine_as_test(
        make,
        settings=settings(
            max_examples=20,
            stateful_step_count=40,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
