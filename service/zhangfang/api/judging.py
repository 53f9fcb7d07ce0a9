"""Finished hands over the counter: read, judged before the writer where silver does not matter, settled, rendered."""

import asyncio
from collections.abc import Awaitable, Sequence
from contextlib import suppress
from time import perf_counter
from typing import Any, NamedTuple, TypeVar, cast

from zhangfang.api import forms
from zhangfang.api.counter import Awaited, Counter
from zhangfang.api.guard import refusal_of
from zhangfang.api.render import encode_hand, write_hand
from zhangfang.api.status import to_hand_error
from zhangfang.application import Answer
from zhangfang.contract import reading
from zhangfang.contract.framing import embedded
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

NO_HAND = pb.SettleHandRequest()

HAND_FIELD = pb.SettleHandResponse.DESCRIPTOR.fields_by_name["hand"].number
HAND_OF_STREAM_FIELD = pb.SettleHandsResponse.DESCRIPTOR.fields_by_name["hand"].number
ANSWERS_FIELD = pb.BatchSettleHandsResponse.DESCRIPTOR.fields_by_name["answers"].number

Done = TypeVar("Done")


class Begun(NamedTuple):
    """A hand of a stream or a batch on its way: its request, and what answers it, or why it is refused."""

    request: pb.SettleHandRequest
    answered: Awaited | Answer | Refusal

    def cancel(self) -> None:
        """Drops it if the writer has not taken it yet."""
        if isinstance(self.answered, asyncio.Future):
            self.answered.cancel()


class Clerk:
    """Judges and settles finished hands. Its answers come encoded: a judgement is encoded once, for log and caller."""

    def __init__(self, counter: Counter) -> None:
        self._counter = counter

    async def settle(self, request: pb.SettleHandRequest, context: Any) -> bytes:
        """The SettleHandResponse to a finished hand.

        Raises:
            Refusal: with all faults, or what the writer refused it for.
        """
        return embedded(HAND_FIELD, await self._end(await self._begin(request, context)))

    async def settle_batch(self, requests: Sequence[pb.SettleHandRequest], context: Any) -> bytes:
        """The BatchSettleHandsResponse to several hands: all are with the writer before the first is waited for."""
        begun: list[Begun] = []
        try:
            for index, request in enumerate(requests):
                if index % JUDGED_AT_ONCE == 0:
                    await asyncio.sleep(0)  # others have their turn
                begun.append(Begun(request, await self._attempt(request, self._begin(request, context))))
            return b"".join([embedded(ANSWERS_FIELD, await self.end_in_stream(each)) for each in begun])
        finally:
            for each in begun:
                each.cancel()  # if the caller has gone; those that were taken are finished all the same

    async def begin_in_stream(self, request: pb.SettleHandsRequest | forms.Unreadable, context: Any) -> Begun:
        """A hand of a stream with the writer; whatever is wrong with it is in its answer and hurts no other."""
        if isinstance(request, forms.Unreadable):
            return Begun(NO_HAND, await self._attempt(NO_HAND, _unreadable(request)))
        hand = request.settle_hand
        return Begun(hand, await self._attempt(hand, self._begin(hand, context)))

    async def end_in_stream(self, begun: Begun) -> bytes:
        """The SettleHandsResponse to a hand of a stream or a batch."""
        request, answered = begun
        ended = answered if isinstance(answered, Refusal) else await self._attempt(request, self._end(answered))
        response = pb.SettleHandsResponse(request_id=request.request_id, hand_id=request.hand_id)
        if isinstance(ended, Refusal):
            response.error.CopyFrom(to_hand_error(ended))
            return response.SerializeToString()
        return response.SerializeToString() + embedded(HAND_OF_STREAM_FIELD, ended)

    async def _begin(self, request: pb.SettleHandRequest, context: Any) -> Awaited | Answer:
        """Reads and judges a hand and hands it to the writer."""
        asked = forms.read_request(request, context)
        reading.check_id("hand_id", request.hand_id)
        reading.check_id("table_id", request.table_id)
        if request.replaces_hand_id:
            reading.check_id("replaces_hand_id", request.replaces_hand_id)
        table = await self._terms(request.table_id)
        try:
            command = self._read(asked, request.hand_id, table, request.record, request.replaces_hand_id)
        except Refusal:
            # What an older version accepted stays answered, whatever this one thinks of the hand.
            first = None
            with suppress(Refusal):  # a store that is away for the moment does not make a faulty hand less faulty
                first = await self._counter.read(lambda: self._counter.house.first_answer(asked))
            if first is None:
                raise
            return first
        return self._counter.begin(command)

    async def _end(self, answered: Awaited | Answer) -> bytes:
        """The hand that was begun, settled."""
        answer = answered if isinstance(answered, Answer) else await self._counter.wait_for(answered)
        return encode_hand(cast("Hand", answer.subject))

    async def _attempt(self, request: pb.SettleHandRequest, work: "Awaitable[Done]") -> "Done | Refusal":
        """What some work on a hand comes to, or why it is refused."""
        try:
            return await work
        except Exception as error:  # noqa: BLE001 - every surprise gets an answer
            refusal = refusal_of("SettleHands", error)
            self._counter.metrics.refused(refusal, request.record.WhichOneof("game") or "unknown")
            return refusal

    async def preview(self, request: pb.PreviewSettlementRequest) -> pb.Hand:
        """What settling a hand now would answer; nothing is written."""
        reading.check_id("table_id", request.table_id)
        table = await self._terms(request.table_id)
        command = self._read(Request("preview", b""), "", table, request.record, "")
        answer = await self._counter.read(lambda: self._counter.house.preview(command))
        return write_hand(cast("Hand", answer.subject))

    def _read(
        self, asked: Request, hand_id: str, table: Table, record: pb.HandRecord, replaces_hand_id: str
    ) -> SettleHand:
        part = reading.read_game("record", record, table.game)
        codec = CODECS[table.game]
        started = perf_counter()
        value = codec.read_hand(part)
        players = codec.game.participants(value)
        for player_id in players:
            reading.check_id(f"record.{table.game}", player_id)
        judged = None
        if not codec.game.needs_silver and table.stake_mode is StakeMode.FIXED:
            verdict = codec.game.judge(value, table.house_rules, table.stake, {})
            self._counter.metrics.judged(table.game, perf_counter() - started)
            if isinstance(verdict, tuple):
                raise faulty(verdict)
            judgement = write_judgement(table.game, table.stake, table.house_rules, value, verdict, record)
            judged = Judged(verdict, table.stake, judgement.SerializeToString(deterministic=True))
        return SettleHand(
            request=asked,
            hand_id=hand_id,
            table_id=table.table_id,
            game=table.game,
            players=players,
            record=value,
            judged=judged,
            replaces_hand_id=replaces_hand_id,
        )

    async def _terms(self, table_id: str) -> Table:
        house = self._counter.house
        table = house.remembered_terms(table_id) or await self._counter.read(lambda: house.terms(table_id))
        if table is None:
            raise unknown_table(table_id)
        return table


async def _unreadable(request: forms.Unreadable) -> Answer:
    forms.check_readable(request)
    raise AssertionError("a message that cannot be read is refused")
