"""Health (grpc.health.v1): whether the house takes calls, as a whole and by service."""

import asyncio
from collections.abc import AsyncIterator, Iterable
from typing import Any

import grpc
from grpc_health.v1 import health_pb2 as pb
from grpc_health.v1.health_pb2_grpc import HealthServicer as HealthServicerBase

Status = pb.HealthCheckResponse


class HealthServicer(HealthServicerBase):  # type: ignore[misc]
    """NOT_SERVING until ``serve`` and again from ``drain`` on.

    Who watches is told of a drain at once, and his stream ends with it: a watcher must not hold up the end of the
    process that he watches.
    """

    def __init__(self, service_names: Iterable[str]) -> None:
        self._names = ("", *service_names)
        self._is_serving = False
        self._is_draining = False
        self._changed = asyncio.Event()

    def serve(self) -> None:
        """Calls are taken from now on."""
        self._is_serving = True
        self._tell()

    def drain(self) -> None:
        """No more calls are taken, for good."""
        self._is_serving = False
        self._is_draining = True
        self._tell()

    async def Check(self, request: pb.HealthCheckRequest, context: Any) -> pb.HealthCheckResponse:
        """The status of a service; NOT_FOUND for one that is not here."""
        if request.service not in self._names:
            await context.abort(grpc.StatusCode.NOT_FOUND, "there is no such service here")
        return Status(status=self._status_of(request.service))

    async def List(self, request: pb.HealthListRequest, context: Any) -> pb.HealthListResponse:
        """The status of every service."""
        return pb.HealthListResponse(statuses={name: Status(status=self._status_of(name)) for name in self._names})

    async def Watch(self, request: pb.HealthCheckRequest, context: Any) -> AsyncIterator[pb.HealthCheckResponse]:
        """The status of a service, and again each time it changes, until the server drains."""
        shown = None
        while True:
            changed, status = self._changed, self._status_of(request.service)
            if status != shown:
                yield Status(status=status)
                shown = status
            if self._is_draining:
                return
            await changed.wait()

    def _status_of(self, name: str) -> Any:
        if name not in self._names:
            return Status.SERVICE_UNKNOWN
        return Status.SERVING if self._is_serving else Status.NOT_SERVING

    def _tell(self) -> None:
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()
