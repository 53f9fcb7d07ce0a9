"""Finished hands over the counter: read, judged before the writer where silver does not matter, settled, rendered."""

from contextlib import suppress
from time import perf_counter
from typing import Any, cast

from zhangfang.api import forms
from zhangfang.api.counter import Counter
from zhangfang.api.guard import refusal_of
from zhangfang.api.render import write_hand
from zhangfang.api.status import to_hand_error
from zhangfang.contract.games import CODECS
from zhangfang.contract.judging import write_judgement
from zhangfang.domain.commands import Judged, Request, SettleHand
from zhangfang.domain.hands import Hand
from zhangfang.domain.tables import Table
from zhangfang.errors import Refusal, faulty, unknown_table
from zhangfang.rules.levels import StakeMode
from zhangfang.wire.v1 import settlement_pb2 as pb


class Clerk:
    """Judges and settles finished hands."""

    def __init__(self, counter: Counter) -> None:
        self._counter = counter

    async def settle(self, request: pb.SettleHandRequest, context: Any) -> pb.Hand:
        """A finished hand, settled.

        Raises:
            Refusal: with all faults, or what the writer refused it for.
        """
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
            return write_hand(cast("Hand", first.subject))
        answer = await self._counter.submit(command)
        # A repeat is told from the log: its hand may have been judged by an older version of this code.
        return write_hand(cast("Hand", answer.subject), None if answer.is_repeat else judgement)

    async def settle_in_stream(
        self, request: pb.SettleHandsRequest | forms.Unreadable, context: Any
    ) -> pb.SettleHandsResponse:
        """The answer to one hand of a stream; whatever is wrong with it is in its answer and hurts no other."""
        settle_hand = pb.SettleHandRequest() if isinstance(request, forms.Unreadable) else request.settle_hand
        answer = pb.SettleHandsResponse(request_id=settle_hand.request_id, hand_id=settle_hand.hand_id)
        try:
            forms.check_readable(request)
            answer.hand.CopyFrom(await self.settle(settle_hand, context))
        except Exception as error:  # noqa: BLE001 - every surprise gets an answer
            refusal = refusal_of("SettleHands", error)
            self._counter.metrics.refused(refusal, settle_hand.record.WhichOneof("game") or "unknown")
            answer.error.CopyFrom(to_hand_error(refusal))
        return answer

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
