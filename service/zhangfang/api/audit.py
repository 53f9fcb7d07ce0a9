"""AuditService: the log, its verification and the trial balance."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator
from typing import Any

from zhangfang.api import forms
from zhangfang.api.counter import Counter
from zhangfang.api.tail import BODY_FIELDS, Tail, Wanted
from zhangfang.audit.verify import Finding, Progress, verify
from zhangfang.contract import reading
from zhangfang.contract.times import write_time
from zhangfang.errors import Reason, Refusal, Status, invalid
from zhangfang.ledger.accounts import is_player_account
from zhangfang.projections.accounts import Totals, read_totals
from zhangfang.rules.verdict import INT64_MAX
from zhangfang.store.chain import GENESIS
from zhangfang.store.log import read_head, read_row
from zhangfang.wire.v1 import audit_pb2 as pb
from zhangfang.wire.v1.audit_pb2_grpc import AuditServiceServicer


class AuditServicer(AuditServiceServicer):
    """Reads requests and renders answers; see ``audit.proto`` for what each call does."""

    def __init__(self, counter: Counter) -> None:
        self._counter = counter
        self._tail = Tail(counter)
        self._verifying = asyncio.Lock()

    async def StreamEvents(  # type: ignore[override]  # answers encoded once for many callers
        self, request: pb.StreamEventsRequest, context: Any
    ) -> AsyncIterator[pb.StreamEventsResponse | bytes]:
        wanted = _read_wanted(request)
        events = self._tail.events(request.after_position, wanted, follow=request.follow)
        async with contextlib.aclosing(events):
            async for shown in events:
                yield shown.with_stored_bytes() if request.include_stored_bytes else shown.response

    async def VerifyLog(self, request: pb.VerifyLogRequest, context: Any) -> AsyncIterator[pb.VerifyLogResponse]:
        if self._verifying.locked():
            raise Refusal(
                Status.RESOURCE_EXHAUSTED,
                Reason.VERIFICATION_RUNNING,
                "another verification is running in this process; wait for it to end",
            )
        async with self._verifying:
            steps: Any = verify(self._counter.house.database)  # a generator
            try:
                while True:
                    stepping = asyncio.create_task(asyncio.to_thread(next, steps, None))
                    step = await asyncio.shield(stepping)
                    if step is None:
                        return
                    if isinstance(step, Finding):
                        self._note(step)
                    yield _write_step(step)
            finally:
                # Its thread cannot be stopped within a step: a caller who goes away leaves that one to its end.
                await asyncio.wait({stepping})
                await asyncio.to_thread(steps.close)

    async def GetTrialBalance(self, request: pb.GetTrialBalanceRequest, context: Any) -> pb.GetTrialBalanceResponse:
        def read() -> tuple[list[Totals], int]:
            with self._counter.house.database.read() as connection:
                return read_totals(connection), read_head(connection).position

        totals, position = await self._counter.read(read)
        response = pb.GetTrialBalanceResponse(balance_sum=sum(each.balance for each in totals), position=position)
        if not request.include_players:
            totals = _summed_up(totals)
        for each in totals:
            response.accounts.add(**each._asdict())
        return response

    async def GetLogHead(self, request: pb.GetLogHeadRequest, context: Any) -> pb.GetLogHeadResponse:
        if request.position < 0:
            raise invalid("position", f"is {request.position}; it must be 0 (for the end) or more")

        def read() -> pb.GetLogHeadResponse:
            with self._counter.house.database.read() as connection:
                last = read_head(connection).position
                row = read_row(connection, request.position or last)
                if row:
                    recorded_at = write_time(row.recorded_at_us)
                    return pb.GetLogHeadResponse(position=row.position, hash=row.hash, recorded_at=recorded_at)
                if not last and not request.position:
                    return pb.GetLogHeadResponse(position=0, hash=GENESIS)
                raise Refusal(
                    Status.NOT_FOUND,
                    Reason.UNKNOWN_POSITION,
                    f"the log ends at position {last}; there is no event at {request.position}",
                    {"position": str(request.position), "last_position": str(last)},
                )

        return await self._counter.read(read)

    def _note(self, finding: Finding) -> None:
        self._counter.metrics["verified_discrepancies"].set(len(finding.discrepancies))
        if finding.is_sound:
            self._counter.metrics["verified_timestamp_seconds"].set(time.time())


def _read_wanted(request: pb.StreamEventsRequest) -> Wanted:
    if request.after_position < 0:
        raise invalid("after_position", f"is {request.after_position}; it must be 0 or more")
    forms.check_game("game", request.game)
    for field in ("table_id", "player_id", "hand_id"):
        reading.check_text(field, getattr(request, field), reading.ID_CHARACTERS_MAX)
    for index, topic in enumerate(request.topics):
        if topic not in BODY_FIELDS:
            raise invalid(f"topics[{index}]", f"{topic[:64]!r} is no topic; known are {', '.join(BODY_FIELDS)}")
    return Wanted(request.table_id, request.player_id, request.hand_id, request.game, frozenset(request.topics))


def _write_step(step: Progress | Finding) -> pb.VerifyLogResponse:
    if isinstance(step, Progress):
        return pb.VerifyLogResponse(position=step.position, last_position=step.last_position)
    finding = pb.VerifyLogResponse.Finding(
        is_sound=step.is_sound, event_count=step.event_count, head_hash=step.head_hash
    )
    for each in step.discrepancies:
        finding.discrepancies.add(position=each.position, place=each.place, text=each.text)
    return pb.VerifyLogResponse(position=step.event_count, last_position=step.event_count, finding=finding)


def _summed_up(totals: list[Totals]) -> list[Totals]:
    players = [each for each in totals if is_player_account(each.account)]
    others = [each for each in totals if not is_player_account(each.account)]
    together = Totals(
        "player/*",
        min(sum(each.debits for each in players), INT64_MAX),
        min(sum(each.credits for each in players), INT64_MAX),
        sum(each.balance for each in players),
    )
    return [together, *others]
