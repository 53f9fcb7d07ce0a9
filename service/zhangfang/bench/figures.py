"""What a measurement yields: figures of several rounds, and ratios of two of them within the same rounds."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import median
from time import perf_counter, process_time

PERCENTILES = (50, 95, 99)


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured quantity, a value a round.

    ``name`` is dotted, the section first: ``unary.house.sqlite.c64.rate``. Two figures of one section were measured
    in the same rounds, so that their values pair up; only those of ``growth`` come one after the other.
    """

    name: str
    unit: str
    rounds: tuple[float, ...]

    @property
    def section(self) -> str:
        """The measurement it belongs to."""
        return self.name.partition(".")[0]

    @property
    def median(self) -> float:
        """The middle of the rounds."""
        return median(self.rounds)


@dataclass(slots=True)
class Figures:
    """All figures of a run by name; values are added round by round."""

    _rounds: dict[str, tuple[str, list[float]]] = field(default_factory=dict)

    def add(self, name: str, unit: str, value: float) -> None:
        """One more round of a figure."""
        self._rounds.setdefault(name, (unit, []))[1].append(value)

    def get(self, name: str) -> Figure | None:
        """A figure, None if it was not measured."""
        found = self._rounds.get(name)
        return Figure(name, found[0], tuple(found[1])) if found else None

    def all(self) -> list[Figure]:
        """Every figure, in the order in which they came."""
        return [Figure(name, unit, tuple(rounds)) for name, (unit, rounds) in self._rounds.items()]


def quotient(over: Figure, under: Figure) -> float:
    """The median of the quotients of each round; of the medians when the rounds do not pair up."""
    if len(over.rounds) == len(under.rounds):
        return median([a / b for a, b in zip(over.rounds, under.rounds, strict=True) if b])
    return over.median / under.median


def percentile(values: Sequence[float], percent: int) -> float:
    """The value that ``percent`` of a hundred do not exceed; the values need not be sorted, there is at least one."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, len(ordered) * percent // 100)]


def microseconds_each(work: Callable[[], object], count: int) -> float:
    """CPU time of doing ``work``, which does ``count`` things, in µs each."""
    started = process_time()
    work()
    return (process_time() - started) / count * 1e6


@dataclass(frozen=True, slots=True)
class Spent:
    """Wall and CPU time of a piece of work, seconds."""

    wall_seconds: float
    cpu_seconds: float


def spent(work: Callable[[], object]) -> Spent:
    """Does ``work`` and says what it took in this process."""
    wall, cpu = perf_counter(), process_time()
    work()
    return Spent(perf_counter() - wall, process_time() - cpu)
