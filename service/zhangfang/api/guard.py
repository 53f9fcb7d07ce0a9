"""Around every call: refusals become statuses, surprises become INTERNAL, and both are counted and timed."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from time import perf_counter
from typing import Any

import grpc
import structlog
from google.protobuf.descriptor import MethodDescriptor, ServiceDescriptor
from google.protobuf.message import DecodeError, Message
from google.protobuf.message_factory import GetMessageClass
from grpc_status import rpc_status

from zhangfang.api.forms import Unreadable, check_question, check_readable
from zhangfang.api.status import CODES, to_status
from zhangfang.errors import Reason, Refusal, Status
from zhangfang.metrics import Metrics

log = structlog.get_logger()

Check = Callable[[Any], None]

MISTAKE = Refusal(Status.INTERNAL, Reason.INTERNAL, "the service made a mistake; it was written to its log")


def guard(service: ServiceDescriptor, servicer: object, metrics: Metrics) -> "grpc.GenericRpcHandler[Any, Any]":
    """A servicer's methods as a server calls them: requests read, refusals answered, everything counted."""
    guarded = Guard(metrics)
    handlers = {}
    for method in service.methods:
        wrap, make_handler = {
            (False, False): (guarded.unary, grpc.unary_unary_rpc_method_handler),
            (False, True): (guarded.stream, grpc.unary_stream_rpc_method_handler),
            (True, True): (guarded.stream, grpc.stream_stream_rpc_method_handler),
        }[method.client_streaming, method.server_streaming]
        handlers[method.name] = make_handler(
            wrap(method.name, getattr(servicer, method.name), _check_of(method)),  # type: ignore[operator]
            request_deserializer=_reader(GetMessageClass(method.input_type)),
            response_serializer=_write,
        )
    return grpc.method_handlers_generic_handler(service.full_name, handlers)


class Guard:
    """Wraps the methods of a servicer."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics

    def unary(self, name: str, method: Callable[..., Awaitable[Any]], check: Check) -> Callable[..., Awaitable[Any]]:
        """A method with one answer; ``check`` refuses requests as to form."""
        finished, in_flight = self._finisher(name)

        async def guarded(request: Any, context: Any) -> Any:
            started = perf_counter()
            code = grpc.StatusCode.OK
            in_flight.inc()
            try:
                check(request)
                return await method(request, context)
            except asyncio.CancelledError:
                code = grpc.StatusCode.CANCELLED
                raise
            except Exception as error:  # noqa: BLE001 - every surprise gets an answer
                refusal = refusal_of(name, error)
                code = CODES[refusal.status]
                self._metrics.refused(refusal, _game_of(request))
                await context.abort_with_status(rpc_status.to_status(to_status(refusal)))
            finally:
                in_flight.dec()
                finished(code, started)

        return guarded

    def stream(
        self, name: str, method: Callable[..., AsyncIterator[Any]], check: Check
    ) -> Callable[..., AsyncIterator[Any]]:
        """A method with a stream of answers; one that a caller leaves behind is closed at once."""
        finished, in_flight = self._finisher(name)

        async def guarded(request: Any, context: Any) -> AsyncIterator[Any]:
            started = perf_counter()
            code = grpc.StatusCode.OK
            in_flight.inc()
            try:
                check(request)
                async with aclosing(method(request, context)) as responses:  # type: ignore[type-var]
                    async for response in responses:
                        yield response
            except (asyncio.CancelledError, GeneratorExit):
                code = grpc.StatusCode.CANCELLED
                raise
            except Exception as error:  # noqa: BLE001 - every surprise gets an answer
                refusal = refusal_of(name, error)
                code = CODES[refusal.status]
                self._metrics.refused(refusal)
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


def refusal_of(name: str, error: Exception) -> Refusal:
    """What the caller of a method is told of an error; a surprise goes to the log and is told as INTERNAL."""
    if isinstance(error, Refusal):
        return error
    log.error("call_failed", method=name, exc_info=error)
    return MISTAKE


def _check_of(method: MethodDescriptor) -> Check:
    """What a request is refused for before it is looked into; a stream's are checked one by one where they are taken.

    A question is understood in full or refused. A command (what has a request id) may have fields around what it asks
    that a newer client knows; what is judged of it is read by ``reading.read_game``, in full or not at all.
    """
    if method.client_streaming or "request_id" in method.input_type.fields_by_name:
        return check_readable
    return check_question


def _reader(message_class: type[Message]) -> Callable[[bytes], Any]:
    """Reads requests; the library would answer UNKNOWN to bytes that are none, we want to say what is wrong."""

    def read(encoded: bytes) -> Message | Unreadable:
        try:
            return message_class.FromString(encoded)
        except DecodeError:
            return Unreadable(message_class.DESCRIPTOR.full_name)

    return read


def _write(response: Message | bytes) -> bytes:
    """Writes answers; one that goes to many callers comes as bytes already."""
    return response if isinstance(response, bytes) else response.SerializeToString()


def _game_of(request: Any) -> str:
    for field in ("record", "deal", "choice", "ending", "rules"):
        part = getattr(request, field, None)
        if part is not None:
            return part.WhichOneof("game") or "unknown"
    return "unknown"
