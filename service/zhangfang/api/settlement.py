"""SettlementService: tables and hands."""

from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

from google.protobuf.message import Message

from zhangfang.api import forms, telling
from zhangfang.api.counter import OF_STREAMS, Counter
from zhangfang.api.judging import Clerk, Piece
from zhangfang.api.render import TABLE_CLOSED, TABLE_OPEN, write_hand, write_hand_row, write_table
from zhangfang.api.streaming import Stages, answer_in_order
from zhangfang.contract import reading
from zhangfang.contract.enums import BANKER_ACTION, HAND_STATE, POINTS_PER_WIN, SHORTFALL, STAKE_MODE
from zhangfang.contract.framing import embedded
from zhangfang.contract.games import CODECS
from zhangfang.domain.commands import (
    ChangeBanker,
    CloseTable,
    Command,
    FinishHand,
    MakeChoice,
    OpenHand,
    OpenTable,
    RecordDeal,
    ReverseHand,
    VoidHand,
)
from zhangfang.domain.tables import Table
from zhangfang.errors import Reason, Refusal, Status, invalid, shutting_down, unknown_hand, unknown_table
from zhangfang.judges.pool import Judges
from zhangfang.projections.hands import HandFilter, read_hands
from zhangfang.projections.tables import read_tables
from zhangfang.rules.levels import check_stake
from zhangfang.rules.payment import MoneyRules, check_money_rules
from zhangfang.wire.v1 import settlement_pb2 as pb
from zhangfang.wire.v1.settlement_pb2_grpc import SettlementServiceServicer

BATCH_HANDS_MAX = 1000


class SettlementServicer(SettlementServiceServicer):
    """Reads requests, hands them over the counter, renders answers; ``settlement.proto`` says what each call does."""

    def __init__(self, counter: Counter, judges: Judges, stream_in_flight_max: int) -> None:
        self._counter = counter
        self._clerk = Clerk(counter, judges)
        self._stream_in_flight_max = stream_in_flight_max

    async def OpenTable(self, request: pb.OpenTableRequest, context: Any) -> bytes:  # type: ignore[override]
        return await self._counter.submit(_read_open_table(request, context), telling.opened_table)

    async def GetTable(self, request: pb.GetTableRequest, context: Any) -> pb.GetTableResponse:
        reading.check_id("table_id", request.table_id)
        table = await self._counter.read(lambda: self._counter.house.table(request.table_id))
        if table is None:
            raise unknown_table(request.table_id)
        return pb.GetTableResponse(table=write_table(table))

    async def ListTables(self, request: pb.ListTablesRequest, context: Any) -> pb.ListTablesResponse:
        forms.check_game("game", request.game)
        if request.state not in (0, TABLE_OPEN, TABLE_CLOSED):
            raise invalid("state", f"is {request.state}; it must be STATE_OPEN, STATE_CLOSED or left out")
        is_open = None if not request.state else request.state == TABLE_OPEN
        size, after = forms.read_page_size(request.page_size), forms.read_page_token(request, int) or 0

        def read() -> tuple[list[Table], int]:
            with self._counter.house.database.read() as connection:
                rows: Any = read_tables(connection, request.game, after, size + 1, is_open=is_open)
            tables = [self._counter.house.table(row.table_id) for row in rows[:size]]
            return [table for table in tables if table], rows[size - 1].opened_position if len(rows) > size else 0

        tables, last = await self._counter.read(read)
        token = forms.write_page_token(request, last) if last else ""
        return pb.ListTablesResponse(tables=[write_table(table) for table in tables], next_page_token=token)

    async def CloseTable(self, request: pb.CloseTableRequest, context: Any) -> bytes:  # type: ignore[override]
        reading.check_id("table_id", request.table_id)
        command = CloseTable(request=forms.read_request(request, context), table_id=request.table_id)
        return await self._counter.submit(command, telling.closed_table)

    async def ChangeBanker(self, request: pb.ChangeBankerRequest, context: Any) -> bytes:  # type: ignore[override]
        reading.check_id("table_id", request.table_id)
        reading.check_id("player_id", request.player_id)
        action = BANKER_ACTION.to_word.get(request.action)
        if action is None:
            raise invalid("action", f"is {request.action}; it must be APPLY, LEAVE or STEP_DOWN")
        command = ChangeBanker(
            request=forms.read_request(request, context),
            table_id=request.table_id,
            player_id=request.player_id,
            action=action,
        )
        return await self._counter.submit(command, telling.bank)

    async def OpenHand(self, request: pb.OpenHandRequest, context: Any) -> bytes:  # type: ignore[override]
        reading.check_id("hand_id", request.hand_id)
        reading.check_id("table_id", request.table_id)
        for index, player_id in enumerate(request.players):
            reading.check_id(f"players[{index}]", player_id)
        command = OpenHand(
            request=forms.read_request(request, context),
            hand_id=request.hand_id,
            table_id=request.table_id,
            players=tuple(request.players),
            replaces_hand_id=_read_replaced(request),
        )
        return await self._hand_after(command, pb.OpenHandResponse)

    async def RecordDeal(self, request: pb.RecordDealRequest, context: Any) -> bytes:  # type: ignore[override]
        reading.check_id("hand_id", request.hand_id)
        part = reading.read_game("deal", request.deal, "")
        game = request.deal.WhichOneof("game") or ""
        command = RecordDeal(
            request=forms.read_request(request, context),
            hand_id=request.hand_id,
            game=game,
            deal=CODECS[game].read_deal(part),
        )
        return await self._hand_after(command, pb.RecordDealResponse)

    async def MakeChoice(self, request: pb.MakeChoiceRequest, context: Any) -> bytes:  # type: ignore[override]
        reading.check_id("hand_id", request.hand_id)
        reading.check_id("player_id", request.player_id)
        part = reading.read_game("choice", request.choice, "")
        game = request.choice.WhichOneof("game") or ""
        command = MakeChoice(
            request=forms.read_request(request, context),
            hand_id=request.hand_id,
            player_id=request.player_id,
            game=game,
            choice=CODECS[game].read_choice(part),
        )
        return await self._hand_after(command, pb.MakeChoiceResponse)

    async def FinishHand(self, request: pb.FinishHandRequest, context: Any) -> bytes:  # type: ignore[override]
        reading.check_id("hand_id", request.hand_id)
        part = reading.read_game("ending", request.ending, "")
        game = request.ending.WhichOneof("game") or ""
        command = FinishHand(
            request=forms.read_request(request, context),
            hand_id=request.hand_id,
            game=game,
            ending=CODECS[game].read_ending(part),
        )
        return await self._hand_after(command, pb.FinishHandResponse)

    async def SettleHand(self, request: pb.SettleHandRequest, context: Any) -> bytes:  # type: ignore[override]
        return await self._clerk.settle(request, context)

    async def SettleHands(  # type: ignore[override]
        self, requests: AsyncIterator[pb.SettleHandsRequest], context: Any
    ) -> AsyncIterator[bytes]:
        clerk, stopping = self._clerk, self._counter.stopping
        stages: Stages[Any, Piece, bytes] = Stages(
            lambda each: clerk.begin_in_stream(each, context), clerk.hand_over_in_stream, clerk.end_in_stream
        )
        answers = answer_in_order(requests, stages, self._stream_in_flight_max, stopping)
        async with aclosing(answers):  # type: ignore[type-var]
            async for response in answers:
                yield response
        if stopping.is_set():
            raise shutting_down(OF_STREAMS)

    async def BatchSettleHands(  # type: ignore[override]
        self, request: pb.BatchSettleHandsRequest, context: Any
    ) -> bytes:
        if not 1 <= len(request.hands) <= BATCH_HANDS_MAX:
            raise invalid("hands", f"has {len(request.hands)} hands; 1 to {BATCH_HANDS_MAX} are settled in one call")
        return await self._clerk.settle_batch(request.hands, context)

    async def PreviewSettlement(
        self, request: pb.PreviewSettlementRequest, context: Any
    ) -> pb.PreviewSettlementResponse:
        return pb.PreviewSettlementResponse(hand=await self._clerk.preview(request))

    async def VoidHand(self, request: pb.VoidHandRequest, context: Any) -> bytes:  # type: ignore[override]
        reading.check_id("hand_id", request.hand_id)
        forms.check_reason(request.reason)
        command = VoidHand(request=forms.read_request(request, context), hand_id=request.hand_id, reason=request.reason)
        return await self._hand_after(command, pb.VoidHandResponse)

    async def ReverseHand(self, request: pb.ReverseHandRequest, context: Any) -> bytes:  # type: ignore[override]
        reading.check_id("hand_id", request.hand_id)
        forms.check_reason(request.reason)
        command = ReverseHand(
            request=forms.read_request(request, context), hand_id=request.hand_id, reason=request.reason
        )
        return await self._hand_after(command, pb.ReverseHandResponse)

    async def GetHand(self, request: pb.GetHandRequest, context: Any) -> pb.GetHandResponse:
        reading.check_id("hand_id", request.hand_id)
        hand = await self._counter.read(lambda: self._counter.house.hand(request.hand_id))
        if hand is None:
            raise unknown_hand(request.hand_id)
        return pb.GetHandResponse(hand=write_hand(hand))

    async def ListHands(self, request: pb.ListHandsRequest, context: Any) -> pb.ListHandsResponse:
        wanted = _read_hand_filter(request)
        size, before = forms.read_page_size(request.page_size), forms.read_page_token(request, int)

        def read() -> Any:
            with self._counter.house.database.read() as connection:
                return read_hands(connection, wanted, before, size + 1)

        rows = await self._counter.read(read)
        token = forms.write_page_token(request, rows[size - 1].first_position) if len(rows) > size else ""
        return pb.ListHandsResponse(hands=[write_hand_row(row) for row in rows[:size]], next_page_token=token)

    async def _hand_after(self, command: Command, response: type[Message]) -> bytes:
        field = response.DESCRIPTOR.fields_by_name["hand"].number
        return embedded(field, await self._counter.submit(command, telling.hand))


def _read_open_table(request: pb.OpenTableRequest, context: Any) -> OpenTable:
    reading.check_id("table_id", request.table_id)
    reading.check_known(request)
    part = reading.read_game("rules", request.rules, "")
    game = request.rules.WhichOneof("game") or ""
    codec = CODECS[game]
    house_rules = codec.read_rules(part)
    stake_mode = STAKE_MODE.read(request.stake_mode)
    money_rules = MoneyRules(
        shortfall=SHORTFALL.read(request.shortfall),
        table_fee=request.table_fee,
        rake_per_mille=request.rake_per_mille,
        points_per_win=POINTS_PER_WIN.read(request.points_per_win),
    )
    faults = (
        *check_stake(request.stake, stake_mode, game),
        *codec.game.check_house_rules(house_rules),
        *check_money_rules(money_rules),
    )
    if faults:
        text = "; ".join(f"{fault.rule}: {fault.text}" for fault in faults)
        raise Refusal(Status.INVALID_ARGUMENT, Reason.INVALID_SETTINGS, text, faults=faults)
    for index, player_id in enumerate(request.seats):
        reading.check_id(f"seats[{index}]", player_id)
    for index, card in enumerate(request.draws):
        reading.check_text(f"draws[{index}]", card, reading.ID_CHARACTERS_MAX)
    return OpenTable(
        request=forms.read_request(request, context),
        table_id=request.table_id,
        game=game,
        house_rules=house_rules,
        stake_mode=stake_mode,
        stake=0 if stake_mode == "BY_WEALTH" else request.stake,
        money_rules=money_rules,
        seats=tuple(request.seats),
        draws=tuple(request.draws),
    )


def _read_replaced(request: Any) -> str:
    if request.replaces_hand_id:
        reading.check_id("replaces_hand_id", request.replaces_hand_id)
    return str(request.replaces_hand_id)


def _read_hand_filter(request: pb.ListHandsRequest) -> HandFilter:
    forms.check_game("game", request.game)
    for field in ("player_id", "table_id"):
        reading.check_text(field, getattr(request, field), reading.ID_CHARACTERS_MAX)
    if request.state and request.state not in HAND_STATE.to_word:
        raise invalid("state", f"is {request.state}; it must be one of {', '.join(pb.HandState.keys()[1:])}")
    has_from, has_before = request.HasField("recorded_from"), request.HasField("recorded_before")
    return HandFilter(
        player_id=request.player_id,
        table_id=request.table_id,
        game=request.game,
        state=HAND_STATE.to_word.get(request.state),
        recorded_from_us=forms.read_moment("recorded_from", request.recorded_from) if has_from else None,
        recorded_before_us=forms.read_moment("recorded_before", request.recorded_before) if has_before else None,
    )
