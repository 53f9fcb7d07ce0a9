"""Any evening at the house, step by step beside an abacus: whatever is asked in whatever order, the silver is right.

Commands gather until they are sent as one batch to one of two houses that share the store. Some are said again, with
the same body or with another; a house may close and open again at any time.
"""

from collections import Counter
from dataclasses import dataclass, replace
from hashlib import blake2b
from random import Random

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

from tests.application.abacus import Abacus, HandSheet
from tests.application.hands import (
    AMOUNTS,
    NINE,
    NINE_DEALS,
    PLAYERS,
    STAKES,
    STRANGER,
    Seated,
    pick_bet,
    pick_money_rules,
    pick_seats,
    seat,
    seat_nine,
    spoil,
)
from tests.application.reckoning import clear, compare_banks, compare_rows, compare_streams, read_on
from tests.bookkeeping import assert_sound
from tests.samples import GAMES, SAMPLES
from zhangfang.application import Answer, CountingHouse
from zhangfang.audit.verify import Finding, verify
from zhangfang.domain import commands
from zhangfang.domain.commands import Command, Request
from zhangfang.domain.hands import Hand
from zhangfang.errors import Reason, Refusal
from zhangfang.ledger.postings import sums_by_account
from zhangfang.rules.banking import Bank
from zhangfang.rules.cards import TEXTS
from zhangfang.rules.games import GAMES as GAMES_OF
from zhangfang.rules.games.jiu_dian_ban.record import BankerMode, Bet, BetCap, Door, JiuDianBanRules
from zhangfang.rules.levels import StakeMode
from zhangfang.store.database import Database
from zhangfang.store.log import read_head

HOUSES = 2
BATCH_MAX = 8
NOBODY = Request("", b"")

seeds = st.integers(0, 2**32)
"""Of each step only a seed is drawn, so that what is asked does not lean to small numbers and first choices."""


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
        self.evening = 0
        self.seeds: Counter[int] = Counter()

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

    def shuffled(self, seed: int) -> Random:
        """Chance for one step: another one for each evening and each time a seed comes up in it."""
        self.seeds[seed] += 1
        return Random(f"{self.evening} {seed} {self.seeds[seed]}")  # noqa: S311 - nobody is dealt these cards

    @initialize(seed=seeds)
    def open_the_house(self, seed: int) -> None:
        self.evening = seed
        random = self.shuffled(seed)
        for player in PLAYERS:
            self.ask(commands.RegisterPlayer(request=NOBODY, player_id=player))
            self.ask(commands.Deposit(request=NOBODY, player_id=player, amount=random.choice(AMOUNTS[4:-1])))
        for game, mode in (
            *[(game, BankerMode.SEATS) for game in GAMES],
            (NINE, BankerMode.SEATS),
            (NINE, BankerMode.QUEUE),
        ):
            self.open_table(random, game, mode)

    @rule(seed=seeds)
    def bring_or_take_silver(self, seed: int) -> None:
        random = self.shuffled(seed)
        player, amount = random.choice((*PLAYERS, STRANGER)), random.choice(AMOUNTS)
        available = self.abacus.available(player)[player]
        match random.randrange(8):
            case 0:
                self.ask(commands.RegisterPlayer(request=NOBODY, player_id=random.choice((player, STRANGER))))
            case 1 | 2:
                amount = max(random.choice((amount, available, available + 1)), 1)
                self.ask(commands.Withdraw(request=NOBODY, player_id=player, amount=amount))
            case _:
                self.ask(commands.Deposit(request=NOBODY, player_id=player, amount=amount))

    @rule(seed=seeds)
    def open_or_close_table(self, seed: int) -> None:
        random = self.shuffled(seed)
        if random.random() < 0.3:
            self.ask(commands.CloseTable(request=NOBODY, table_id=random.choice(self.table_ids)))
        self.open_table(random, random.choice(GAMES), random.choice(list(BankerMode)))

    def open_table(self, random: Random, game: str, mode: BankerMode) -> None:
        """A table with any settings; who wants to bank from a list applies."""
        rules = JiuDianBanRules(banker_mode=mode, bet_cap=random.choice(list(BetCap)))
        stake, seats = random.choice(STAKES[:3] if game == NINE else STAKES), pick_seats(random)
        is_by_wealth = not stake and GAMES_OF[game].has_levels
        has_seats = game == NINE and random.random() < (0.7 if mode is BankerMode.SEATS else 0.05)
        table_id = f"table/{len(self.table_ids)}"
        self.table_ids.append(table_id)
        self.ask(
            commands.OpenTable(
                request=NOBODY,
                table_id=table_id,
                game=game,
                house_rules=rules if game == NINE else GAMES_OF[game].house_rules(),
                stake_mode=StakeMode.BY_WEALTH if is_by_wealth else StakeMode.FIXED,
                stake=0 if is_by_wealth else max(stake, 1),
                money_rules=pick_money_rules(random),
                seats=tuple(seats[:4]) if has_seats else (),
                draws=tuple(random.choices(TEXTS, k=4)) if has_seats and random.random() < 0.5 else (),
            )
        )
        if game == NINE and mode is BankerMode.QUEUE:
            for player in seats[:3]:
                self.change_banker(table_id, player, "apply")

    @rule(seed=seeds)
    def pass_the_bank(self, seed: int) -> None:
        random = self.shuffled(seed)
        banks = [(table_id, table.bank) for table_id, table in self.abacus.tables.items() if table.bank]
        table_id, bank = random.choice(banks or [(self.table_ids[0], Bank())])
        action = random.choice(("apply", "leave", "step_down", "step_down"))
        player = bank.banker if action == "step_down" and bank.banker else random.choice(PLAYERS)
        self.change_banker(table_id, player, action)

    def change_banker(self, table_id: str, player: str, action: str) -> None:
        self.ask(commands.ChangeBanker(request=NOBODY, table_id=table_id, player_id=player, action=action))

    @rule(seed=seeds)
    def settle(self, seed: int) -> None:
        random = self.shuffled(seed)
        table_id, hand_id, hand = self.seat(random)
        self.ask(
            commands.SettleHand(
                request=NOBODY,
                hand_id=hand_id,
                table_id=table_id,
                game=hand.game,
                players=GAMES_OF[hand.game].participants(hand.record),
                record=hand.record if random.random() < 0.85 else spoil(hand.record),
                replaces_hand_id=self.replaced(random),
            )
        )

    @rule(seed=seeds)
    def open_hand(self, seed: int) -> None:
        random = self.shuffled(seed)
        table_id, hand_id, hand = self.seat(random)
        replaces = self.replaced(random)
        self.ask(
            commands.OpenHand(
                request=NOBODY, hand_id=hand_id, table_id=table_id, players=hand.players, replaces_hand_id=replaces
            )
        )
        if hand_id in self.abacus.hands or random.random() < 0.2:
            self.scripts[hand_id] = list(hand.pieces)
            self.play_on(hand_id, random.randrange(3 if hand.game == NINE else 14))

    @precondition(lambda self: self.scripts)
    @rule(seed=seeds)
    def go_on(self, seed: int) -> None:
        """The next pieces of a hand; before them perhaps one too early, or said by another player."""
        random = self.shuffled(seed)
        hand_id = random.choice(list(self.scripts))
        if random.random() < 0.4:
            piece = random.choice(self.scripts[hand_id])
            if isinstance(piece, commands.MakeChoice) and random.random() < 0.5:
                piece = replace(piece, player_id=random.choice(PLAYERS))
            self.ask(piece)
        self.play_on(hand_id, random.randrange(14))

    @rule(seed=seeds)
    def bet_at_every_table(self, seed: int) -> None:
        """Bets in all open hands of 九點半, and perhaps a banker who will step down."""
        random = self.shuffled(seed)
        for hand_id, hand in list(self.abacus.hands.items()):
            if hand.state == "OPEN" and hand.table and hand.table.terms.game == NINE:
                bank = hand.table.bank
                for _ in range(random.randrange(4)):
                    self.bet(random, hand_id, hand, bank)
                if bank and bank.queue and random.random() < 0.3:
                    self.change_banker(hand.table.terms.table_id, bank.banker, "step_down")

    def bet(self, random: Random, hand_id: str, hand: HandSheet, bank: Bank | None) -> None:
        """A small bet, or all or most of what one has or the banker can pay; mostly by who waits for the bank."""
        waiting = [*bank.queue[1:], *bank.seats] if bank else []
        player = random.choice(waiting if waiting and random.random() < 0.7 else PLAYERS)
        silver = self.abacus.available(player, hand.record.banker)
        room = silver[hand.record.banker] - sum(hand.holds.values())
        most = min(silver[player], room) if random.random() < 0.8 else silver[player]
        amount = max(random.choice((hand.stake, 2 * hand.stake, most, most * 3 // 4)), 1)
        made = Bet(player, random.choice(list(Door)), amount)
        self.ask(seat_nine(NINE_DEALS[0], "", [made], hand_id).pieces[0])

    def play_on(self, hand_id: str, count: int) -> None:
        """The next pieces of a hand, in their order."""
        script = self.scripts[hand_id]
        for piece in script[:count]:
            self.ask(piece)
        del script[:count]
        if not script:
            del self.scripts[hand_id]

    @precondition(lambda self: self.hand_ids)
    @rule(seed=seeds)
    def undo(self, seed: int) -> None:
        """A hand voided that may be unknown, or one reversed that may not be settled, or by nobody."""
        random = self.shuffled(seed)
        if random.random() < 0.35:
            hand_id = random.choice((*self.hand_ids, self.new_hand_id()))
            self.ask(commands.VoidHand(request=NOBODY, hand_id=hand_id, reason="散了"))
            return
        settled = [hand_id for hand_id, hand in self.abacus.hands.items() if hand.state == "SETTLED"]
        hand_id = random.choice(settled if settled and random.random() < 0.8 else self.hand_ids)
        actor = "" if random.random() < 0.1 else "掌柜"
        self.ask(commands.ReverseHand(request=NOBODY, hand_id=hand_id, reason="看错"), actor=actor)

    @precondition(lambda self: self.asked)
    @rule(seed=seeds)
    def say_again(self, seed: int) -> None:
        """An earlier command, often of the same batch, or another one under its id."""
        random = self.shuffled(seed)
        earlier = random.choice(self.asked[-BATCH_MAX:] if random.random() < 0.5 else self.asked)
        other = commands.Deposit(request=NOBODY, player_id=PLAYERS[0], amount=10_007)
        again = other if random.random() < 0.3 else earlier
        self.ask(again, earlier.request.request_id, earlier.request.actor)

    @precondition(lambda self: self.waiting)
    @rule(house=st.integers(0, HOUSES - 1))
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

    def seat(self, random: Random) -> tuple[str, str, Seated]:
        """A hand of any table's game, under a new id; returns the table's id, the hand's and the hand."""
        table_id, hand_id = random.choice(self.table_ids), self.new_hand_id()
        table, seats = self.abacus.tables.get(table_id), pick_seats(random)
        game = table.terms.game if table else NINE
        if game != NINE:
            return table_id, hand_id, seat(random.choice(SAMPLES[game]), seats, hand_id)
        banker = table.bank.banker if table and table.bank and random.random() < 0.8 else seats[0]
        bets = [pick_bet(random) for _ in range(random.randrange(5))]
        allowed = [bet for bet in bets if bet.player != banker or random.random() < 0.1]
        return table_id, hand_id, seat_nine(random.choice(NINE_DEALS), banker, allowed, hand_id)

    def new_hand_id(self) -> str:
        self.hand_ids.append(f"hand {len(self.hand_ids)}")
        return self.hand_ids[-1]

    def replaced(self, random: Random) -> str:
        """Mostly nothing, else a hand that might be settled again."""
        reversed_ids = [hand_id for hand_id, hand in self.abacus.hands.items() if hand.state == "REVERSED"]
        if reversed_ids and random.random() < 0.5:
            return random.choice(reversed_ids)
        return random.choice(self.hand_ids) if random.random() < 0.05 else ""

    def compare(self, asked: Asked, answer: Answer | Refusal) -> bool:
        """Holds an answer against what it should be; returns whether it tells something new."""
        request_id = asked.command.request.request_id
        if isinstance(answer, Refusal):
            assert answer.reason is asked.reason, (asked, answer)
            return False
        assert asked.reason is None, (asked, answer)
        if request_id in self.answers:
            assert answer == self.answers[request_id]._replace(is_repeat=True)
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
            max_examples=25,
            stateful_step_count=150,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
