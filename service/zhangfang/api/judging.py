"""Finished hands over the counter: read, judged before the writer where silver does not matter, settled, rendered."""

import asyncio
from collections.abc import Awaitable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from time import perf_counter
from typing import Any, TypeVar, cast

from zhangfang.api import forms
from zhangfang.api.counter import Counter
from zhangfang.api.guard import refusal_of
from zhangfang.api.render import write_hand
from zhangfang.api.status import to_hand_error
from zhangfang.application import Answer
from zhangfang.contract.games import CODECS
from zhangfang.contract.judging import write_judgement
from zhangfang.domain.commands import Judged, Request, SettleHand
from zhangfang.domain.hands import Hand
from zhangfang.domain.tables import Table
from zhangfang.errors import Refusal, faulty, unknown_table
from zhangfang.rules.levels import StakeMode
from zhangfang.wire.v1 import settlement_pb2 as pb

JUDGED_AT_ONCE = 16
"""How many hands of a batch are judged before others have their turn: some two milliseconds."""

Done = TypeVar("Done")


@dataclass(frozen=True, slots=True)
class Begun:
    """A hand on its way: its answer, or the future of it, and its judgement if it was judged before the writer."""

    answered: "Future[Answer] | Answer"
    judgement: pb.Judgement | None = None


class Clerk:
    """Judges and settles finished hands."""

    def __init__(self, counter: Counter) -> None:
        self._counter = counter

    async def settle(self, request: pb.SettleHandRequest, context: Any) -> pb.Hand:
        """A finished hand, settled.

        Raises:
            Refusal: with all faults, or what the writer refused it for.
        """
        return await self._end(await self._begin(request, context))

    async def settle_batch(
        self, requests: Sequence[pb.SettleHandRequest], context: Any
    ) -> list[pb.SettleHandsResponse]:
        """The answers to several hands, in their order: all are with the writer before the first is waited for."""
        begun: list[Begun | Refusal] = []
        try:
            for index, request in enumerate(requests):
                if index % JUDGED_AT_ONCE == 0:
                    await asyncio.sleep(0)  # others have their turn
                begun.append(await self._attempt(request, self._begin(request, context)))
            return [await self._answer(*each) for each in zip(requests, begun, strict=True)]
        finally:
            for each in begun:
                if isinstance(each, Begun) and isinstance(each.answered, Future):
                    each.answered.cancel()  # if the caller has gone; those that were taken are finished all the same

    async def _begin(self, request: pb.SettleHandRequest, context: Any) -> "Begun":
        """Reads and judges a hand and hands it to the writer."""
        asked = forms.read_request(request, context)
        forms.check_id("hand_id", request.hand_id)
        forms.check_id("table_id", request.table_id)
        if request.replaces_hand_id:
            forms.check_id("replaces_hand_id", request.replaces_hand_id)
        table = await self._terms(request.table_id)
        try:
            command, judgement = self._read(
                asked, request.hand_id, table, request.record, request.replaces_hand_id, "record"
            )
        except Refusal:
            # What an older version accepted stays answered, whatever this one thinks of the hand.
            first = None
            with suppress(Refusal):  # a store that is away for the moment does not make a faulty hand less faulty
                first = await self._counter.read(lambda: self._counter.house.first_answer(asked))
            if first is None:
                raise
            return Begun(first)
        return Begun(self._counter.begin(command), judgement)

    async def _end(self, begun: "Begun") -> pb.Hand:
        """The hand that was begun, settled."""
        answered = begun.answered
        answer = await self._counter.wait_for(answered) if isinstance(answered, Future) else answered
        # A repeat is told from the log: its hand may have been judged by an older version of this code.
        return write_hand(cast("Hand", answer.subject), None if answer.is_repeat else begun.judgement)

    async def settle_in_stream(
        self, request: pb.SettleHandsRequest | forms.Unreadable, context: Any
    ) -> pb.SettleHandsResponse:
        """The answer to one hand of a stream; whatever is wrong with it is in its answer and hurts no other."""
        if isinstance(request, forms.Unreadable):
            refusal = await self._attempt(pb.SettleHandRequest(), _unreadable(request))
            return await self._answer(pb.SettleHandRequest(), refusal)
        begun = await self._attempt(request.settle_hand, self._begin(request.settle_hand, context))
        return await self._answer(request.settle_hand, begun)

    async def _attempt(self, request: pb.SettleHandRequest, work: "Awaitable[Done]") -> "Done | Refusal":
        """What some work on a hand comes to, or why it is refused."""
        try:
            return await work
        except Exception as error:  # noqa: BLE001 - every surprise gets an answer
            refusal = refusal_of("SettleHands", error)
            self._counter.metrics.refused(refusal, request.record.WhichOneof("game") or "unknown")
            return refusal

    async def _answer(self, request: pb.SettleHandRequest, begun: "Begun | Refusal") -> pb.SettleHandsResponse:
        """One answer of a stream or a batch."""
        done = begun if isinstance(begun, Refusal) else await self._attempt(request, self._end(begun))
        if isinstance(done, Refusal):
            return pb.SettleHandsResponse(
                request_id=request.request_id, hand_id=request.hand_id, error=to_hand_error(done)
            )
        return pb.SettleHandsResponse(request_id=request.request_id, hand_id=request.hand_id, hand=done)

    async def preview(self, request: pb.PreviewSettlementRequest) -> pb.Hand:
        """What settling a hand now would answer; nothing is written."""
        forms.check_id("table_id", request.table_id)
        table = await self._terms(request.table_id)
        command, _ = self._read(Request("preview", b""), "", table, request.record, "", "record")
        answer = await self._counter.read(lambda: self._counter.house.preview(command))
        hand = write_hand(cast("Hand", answer.subject))
        hand.ClearField("recorded_at")
        return hand

    def _read(
        self, asked: Request, hand_id: str, table: Table, record: pb.HandRecord, replaces_hand_id: str, field: str
    ) -> tuple[SettleHand, pb.Judgement | None]:
        part = forms.read_game(field, record, table.game)
        codec = CODECS[table.game]
        started = perf_counter()
        value = codec.read_hand(part)
        players = codec.game.participants(value)
        for player_id in players:
            forms.check_id(f"{field}.{table.game}", player_id)
        judged = judgement = None
        if not codec.game.needs_silver and table.stake_mode is StakeMode.FIXED:
            verdict = codec.game.judge(value, table.house_rules, table.stake, {})
            self._counter.metrics.judged(table.game, perf_counter() - started)
            if isinstance(verdict, tuple):
                raise faulty(verdict)
            judgement = write_judgement(table.game, table.stake, table.house_rules, value, verdict, record)
            judged = Judged(verdict, table.stake, judgement.SerializeToString(deterministic=True))
        command = SettleHand(
            request=asked,
            hand_id=hand_id,
            table_id=table.table_id,
            game=table.game,
            players=players,
            record=value,
            judged=judged,
            replaces_hand_id=replaces_hand_id,
        )
        return command, judgement

    async def _terms(self, table_id: str) -> Table:
        house = self._counter.house
        table = house.remembered_terms(table_id) or await self._counter.read(lambda: house.terms(table_id))
        if table is None:
            raise unknown_table(table_id)
        return table


async def _unreadable(request: forms.Unreadable) -> Begun:
    forms.check_readable(request)
    raise AssertionError("a message that cannot be read is refused")
