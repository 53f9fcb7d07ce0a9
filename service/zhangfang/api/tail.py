"""The log's newest events, read and decoded once for everybody who follows it.

Followers near the end are served from memory; one that is further behind reads the log in pages at its own pace. Either
way each keeps its own position: nobody waits for anybody, and nothing is missed or sent twice.
"""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from zhangfang.api.counter import OF_STREAMS, Counter
from zhangfang.contract.events import decode_message
from zhangfang.contract.times import write_time
from zhangfang.errors import Refusal, shutting_down
from zhangfang.ledger.accounts import player_of
from zhangfang.store.follower import POLL_SECONDS
from zhangfang.store.log import StoredRow, read_head, read_rows
from zhangfang.wire.v1 import audit_pb2 as pb

KEPT_EVENTS = 10_000
PAGE_EVENTS = 500

BODY_FIELDS: dict[str, str] = {
    field.message_type.name: field.name
    for field in pb.Event.DESCRIPTOR.oneofs_by_name["body"].fields
    if field.message_type
}


@dataclass(frozen=True, slots=True)
class Shown:
    """One event with what followers may filter by; ``response`` is what they get, encoded once for all of them."""

    row: StoredRow
    event: pb.Event
    game: str
    players: frozenset[str]
    response: bytes

    @classmethod
    def of(cls, row: StoredRow, game_of_table: Callable[[str], str]) -> "Shown":
        """Decodes a stored event; one that does not say its game is of its table's."""
        body: Any = decode_message(row.topic, row.body)
        event = pb.Event(
            position=row.position,
            stream=row.stream,
            version=row.version,
            topic=row.topic,
            recorded_at=write_time(row.recorded_at_us),
            hash=row.hash,
            **{BODY_FIELDS[row.topic]: body},
        )
        game = _game(body) or (game_of_table(body.table_id) if getattr(body, "table_id", "") else "")
        response = pb.StreamEventsResponse(event=event).SerializeToString()
        return cls(row, event, game, frozenset(_concerned(body)), response)

    def with_stored_bytes(self) -> pb.StreamEventsResponse:
        """The event with the bytes its hash is over."""
        response = pb.StreamEventsResponse(event=self.event)
        response.event.stored_bytes = self.row.body
        return response


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which events a follower wants; empty means all."""

    table_id: str = ""
    player_id: str = ""
    hand_id: str = ""
    game: str = ""
    topics: frozenset[str] = frozenset()

    def has(self, shown: Shown) -> bool:
        """Whether an event is wanted."""
        if self.topics and shown.row.topic not in self.topics:
            return False
        if self.player_id and self.player_id not in shown.players:
            return False
        body = getattr(shown.event, BODY_FIELDS[shown.row.topic])
        return all(
            not wanted or getattr(body, field, "") == wanted
            for field, wanted in (("table_id", self.table_id), ("hand_id", self.hand_id))
        ) and (not self.game or shown.game == self.game)


class Tail:
    """Reads the log's end while anybody follows it."""

    def __init__(self, counter: Counter) -> None:
        self._counter = counter
        self._kept: deque[Shown] = deque(maxlen=KEPT_EVENTS)
        self._grown = asyncio.Event()
        self._followers: dict[object, int] = {}
        self._reading: asyncio.Task[None] | None = None
        self._last: int | None = None
        metrics = counter.metrics
        metrics["followers"].set_function(lambda: len(self._followers))
        metrics["follower_lag"].set_function(self._lag)

    async def events(self, after: int, wanted: Wanted, *, follow: bool) -> AsyncGenerator[Shown, None]:
        """Events after a position; with ``follow`` it goes on until the server drains.

        Raises:
            Refusal: SHUTTING_DOWN, when it drains; STORE_UNAVAILABLE, when the log cannot be read.
        """
        follower = object()
        self._followers[follower] = after
        if follow:
            self._start()
        try:
            while True:
                if follow and self._counter.stopping.is_set():
                    raise shutting_down(OF_STREAMS)
                grown = self._grown
                batch = await self._after(after, follow=follow)
                for shown in batch:
                    after = self._followers[follower] = shown.row.position
                    if wanted.has(shown):
                        yield shown
                if not batch:
                    if not follow:
                        return
                    await grown.wait()
        finally:
            del self._followers[follower]
            if not self._followers:
                self._stop()

    async def _after(self, after: int, *, follow: bool) -> list[Shown]:
        if follow and self._last is not None and after >= self._last:
            return []  # the reading task knows of nothing newer: no need to ask the store
        return self._from_memory(after) or await self._read_page(after)

    def _from_memory(self, after: int) -> list[Shown]:
        if not self._kept or after + 1 < self._kept[0].row.position or after >= self._kept[-1].row.position:
            return []
        first = after + 1 - self._kept[0].row.position
        return [self._kept[index] for index in range(first, min(first + PAGE_EVENTS, len(self._kept)))]

    async def _read_page(self, after: int) -> list[Shown]:
        return await self._counter.read_much(lambda: self._page(after))

    def _page(self, after: int) -> list[Shown]:
        with self._counter.house.database.read() as connection:
            rows = read_rows(connection, after, PAGE_EVENTS)
        return [Shown.of(row, self._game_of_table) for row in rows]

    def _game_of_table(self, table_id: str) -> str:
        table = self._counter.house.terms(table_id)
        return table.game if table else ""

    def _lag(self) -> int:
        positions = list(self._followers.values())  # a copy: the thread that answers scrapes asks
        return max(0, self._counter.metrics.log_position - min(positions)) if positions else 0

    def _start(self) -> None:
        if self._reading is None or self._reading.done():
            self._kept.clear()
            self._reading = asyncio.create_task(self._read_on())

    def _stop(self) -> None:
        if self._reading:
            self._reading.cancel()
            self._reading = self._last = None

    async def _read_on(self) -> None:
        """Reads what is new when this process has appended, and every few milliseconds for what others have."""
        loop = asyncio.get_running_loop()
        rung = asyncio.Event()

        def ring() -> None:
            loop.call_soon_threadsafe(rung.set)

        wakeup = self._counter.house.recorder.wakeup
        wakeup.add(ring)
        try:
            while self._is_reading() and not self._counter.stopping.is_set():
                with suppress(Refusal):  # the store is away for a moment: look again
                    await self._catch_up()
                with suppress(TimeoutError):
                    async with asyncio.timeout(POLL_SECONDS):
                        await rung.wait()
                rung.clear()
            self._tell()
        finally:
            wakeup.remove(ring)

    def _is_reading(self) -> bool:
        """Whether the running task is the one that reads: only one may add to what is kept."""
        return self._reading is asyncio.current_task()

    async def _catch_up(self) -> None:
        if self._last is None:
            head = await self._counter.read(self._head)
            if not self._is_reading():
                return
            self._last = head
            self._counter.metrics.reached(self._last)
            self._tell()
        while batch := await self._read_page(self._last):
            if not self._is_reading():  # the last follower left meanwhile, and perhaps another came
                return
            self._last = batch[-1].row.position
            self._counter.metrics.reached(self._last)
            self._kept.extend(batch)
            self._tell()

    def _head(self) -> int:
        with self._counter.house.database.read() as connection:
            return read_head(connection).position

    def _tell(self) -> None:
        grown, self._grown = self._grown, asyncio.Event()
        grown.set()


def _game(body: Any) -> str:
    for field in ("deal", "choice"):
        if field in body.DESCRIPTOR.fields_by_name:
            return getattr(body, field).WhichOneof("game") or ""
    return str(getattr(body, "game", ""))


def _concerned(body: Any) -> Iterable[str]:
    """The players an event is about."""
    fields = body.DESCRIPTOR.fields_by_name
    if "player_id" in fields and body.player_id:
        yield body.player_id
    for field in ("players", "seats"):
        if field in fields:
            yield from (each if isinstance(each, str) else each.player_id for each in getattr(body, field))
    for posting in getattr(body, "postings", ()):
        player_id = player_of(posting.account)
        if player_id is not None:
            yield player_id
    for hold in getattr(body, "holds", ()):
        yield hold.player_id
