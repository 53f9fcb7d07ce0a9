"""The metrics of a running process: counted where things happen, cheaply enough for the hot path.

What each one is called and means stands in ``metrics_definitions``. The children of labels with few values are made
when the process starts: they are there from the first scrape on, at zero, and counting needs no look-up.
"""

from collections.abc import Mapping, Sequence
from threading import Lock
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
from zhangfang.errors import Reason, Refusal
from zhangfang.ledger.accounts import SYSTEM_ACCOUNTS
from zhangfang.metrics_definitions import DEFINITIONS, Definition
from zhangfang.rules.games import GAMES
from zhangfang.tally import COUNTED, COUNTED_BY_GAME, Tally, tally_of, timed

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
        self._judge_seconds = {game: self["judge_seconds"].labels(game) for game in GAMES}
        self._counters = {(name, game): self[name].labels(game) for name in COUNTED_BY_GAME for game in GAMES}
        self._counters["hands_voided", ""] = self["hands_voided"].labels(UNKNOWN)
        self._counters |= {(name, ""): self[name] for name in COUNTED}
        self._refusals = {reason: self["refusals"].labels(reason.value) for reason in Reason}
        self._faults: dict[tuple[str, str], Any] = {}
        self._money = {account: self["money"].labels(account) for account in SYSTEM_ACCOUNTS}
        self._money_position = 0
        self._batch_commands, self._commit_seconds = self["batch_commands"], self["commit_seconds"]
        self.log_position = 0
        self.referee = timed(self.judged)
        self._reaching = Lock()
        self._showing = Lock()

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
        """The house was opened, or looked at again: where its log ends, and the system accounts' balances then."""
        self.reached(position)
        self._stand(position, {account: balances.get(account, 0) for account in self._money})

    def reached(self, position: int) -> None:
        """A position of the log was appended or read by this process."""
        with self._reaching:  # the writer's thread and readers of the log
            if position > self.log_position:
                self.log_position = position
                self["log_position"].set(position)

    def batch_committed(self, answers: Sequence[Answer | Refusal], seconds: float) -> None:
        """Counts what the writer did in one transaction."""
        self.count(tally_of(answers, seconds))

    def count(self, tally: Tally) -> None:
        """Counts a batch that was committed, all at once: a counter costs a lock, whatever it is increased by."""
        for (name, game), amount in tally.counts.items():
            self._counters[name, game].inc(amount)
        self._batch_commands.observe(tally.commands)
        self._commit_seconds.observe(tally.seconds)
        self._stand(tally.money_position, tally.money)
        if tally.last_position:
            self.reached(tally.last_position)

    def _stand(self, position: int, money: Mapping[str, int]) -> None:
        """System accounts have these balances since a position; what is older than what is known is passed over."""
        with self._showing:
            if position > self._money_position:
                self._money_position = position
                self["money_position"].set(position)
                for account, balance in money.items():
                    self._money[account].set(balance)

    def judged(self, game: str, seconds: float) -> None:
        """A hand was judged, legal or not."""
        self._judge_seconds[game].observe(seconds)

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
