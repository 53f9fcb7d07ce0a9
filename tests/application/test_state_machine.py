"""Any evening at the house, step by step beside an abacus: whatever is asked in whatever order, the silver is right.

Commands gather until they are sent as one batch to one of two houses that share the store. Some are said again, with
the same body or with another; a house may close and open again at any time.
"""

from collections import Counter
from dataclasses import dataclass, replace
from hashlib import blake2b

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from tests.application.abacus import Abacus
from tests.application.hands import (
    NINE,
    NINE_DEALS,
    PLAYERS,
    STRANGER,
    Seated,
    amounts,
    bets,
    golden,
    money,
    nine_rules,
    numbers,
    seat,
    seat_nine,
    seatings,
    spoil,
    stakes,
)
from tests.application.reckoning import clear, compare_banks, compare_rows, compare_streams, read_on
from tests.bookkeeping import assert_sound
from tests.samples import GAMES
from zhangfang.application import Answer, CountingHouse
from zhangfang.audit.verify import Finding, verify
from zhangfang.domain import commands
from zhangfang.domain.commands import Command, Request
from zhangfang.domain.hands import Hand
from zhangfang.errors import Reason, Refusal
from zhangfang.ledger.postings import sums_by_account
from zhangfang.rules import games
from zhangfang.rules.games.jiu_dian_ban.record import BankerMode, Bet, JiuDianBanRules
from zhangfang.rules.levels import StakeMode
from zhangfang.rules.payment import MoneyRules
from zhangfang.store.database import Database
from zhangfang.store.log import read_head

HOUSES = 2
BATCH_MAX = 8
NOBODY = Request("", b"")


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
        clear(self.databases[0])
        self.houses = [CountingHouse(database) for database in self.databases]
        self.abacus = Abacus()
        self.waiting: list[Asked] = []
        self.asked: list[Command] = []
        self.answers: dict[str, Answer] = {}
        self.scripts: dict[str, list[Command]] = {}
        self.table_ids: list[str] = []
        self.hand_ids: list[str] = []
        self.logged = 0

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

    @initialize(silver=st.lists(amounts, min_size=6, max_size=6), settings=st.data())
    def open_the_house(self, silver: list[int], settings: st.DataObject) -> None:
        for player, amount in zip(PLAYERS, silver, strict=True):
            self.ask(commands.RegisterPlayer(request=NOBODY, player_id=player))
            self.ask(commands.Deposit(request=NOBODY, player_id=player, amount=amount))
        for game, mode in (*[(game, BankerMode.SEATS) for game in GAMES], (NINE, BankerMode.QUEUE)):
            rules = replace(settings.draw(nine_rules), banker_mode=mode)
            self.open_table(game, settings.draw(money), settings.draw(stakes), rules, settings.draw(seatings))

    @rule(player=st.sampled_from([*PLAYERS, STRANGER]), amount=amounts, number=numbers)
    def come_in(self, player: str, amount: int, number: int) -> None:
        self.ask(commands.Deposit(request=NOBODY, player_id=player, amount=amount))
        if number % 8 == 0:
            self.ask(commands.RegisterPlayer(request=NOBODY, player_id=player))

    @rule(player=st.sampled_from(PLAYERS), amount=amounts, more=st.sampled_from([None, 0, 1]))
    def withdraw(self, player: str, amount: int, more: int | None) -> None:
        available = self.abacus.available(player)[player]
        asked_for = amount if more is None else max(available + more, 1)
        self.ask(commands.Withdraw(request=NOBODY, player_id=player, amount=asked_for))

    @rule(
        game=st.sampled_from(GAMES),
        money_rules=money,
        stake=stakes,
        rules=nine_rules,
        seats=seatings,
    )
    def open_table(
        self, game: str, money_rules: MoneyRules, stake: int, rules: JiuDianBanRules, seats: list[str]
    ) -> None:
        is_by_wealth = not stake and games.GAMES[game].has_levels
        has_seats = seats[0] < seats[1] if rules.banker_mode is BankerMode.SEATS else seats == sorted(seats)
        table_id = f"table/{len(self.table_ids)}"
        self.table_ids.append(table_id)
        self.ask(
            commands.OpenTable(
                request=NOBODY,
                table_id=table_id,
                game=game,
                house_rules=rules if game == NINE else games.GAMES[game].house_rules(),
                stake_mode=StakeMode.BY_WEALTH if is_by_wealth else StakeMode.FIXED,
                stake=0 if is_by_wealth else max(stake, 1),
                money_rules=money_rules,
                seats=tuple(seats[:4]) if game == NINE and has_seats else (),
            )
        )
        if game == NINE and rules.banker_mode is BankerMode.QUEUE:
            for player in seats[:3]:
                self.ask(commands.ChangeBanker(request=NOBODY, table_id=table_id, player_id=player, action="apply"))

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
        players = games.GAMES[hand.game].participants(hand.record)
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

    @rule(number=numbers, seats=seatings, bet_list=st.lists(bets, max_size=4), data=st.data(), count=st.integers(0, 12))
    def open_hand(self, number: int, seats: list[str], bet_list: list[Bet], data: st.DataObject, count: int) -> None:
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
        if hand_id in self.abacus.hands or number % 8 == 0:
            self.scripts[hand_id] = list(hand.pieces)
            self.play_on(hand_id, count)

    @precondition(lambda self: self.scripts)
    @rule(number=numbers, count=st.integers(1, 9))
    def go_on(self, number: int, count: int) -> None:
        self.play_on(list(self.scripts)[-1 - number % len(self.scripts)], count)

    def play_on(self, hand_id: str, count: int) -> None:
        """The next pieces of a hand, in their order."""
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
        """A bet in any open hand of 九點半, a small one, or all or most of what he has; often by who waits to bank."""
        open_ids = [
            hand_id
            for hand_id, hand in self.abacus.hands.items()
            if hand.state == "OPEN" and hand.table and hand.table.terms.game == NINE
        ]
        if open_ids:
            hand_id = open_ids[number % len(open_ids)]
            bank = self.abacus.hands[hand_id].table.bank  # type: ignore[union-attr]
            waiting = [*bank.queue[1:], *bank.seats] if bank else []
            if waiting and number % 4:
                bet = replace(bet, player=waiting[number % len(waiting)])
            available = self.abacus.available(bet.player)[bet.player]
            silver = max((bet.silver, available, available * 3 // 4)[number % 3], 1)
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
            hand, moved = answer.subject, Counter(asked.moved)
            moved.subtract(sums_by_account(hand.postings))
            assert not any(moved.values()), (asked, hand)
            assert (hand.state, +Counter(hand.holds)) == (asked.state, asked.holds)
        return True

    @invariant()
    def the_books_are_right(self) -> None:
        """What is on disk is what the abacus shows, whenever nothing waits."""
        if not self.waiting:
            self.logged += read_on(self.databases[0], self.logged)
            compare_rows(self.databases[0], self.abacus)
            compare_banks(self.houses[0], self.abacus)

    def teardown(self) -> None:
        """The costly ones, once at the end: the log folded anew, what each house tells of it, and the audit."""
        try:
            if self.waiting:
                self.send(0)
            self.restart(0)
            self.the_books_are_right()
            compare_streams(assert_sound(self.databases[0]), self.houses, self.abacus)
            *_, finding = verify(self.databases[0])
            assert isinstance(finding, Finding)
            assert finding.is_sound, finding.discrepancies
        finally:
            for database in self.databases:
                database.close()


@pytest.mark.parametrize("store", ["sqlite", "postgresql"])
def test_whatever_is_asked_in_whatever_order_silver_holds_and_points_are_right(
    store: str, request: pytest.FixtureRequest
) -> None:
    url: str = request.getfixturevalue(f"{store}_url")
    run_state_machine_as_test(
        lambda: Evening(url),
        settings=settings(
            max_examples=20,
            stateful_step_count=40,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
