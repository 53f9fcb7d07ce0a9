"""The metrics of a running process: counted where things happen, cheaply enough for the hot path.

What each one is called and means stands in ``metrics_definitions``. The children of labels with few values are made
when the process starts: they are there from the first scrape on, at zero, and counting needs no look-up.
"""

from collections.abc import Mapping, Sequence
from threading import Lock
from time import perf_counter
from typing import Any

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    disable_created_metrics,
)

from zhangfang.application import SOFTWARE, Answer
from zhangfang.domain.books import judge_by_the_rulebook
from zhangfang.domain.events import (
    DomainEvent,
    HandReversed,
    HandSettled,
    HandVoided,
    Posted,
    SilverDeposited,
    SilverWithdrawn,
)
from zhangfang.errors import Reason, Refusal
from zhangfang.ledger.accounts import SYSTEM_ACCOUNTS
from zhangfang.metrics_definitions import DEFINITIONS, Definition
from zhangfang.rules.games import GAMES
from zhangfang.rules.verdict import Faults, Verdict

__all__ = ["DEFINITIONS", "Definition", "Metrics"]

UNKNOWN = "unknown"


class Metrics:
    """The metrics of one process, in a registry of their own."""

    def __init__(self) -> None:
        disable_created_metrics()  # type: ignore[no-untyped-call]  # a third of the series, and nobody asks when a counter was made
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        self._by_name = {definition.name: self._make(definition) for definition in DEFINITIONS}
        self["build_info"].labels(SOFTWARE.rpartition(" ")[2]).set(1)
        self._games = {game: GameMetrics(self, game) for game in GAMES}
        self._voided_unknown = self["hands_voided"].labels(UNKNOWN)
        self._refusals = {reason: self["refusals"].labels(reason.value) for reason in Reason}
        self._faults: dict[tuple[str, str], Any] = {}
        self._money = {account: self["money"].labels(account) for account in SYSTEM_ACCOUNTS}
        self._money_position = 0
        self._batch_commands, self._commit_seconds = self["batch_commands"], self["commit_seconds"]
        self.log_position = 0
        self._reaching = Lock()

    def _make(self, definition: Definition) -> Any:
        kinds: dict[str, Any] = {"counter": Counter, "gauge": Gauge, "histogram": Histogram}
        options: dict[str, Any] = {"registry": self.registry}
        if definition.buckets:
            options["buckets"] = definition.buckets
        labels = [label for label, _ in definition.labels]
        return kinds[definition.kind](definition.name, definition.meaning, labels, **options)

    def __getitem__(self, name: str) -> Any:
        """A metric by its name without the prefix, e.g. ``metrics["rpcs"]``."""
        return self._by_name[f"zhangfang_{name}"]

    def opened(self, position: int, balances: Mapping[str, int]) -> None:
        """The house was opened: where its log ends, and the balances of the system accounts then, in silver."""
        self.reached(position)
        self._money_position = position
        self["money_position"].set(position)
        for account, child in self._money.items():
            child.set(balances.get(account, 0))

    def reached(self, position: int) -> None:
        """A position of the log was appended or read by this process."""
        with self._reaching:  # the writer's thread and readers of the log
            if position > self.log_position:
                self.log_position = position
                self["log_position"].set(position)

    def batch_committed(self, answers: Sequence[Answer | Refusal], seconds: float) -> None:
        """Counts what the writer did in one transaction, unless it was done before and only told again."""
        done = [answer.event for answer in answers if isinstance(answer, Answer) and not answer.is_repeat]
        for event in done:
            self._happened(event)
        for game in self._games.values():
            game.settle_up()
        self._batch_commands.observe(len(answers))
        self._commit_seconds.observe(seconds)
        if done:
            self.reached(done[-1].position)

    def _happened(self, event: DomainEvent) -> None:
        match event:
            case HandSettled():
                self._games[event.game].settled(event)
            case HandVoided():
                (self._games[event.game].voided if event.game else self._voided_unknown).inc()
            case HandReversed():
                self._games[event.game].reversed(event)
            case SilverDeposited():
                self["silver_deposited"].inc(event.amount)
            case SilverWithdrawn():
                self["silver_withdrawn"].inc(event.amount)
        if event.postings:
            self._posted(event)

    def _posted(self, event: DomainEvent) -> None:
        """Keeps the system accounts' balances: an event carries them, so no one has to ask the store."""
        if event.position <= self._money_position:
            return
        for posted in event.postings:
            child = self._money.get(posted.account)
            if child is not None:
                child.set(posted.balance_after)
                self._money_position = event.position
        if self._money_position == event.position:
            self["money_position"].set(event.position)

    def judged(self, game: str, seconds: float) -> None:
        """A hand was judged, legal or not."""
        self._games[game].judge_seconds.observe(seconds)

    def referee(
        self, game: str, record: Any, house_rules: Any, stake: int, silver: Mapping[str, int]
    ) -> Verdict | Faults:
        """Judges by the rulebook and takes the time."""
        started = perf_counter()
        try:
            return judge_by_the_rulebook(game, record, house_rules, stake, silver)
        finally:
            self.judged(game, perf_counter() - started)

    def refused(self, refusal: Refusal, game: str = UNKNOWN) -> None:
        """Counts a refusal and the faults in it."""
        self._refusals[refusal.reason].inc()
        for fault in refusal.faults:
            key = (game, fault.rule)
            child = self._faults.get(key)
            if child is None:
                child = self._faults[key] = self["faults"].labels(*key)
            child.inc()

    def store_failed(self) -> None:
        """The store did not take a batch."""
        self["store_errors"].inc()


class GameMetrics:
    """What is counted of one game."""

    def __init__(self, metrics: Metrics, game: str) -> None:
        self.judge_seconds = metrics["judge_seconds"].labels(game)
        self.voided = metrics["hands_voided"].labels(game)
        self._settled = metrics["hands_settled"].labels(game)
        self._reversed = metrics["hands_reversed"].labels(game)
        self._moved = metrics["silver_moved"].labels(game)
        self._taken_back = metrics["silver_reversed"].labels(game)
        self._short = metrics["silver_short"].labels(game)
        self._fees = metrics["silver_fees"].labels(game)
        self._batch = (0, 0, 0, 0)

    def settled(self, event: HandSettled) -> None:
        """A hand was settled; it is counted with its batch, see ``settle_up``."""
        hands, moved, short, fees = self._batch
        for player in event.players:
            short += player.shortfall
            fees += player.rake + player.table_fee
        self._batch = hands + 1, moved + _taken_from_players(event.postings), short, fees

    def settle_up(self) -> None:
        """Counts the hands of a batch, all at once: a counter costs a lock, whatever it is increased by."""
        for counter, amount in zip((self._settled, self._moved, self._short, self._fees), self._batch, strict=True):
            if amount:
                counter.inc(amount)
        self._batch = (0, 0, 0, 0)

    def reversed(self, event: HandReversed) -> None:
        """A settled hand was posted back."""
        self._reversed.inc()
        self._taken_back.inc(_taken_from_players(event.postings))


def _taken_from_players(postings: tuple[Posted, ...]) -> int:
    return -sum([each.amount for each in postings if each.amount < 0 and each.account not in SYSTEM_ACCOUNTS])
