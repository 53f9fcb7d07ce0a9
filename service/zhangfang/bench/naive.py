"""The simple design: every request judges its hand, changes objects and saves them in a transaction of its own.

The event-sourcing library as it comes: its aggregates, its JSON, its own recorders for SQLite and PostgreSQL. One
save a hand holds the hand and the accounts of its players. The library's cache of aggregates is on, so that no account
is ever read again: the design's best case, with one process and no statements, idempotent answers or verification.
"""

from importlib.util import find_spec
from typing import Any
from uuid import NAMESPACE_URL, UUID, uuid5

import grpc
from eventsourcing.application import AggregateNotFoundError, Application
from eventsourcing.domain import Aggregate, event
from google.protobuf.json_format import MessageToDict
from sqlalchemy import make_url

from zhangfang.bench.cast import GAME, STAKE
from zhangfang.contract.games import CODECS
from zhangfang.contract.judging import write_judgement
from zhangfang.rules.games import GAMES
from zhangfang.rules.payment import MoneyRules, pay
from zhangfang.wire.v1 import settlement_pb2 as pb
from zhangfang.wire.v1.settlement_pb2_grpc import SettlementServiceServicer, add_SettlementServiceServicer_to_server

SILVER = 1 << 40


class Account(Aggregate):
    """A player's account."""

    @event("Opened")
    def __init__(self, player: str) -> None:
        self.player = player
        self.balance = SILVER

    @event("Posted")
    def post(self, hand: str, amount: int) -> None:
        """Moves silver."""
        self.last_hand = hand
        self.balance += amount

    @classmethod
    def create_id(cls, player: str) -> UUID:
        """Where a player's account is."""
        return uuid5(NAMESPACE_URL, f"player/{player}")


class Settled(Aggregate):
    """A settled hand."""

    @event("Settled")
    def __init__(self, hand: str, judgement: dict[str, Any], net: dict[str, int]) -> None:
        self.hand = hand
        self.judgement = judgement
        self.net = net

    @classmethod
    def create_id(cls, hand: str, judgement: Any, net: Any) -> UUID:  # noqa: ARG003 - the library's call
        """Where a hand is."""
        return uuid5(NAMESPACE_URL, f"hand/{hand}")


class NaiveHouse(Application[UUID]):
    """Judges and saves one hand at a time."""

    def settle(self, request: pb.SettleHandRequest) -> pb.SettleHandResponse:
        """One hand."""
        record = CODECS[GAME].read_hand(getattr(request.record, GAME))
        rules = GAMES[GAME].house_rules()
        verdict: Any = GAMES[GAME].judge(record, rules, STAKE, {})
        accounts = {player: self._account(player) for player in verdict.seats}
        silver = {player: account.balance for player, account in accounts.items()}
        payment: Any = pay(verdict.ended, verdict.seats, verdict.obligations, silver, MoneyRules())
        judgement = write_judgement(GAME, STAKE, rules, record, verdict, request.record)
        for player, amount in payment.net.items():
            accounts[player].post(request.hand_id, amount)
        self.save(Settled(request.hand_id, MessageToDict(judgement), dict(payment.net)), *accounts.values())
        hand = pb.Hand(hand_id=request.hand_id, table_id=request.table_id, game=GAME, judgement=judgement)
        return pb.SettleHandResponse(hand=hand)

    def _account(self, player: str) -> Account:
        try:
            account: Account = self.repository.get(Account.create_id(player))
        except AggregateNotFoundError:
            account = Account(player)
        return account


def can_use(store: str) -> bool:
    """Whether the library's recorder for a store is there: for PostgreSQL it needs another package."""
    return store == "sqlite" or find_spec("psycopg_pool") is not None


def environment(url: str) -> dict[str, str]:
    """How the library is told about a database."""
    parts = make_url(url)
    cache = {"AGGREGATE_CACHE_MAXSIZE": "10000", "AGGREGATE_CACHE_FASTFORWARD": "n"}
    if parts.get_backend_name() == "sqlite":
        return {**cache, "PERSISTENCE_MODULE": "eventsourcing.sqlite", "SQLITE_DBNAME": str(parts.database)}
    return {
        **cache,
        "PERSISTENCE_MODULE": "eventsourcing.postgres",
        "POSTGRES_DBNAME": str(parts.database),
        "POSTGRES_HOST": str(parts.query["host"]),
        "POSTGRES_PORT": "5432",
        "POSTGRES_USER": str(parts.username),
        "POSTGRES_PASSWORD": "none",
    }


class Naive(SettlementServiceServicer):
    """Settles in the handler."""

    def __init__(self, house: NaiveHouse) -> None:
        self._house = house

    async def SettleHand(self, request: pb.SettleHandRequest, context: Any) -> pb.SettleHandResponse:  # noqa: ARG002, N802, D102
        return self._house.settle(request)


def make_server(url: str) -> tuple[grpc.aio.Server, int]:
    """The server, not started yet, and its port."""
    server = grpc.aio.server(options=[("grpc.so_reuseport", 0), ("grpc.max_concurrent_streams", 10_000)])
    add_SettlementServiceServicer_to_server(Naive(NaiveHouse(env=environment(url))), server)  # type: ignore[abstract]
    return server, server.add_insecure_port("127.0.0.1:0")
