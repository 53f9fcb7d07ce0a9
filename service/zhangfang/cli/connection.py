"""The way to the service: where it is, who asks, how long an answer may take, and commands that go that way."""

import inspect
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import wraps
from typing import Annotated, Any, TypeVar

import grpc
import typer
from google.protobuf.message import Message

from zhangfang.api.forms import ACTOR_BINARY_KEY, ACTOR_KEY
from zhangfang.cli.printing import Printer
from zhangfang.cli.problems import misused, reported
from zhangfang.wire.v1.accounts_pb2_grpc import AccountServiceStub
from zhangfang.wire.v1.audit_pb2_grpc import AuditServiceStub
from zhangfang.wire.v1.settlement_pb2_grpc import SettlementServiceStub

PAGE_SIZE = 1000

TargetOption = Annotated[
    str, typer.Option("--target", envvar="ZHANGFANG_TARGET", help="Address of the service, host:port.")
]
ActorOption = Annotated[str, typer.Option("--actor", envvar="ZHANGFANG_ACTOR", help="Who asks; the log keeps it.")]
TimeoutOption = Annotated[
    float, typer.Option("--timeout", envvar="ZHANGFANG_TIMEOUT", min=0.001, help="Seconds an answer may take.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print proto JSON, one object a line, instead of tables.")]

Asked = TypeVar("Asked")
Answer = TypeVar("Answer")


@dataclass(slots=True)
class House:
    """An open channel to the service, with who asks.

    ``timeout_seconds`` bounds every single answer; streams last as long as they last.
    """

    channel: grpc.Channel
    actor: str
    timeout_seconds: float

    @property
    def settlement(self) -> SettlementServiceStub:
        """Tables and hands."""
        return SettlementServiceStub(self.channel)

    @property
    def accounts(self) -> AccountServiceStub:
        """Players and silver."""
        return AccountServiceStub(self.channel)

    @property
    def audit(self) -> AuditServiceStub:
        """The log."""
        return AuditServiceStub(self.channel)

    def ask(self, method: Callable[..., Answer], request: Message) -> Answer:
        """One answer to one request."""
        return method(request, metadata=actor_metadata(self.actor), timeout=self.timeout_seconds)

    def stream(self, method: Callable[..., Iterable[Answer]], asked: Any) -> Iterator[Answer]:
        """A stream of answers, to one request or to an iterator of them."""
        return iter(method(asked, metadata=actor_metadata(self.actor)))

    def pages(self, method: Callable[..., Any], request: Any, items: str, limit: int = 0) -> Iterator[Any]:
        """The items of all pages of a list, at most ``limit`` of them; 0 for all."""
        count = 0
        while True:
            request.page_size = min(PAGE_SIZE, limit - count) if limit else PAGE_SIZE
            response = self.ask(method, request)
            page = getattr(response, items)
            yield from page
            count += len(page)
            request.page_token = response.next_page_token
            if not request.page_token or (limit and count >= limit):
                return


def connect(target: str, actor: str = "", timeout_seconds: float = 30) -> House:
    """Opens a channel; nothing is sent before something is asked.

    Raises:
        CommandError: for an address that is empty.
    """
    if not target.strip():
        raise misused("--target is empty; it is the address of the service, host:port, e.g. 127.0.0.1:50051")
    options = [("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1)]
    return House(grpc.insecure_channel(target, options), actor, timeout_seconds)


def actor_metadata(actor: str) -> tuple[tuple[str, str | bytes], ...]:
    """The call metadata that names the caller.

    Metadata values are printable ASCII; a name that is not, like 张三, goes as UTF-8 under the key's ``-bin`` twin.
    """
    if not actor:
        return ()
    is_plain = actor.isascii() and actor.isprintable() and actor == actor.strip()
    return ((ACTOR_KEY, actor),) if is_plain else ((ACTOR_BINARY_KEY, actor.encode()),)


def asks_the_house(command: Callable[..., None]) -> Callable[..., None]:
    """Makes a command of a function whose first two arguments are the House and the Printer.

    The command gets ``--target``, ``--actor``, ``--timeout`` and ``--json``, and its failures are told as all are.
    """

    @wraps(command)
    def run(target: str, actor: str, timeout: float, as_json: bool, **arguments: Any) -> None:
        with reported():
            house = connect(target, actor, timeout)
            with house.channel:
                command(house, Printer(as_json), **arguments)

    own = list(inspect.signature(command, eval_str=True).parameters.values())[2:]
    shared = [
        _keyword("target", TargetOption, "127.0.0.1:50051"),
        _keyword("actor", ActorOption, ""),
        _keyword("timeout", TimeoutOption, 30.0),
        _keyword("as_json", JsonOption, False),
    ]
    run.__signature__ = inspect.Signature([*own, *shared])  # type: ignore[attr-defined]
    run.__annotations__ = {each.name: each.annotation for each in (*own, *shared)}
    return run


def _keyword(name: str, annotation: Any, default: object) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
