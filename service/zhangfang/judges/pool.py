"""The judges of a server: who asks, how many hands go in a bundle, and what happens when one of them dies."""

import asyncio
import subprocess
from collections import deque
from collections.abc import Iterable
from itertools import repeat
from typing import NamedTuple

import structlog

from zhangfang.beside import Ear, launch, pack
from zhangfang.judges import process as judging
from zhangfang.judges.ruling import Question, Ruling, restore

log = structlog.get_logger()

BUNDLE_HANDS_MAX = 16
"""How many hands a judge gets at once: some milliseconds of work, and few enough that the other judges get theirs."""

BUNDLES_UNDER_WAY = 2
"""How many bundles a judge has: the next one lies before him when he is done with the first."""

START_SECONDS = 30
PATIENCE_SECONDS = 3
"""How long a judge may take until he is there, and then for a bundle, before he is taken for dead."""

RESPAWN_SECONDS = 1
RESPAWN_SECONDS_MAX = 60
"""How long it takes until one who died is replaced; every time twice as long, until he is of use again."""

WAITING_HANDS_MAX = 512
WAITING_BYTES_MAX = 64 * 1024 * 1024
"""How many hands may wait for a judge, and how long they may be together; who comes then judges himself."""


class Asked(NamedTuple):
    """A question that waits, and where its answer goes."""

    question: Question
    answered: "asyncio.Future[Ruling | None]"


class Waiting:
    """The questions that all judges of a server take from."""

    def __init__(self) -> None:
        self._queue: deque[Asked] = deque()
        self._byte_count = 0

    def __len__(self) -> int:
        return len(self._queue)

    def has_room_for(self, question: Question) -> bool:
        """Whether one more question may wait."""
        byte_count = self._byte_count + len(question.record)
        return len(self._queue) < WAITING_HANDS_MAX and byte_count <= WAITING_BYTES_MAX

    def append(self, asked: Asked) -> None:
        """One more question waits."""
        self._queue.append(asked)
        self._byte_count += len(asked.question.record)

    def take(self, hands_max: int) -> list[Asked]:
        """The questions that wait longest, at most so many; they wait no more."""
        taken = [self._queue.popleft() for _ in range(min(len(self._queue), hands_max))]
        self._byte_count -= sum([len(asked.question.record) for asked in taken])
        return taken


class Judges:
    """Asks as many judges as there are, 0 or more.

    A hand that gets None for an answer is the asker's own to judge: it is faulty, its judge died, or there is no judge,
    or too much to do for all of them.
    """

    def __init__(self, count: int) -> None:
        self._waiting = Waiting()
        self._judges = [Judge(self._waiting) for _ in range(count)]
        self._will_hand_out = False

    @property
    def pids(self) -> list[int]:
        """The processes of the judges."""
        return [judge.pid for judge in self._judges if judge.pid]

    @property
    def alive_count(self) -> int:
        """How many judges can be asked now."""
        return sum([judge.is_alive for judge in self._judges])

    def start(self) -> None:
        """Starts the judges; each is alive when it says so."""
        for judge in self._judges:
            judge.start()

    async def close(self) -> None:
        """Ends the judges; what still waits is the askers' own to judge."""
        await asyncio.gather(*[judge.close() for judge in self._judges])

    def ask(self, question: Question) -> "asyncio.Future[Ruling | None]":
        """The ruling on a hand, in time. Questions of one turn of the event loop travel together."""
        loop = asyncio.get_running_loop()
        answered: asyncio.Future[Ruling | None] = loop.create_future()
        if not self.alive_count or not self._waiting.has_room_for(question):
            answered.set_result(None)
            return answered
        self._waiting.append(Asked(question, answered))
        if not self._will_hand_out:
            self._will_hand_out = True
            loop.call_soon(self._hand_out)
        return answered

    def _hand_out(self) -> None:
        self._will_hand_out = False
        for judge in sorted(self._judges, key=lambda judge: judge.under_way):
            judge.feed()


class Judge(asyncio.Protocol):
    """One judge, as the server sees it: a process that is replaced when it dies.

    Args:
        waiting: the questions that all judges of the server take from.
    """

    def __init__(self, waiting: Waiting) -> None:
        self._waiting = waiting
        self._given: deque[list[Asked]] = deque()
        self._ear = Ear()
        self._process: subprocess.Popen[bytes] | None = None
        self._line: asyncio.WriteTransport | None = None
        self._is_gone = asyncio.Event()
        self._delay = RESPAWN_SECONDS
        self._patience: asyncio.TimerHandle | None = None
        self._life: asyncio.Task[None] | None = None
        self.is_alive = False

    @property
    def pid(self) -> int:
        """His process, 0 if there is none."""
        return self._process.pid if self._process else 0

    @property
    def under_way(self) -> int:
        """How many bundles he has."""
        return len(self._given)

    def start(self) -> None:
        """Begins his life."""
        self._life = asyncio.create_task(self._live())

    async def close(self) -> None:
        """Ends it."""
        if self._life:
            self._life.cancel()
            await asyncio.wait([self._life])

    def feed(self) -> None:
        """Gives him as much of what waits as he may have."""
        while self.is_alive and self._line and self._waiting and len(self._given) < BUNDLES_UNDER_WAY:
            bundle = [asked for asked in self._waiting.take(BUNDLE_HANDS_MAX) if not asked.answered.done()]
            if not bundle:  # who asked has gone
                continue
            self._given.append(bundle)
            self._line.write(pack([tuple(asked.question) for asked in bundle]))
            if not self._patience:
                self._be_patient()

    def data_received(self, data: bytes) -> None:
        """He answers. What he says first, unasked, is what code he runs: other code may rule otherwise."""
        for said in self._ear.hear(data):
            if self.is_alive:
                _answer(self._given.popleft(), map(restore, said))
                self._delay = RESPAWN_SECONDS
            elif said != judging.CODE:
                self._give_up("he runs other code than this server: it was changed, and the server not restarted")
                return
            elif self._delay > RESPAWN_SECONDS:
                log.info("judge_replaced", judge_pid=self._process and self._process.pid)
            self.is_alive = True
            self._be_patient()
            self.feed()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - the process's status says more
        """He died, or was given up, or the server ends."""
        if self._line and self._process:
            status = self._process.poll()  # below zero a signal's number; None if he was given up
            log.error("judge_died", judge_pid=self._process.pid, exit=status, hands=sum(map(len, self._given)))
        self._is_gone.set()

    def _give_up(self, why: str) -> None:
        log.error("judge_given_up", judge_pid=self._process and self._process.pid, reason=why)
        if self._line:
            self._line.abort()

    async def _live(self) -> None:
        """One process after the other, for as long as the server runs."""
        while True:
            try:
                await self._spawn()
                await self._is_gone.wait()
            except OSError as error:
                log.error("no_judge", error=repr(error))
            finally:
                await self._bury()
            await asyncio.sleep(self._delay)
            self._delay = min(2 * self._delay, RESPAWN_SECONDS_MAX)

    async def _spawn(self) -> None:
        self._ear = Ear()
        self._is_gone.clear()
        self._process, ours = launch(judging.__name__)
        self._line, _ = await asyncio.get_running_loop().create_connection(lambda: self, sock=ours)
        self._be_patient()

    def _be_patient(self) -> None:
        """Gives him time from now on, if he owes anything."""
        if self._patience:
            self._patience.cancel()
            self._patience = None
        if self._line and (self._given or not self.is_alive):
            seconds = PATIENCE_SECONDS if self.is_alive else START_SECONDS
            self._patience = asyncio.get_running_loop().call_later(seconds, self._give_up, "he does not answer")

    async def _bury(self) -> None:
        """Ends his process; what he was asked, and what waits, is the askers' own to judge."""
        self.is_alive = False
        line, self._line = self._line, None
        self._be_patient()
        if line:
            line.abort()
        for bundle in (*self._given, self._waiting.take(len(self._waiting))):
            _answer(bundle, repeat(None))
        self._given.clear()
        process, self._process = self._process, None
        if process:
            process.kill()
            await asyncio.shield(asyncio.to_thread(process.wait))


def _answer(bundle: Iterable[Asked], rulings: Iterable[Ruling | None]) -> None:
    for asked, ruling in zip(bundle, rulings, strict=False):
        if not asked.answered.done():  # otherwise who asked has gone
            asked.answered.set_result(ruling)
