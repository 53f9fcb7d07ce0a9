"""Around every call: refusals become statuses, surprises become INTERNAL, and both are counted and timed."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from time import perf_counter
from typing import Any

import grpc
import structlog
from grpc_status import rpc_status

from zhangfang.api.status import CODES, to_status
from zhangfang.errors import Reason, Refusal, Status
from zhangfang.metrics import Metrics

log = structlog.get_logger()

MISTAKE = Refusal(Status.INTERNAL, Reason.INTERNAL, "the service made a mistake; it was written to its log")


class Guard:
    """Wraps the methods of a servicer, so that ``add_…_to_server`` gets guarded ones."""

    def __init__(self, servicer: Any, metrics: Metrics) -> None:
        self._servicer = servicer
        self._metrics = metrics

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._servicer, name)
        is_stream = method.__code__.co_flags & 0x200  # an async generator
        return self._guard_stream(name, method) if is_stream else self._guard_unary(name, method)

    def _guard_unary(self, name: str, method: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        finished, in_flight = self._finisher(name)

        async def guarded(request: Any, context: Any) -> Any:
            started = perf_counter()
            code = grpc.StatusCode.OK
            in_flight.inc()
            try:
                return await method(request, context)
            except asyncio.CancelledError:
                code = grpc.StatusCode.CANCELLED
                raise
            except Exception as error:  # noqa: BLE001 - every surprise gets an answer
                refusal = self._refusal_of(name, error, request)
                code = CODES[refusal.status]
                await context.abort_with_status(rpc_status.to_status(to_status(refusal)))
            finally:
                in_flight.dec()
                finished(code, started)

        return guarded

    def _guard_stream(self, name: str, method: Callable[..., AsyncIterator[Any]]) -> Callable[..., AsyncIterator[Any]]:
        finished, in_flight = self._finisher(name)

        async def guarded(request: Any, context: Any) -> AsyncIterator[Any]:
            started = perf_counter()
            code = grpc.StatusCode.OK
            in_flight.inc()
            try:
                async for response in method(request, context):
                    yield response
            except (asyncio.CancelledError, GeneratorExit):
                code = grpc.StatusCode.CANCELLED
                raise
            except Exception as error:  # noqa: BLE001 - every surprise gets an answer
                refusal = self._refusal_of(name, error, request)
                code = CODES[refusal.status]
                await context.abort_with_status(rpc_status.to_status(to_status(refusal)))
            finally:
                in_flight.dec()
                finished(code, started)

        return guarded

    def _finisher(self, name: str) -> tuple[Callable[[grpc.StatusCode, float], None], Any]:
        rpcs, seconds = self._metrics["rpcs"], self._metrics["rpc_seconds"].labels(name)
        ok = rpcs.labels(name, "OK")

        def finished(code: grpc.StatusCode, started: float) -> None:
            (ok if code is grpc.StatusCode.OK else rpcs.labels(name, code.name)).inc()
            seconds.observe(perf_counter() - started)

        return finished, self._metrics["rpcs_in_flight"].labels(name)

    def _refusal_of(self, name: str, error: Exception, request: Any) -> Refusal:
        if not isinstance(error, Refusal):
            log.error("call_failed", method=name, exc_info=error)
            self._metrics.refused(MISTAKE)
            return MISTAKE
        self._metrics.refused(error, _game_of(request))
        return error


def _game_of(request: Any) -> str:
    for field in ("record", "deal", "choice", "ending", "rules"):
        part = getattr(request, field, None)
        if part is not None:
            return part.WhichOneof("game") or "unknown"
    return "unknown"
