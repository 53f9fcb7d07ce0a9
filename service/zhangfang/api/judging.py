"""Finished hands over the counter: read, judged before the writer where silver does not matter, settled, encoded.

A hand goes through three stages: it is begun (looked at, and given to a judge), handed to the writer, and ended. The
hands of a stream or a batch are handed to the writer in their order, whichever judge is done first.
"""

import asyncio
from collections.abc import Awaitable, Sequence
from contextlib import suppress
from functools import lru_cache
from time import perf_counter
from typing import Any, NamedTuple, TypeVar, cast

from zhangfang.api import forms, telling
from zhangfang.api.counter import Awaited, Counter
from zhangfang.api.guard import refusal_of
from zhangfang.api.render import write_hand
from zhangfang.api.status import to_hand_error
from zhangfang.contract import reading
from zhangfang.contract.framing import embedded
from zhangfang.contract.games import CODECS
from zhangfang.domain.commands import Request, SettleHand
from zhangfang.domain.hands import Hand
from zhangfang.domain.tables import Table
from zhangfang.errors import Reason, Refusal, unknown_table
from zhangfang.judges.pool import Judges
from zhangfang.judges.ruling import Question, Ruling, is_judged_beforehand, read_record, rule_on
from zhangfang.wire.v1 import settlement_pb2 as pb

JUDGED_AT_ONCE = 16
"""How many hands are judged in this process before others have their turn: some two milliseconds."""

BEGUN_AT_ONCE = 64
"""How many hands of a batch are looked at before others have their turn, and judges get what there is."""

NO_HAND = pb.SettleHandRequest()

HAND_FIELD = pb.SettleHandResponse.DESCRIPTOR.fields_by_name["hand"].number
HAND_OF_STREAM_FIELD = pb.SettleHandsResponse.DESCRIPTOR.fields_by_name["hand"].number
ANSWERS_FIELD = pb.BatchSettleHandsResponse.DESCRIPTOR.fields_by_name["answers"].number

Done = TypeVar("Done")


class Begun(NamedTuple):
    """A hand that was looked at; ``ruling`` is what a judge makes of it, None if it was given to none."""

    request: pb.SettleHandRequest
    asked: Request
    table: Table
    ruling: "asyncio.Future[Ruling | None] | None"


class Piece(NamedTuple):
    """One hand of a stream or a batch on its way: where it is, or why it is refused."""

    request: pb.SettleHandRequest
    stage: Begun | Awaited | bytes | Refusal

    def cancel(self) -> None:
        """Drops it if the writer has not taken it yet."""
        if isinstance(self.stage, asyncio.Future):
            self.stage.cancel()
        elif isinstance(self.stage, Begun) and self.stage.ruling:
            self.stage.ruling.cancel()


class Clerk:
    """Settles finished hands. Its answers come encoded: a judgement is encoded once, for log and caller."""

    def __init__(self, counter: Counter, judges: Judges) -> None:
        self._counter = counter
        self._judges = judges
        self._judged_here = 0

    async def settle(self, request: pb.SettleHandRequest, context: Any) -> bytes:
        """The SettleHandResponse to a finished hand.

        Raises:
            Refusal: with all faults, or what the writer refused it for.
        """
        answered = await self._hand_over(await self._begin(request, context))
        return embedded(HAND_FIELD, await self._end(answered))

    async def settle_batch(self, requests: Sequence[pb.SettleHandRequest], context: Any) -> bytes:
        """The BatchSettleHandsResponse to several hands: all are with the writer before the first is waited for."""
        pieces: list[Piece] = []
        try:
            for index, request in enumerate(requests):
                if index % BEGUN_AT_ONCE == 0:
                    await asyncio.sleep(0)
                begun = await self._attempt(request, self._begin(request, context))
                pieces.append(Piece(request, begun))
            for index, piece in enumerate(pieces):
                pieces[index] = await self.hand_over_in_stream(piece)
            return b"".join([embedded(ANSWERS_FIELD, await self.end_in_stream(piece)) for piece in pieces])
        finally:
            for piece in pieces:
                piece.cancel()  # if the caller has gone; those that were taken are finished all the same

    async def begin_in_stream(self, request: pb.SettleHandsRequest | forms.Unreadable, context: Any) -> Piece:
        """A hand of a stream, begun; whatever is wrong with it is in its answer and hurts no other."""
        if isinstance(request, forms.Unreadable):
            return Piece(NO_HAND, await self._attempt(NO_HAND, _unreadable(request)))
        hand = request.settle_hand
        return Piece(hand, await self._attempt(hand, self._begin(hand, context)))

    async def hand_over_in_stream(self, piece: Piece) -> Piece:
        """A hand that was begun, with the writer."""
        request, stage = piece
        if not isinstance(stage, Begun):
            return piece
        return Piece(request, await self._attempt(request, self._hand_over(stage)))

    async def end_in_stream(self, piece: Piece) -> bytes:
        """The SettleHandsResponse to a hand of a stream or a batch that is with the writer, or was refused."""
        request, stage = piece
        assert not isinstance(stage, Begun)  # noqa: S101 - the stages before this one
        ended = stage if isinstance(stage, Refusal) else await self._attempt(request, self._end(stage))
        response = pb.SettleHandsResponse(request_id=request.request_id, hand_id=request.hand_id)
        if isinstance(ended, Refusal):
            response.error.CopyFrom(to_hand_error(ended))
            return response.SerializeToString()
        return response.SerializeToString() + embedded(HAND_OF_STREAM_FIELD, ended)

    async def preview(self, request: pb.PreviewSettlementRequest) -> pb.Hand:
        """What settling a hand now would answer; nothing is written."""
        reading.check_id("table_id", request.table_id)
        table = await self._terms(request.table_id)
        hand = pb.SettleHandRequest(record=request.record)
        command = self._command(Begun(hand, Request("preview", b""), table, None), None)
        answer = await self._counter.read(lambda: self._counter.house.preview(command))
        return write_hand(cast("Hand", answer.subject))

    async def _begin(self, request: pb.SettleHandRequest, context: Any) -> Begun:
        """Looks at a request and gives its hand to a judge, if there is one who can judge it."""
        asked = forms.read_request(request, context)
        reading.check_id("hand_id", request.hand_id)
        reading.check_id("table_id", request.table_id)
        if request.replaces_hand_id:
            reading.check_id("replaces_hand_id", request.replaces_hand_id)
        table = await self._terms(request.table_id)
        ruling = None
        if self._judges.alive_count and is_judged_beforehand(table):
            rules = _encoded_rules(table.game, table.house_rules)
            record = request.record.SerializeToString()
            if len(record) <= reading.HAND_BYTES_MAX:
                ruling = self._judges.ask(Question(table.game, table.stake, rules, record))
        return Begun(request, asked, table, ruling)

    async def _hand_over(self, begun: Begun) -> Awaited | bytes:
        """Hands a hand to the writer as soon as it is judged."""
        ruling = await begun.ruling if begun.ruling else None
        if ruling is None:
            self._judged_here += 1
            if self._judged_here % JUDGED_AT_ONCE == 0:
                await asyncio.sleep(0)  # others have their turn
        try:
            command = self._command(begun, ruling)
        except Refusal:
            # What an older version accepted stays answered, whatever this one thinks of the hand.
            first = None
            with suppress(Refusal):  # a store that is away for the moment does not make a faulty hand less faulty
                first = await self._counter.read(lambda: self._counter.house.first_answer(begun.asked))
            if first is None:
                raise
            return telling.settled_hand(first)
        return self._counter.begin(command, telling.settled_hand)

    async def _end(self, answered: Awaited | bytes) -> bytes:
        """The hand that was handed over, settled and encoded."""
        settled: bytes = answered if isinstance(answered, bytes) else await self._counter.wait_for(answered)
        return settled

    async def _attempt(self, request: pb.SettleHandRequest, work: "Awaitable[Done]") -> "Done | Refusal":
        """What some work on a hand comes to, or why it is refused."""
        try:
            return await work
        except Exception as error:  # noqa: BLE001 - every surprise gets an answer
            refusal = refusal_of("SettleHands", error)
            self._counter.metrics.refused(refusal, request.record.WhichOneof("game") or "unknown")
            return refusal

    def _command(self, begun: Begun, ruling: Ruling | None) -> SettleHand:
        """What the writer is asked; what no judge has answered for is judged here, or there if silver matters."""
        request, asked, table, _ = begun
        record = judged = None
        if is_judged_beforehand(table):
            players, judged, seconds = ruling or self._rule(table, request.record)
            self._counter.metrics.judged(table.game, seconds)
        else:
            record, players = read_record(request.record, table.game)
        return SettleHand(
            request=asked,
            hand_id=request.hand_id,
            table_id=table.table_id,
            game=table.game,
            players=players,
            record=record,
            judged=judged,
            replaces_hand_id=request.replaces_hand_id,
        )

    def _rule(self, table: Table, record: pb.HandRecord) -> Ruling:
        started = perf_counter()
        try:
            return rule_on(record, table.game, table.stake, table.house_rules)
        except Refusal as refusal:
            if refusal.reason is Reason.HAND_FAULTY:
                self._counter.metrics.judged(table.game, perf_counter() - started)
            raise

    async def _terms(self, table_id: str) -> Table:
        house = self._counter.house
        table = house.remembered_terms(table_id) or await self._counter.read(lambda: house.terms(table_id))
        if table is None:
            raise unknown_table(table_id)
        return table


@lru_cache(maxsize=1000)
def _encoded_rules(game: str, house_rules: Any) -> bytes:
    part: dict[str, Any] = {game: CODECS[game].write_rules(house_rules)}
    return pb.GameRules(**part).SerializeToString()


async def _unreadable(request: forms.Unreadable) -> Begun:
    forms.check_readable(request)
    raise AssertionError("a message that cannot be read is refused")
