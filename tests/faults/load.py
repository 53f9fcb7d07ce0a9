"""Load: callers who settle hands one after another and remember what was acknowledged, until the service is gone."""

import threading
from collections import Counter
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import grpc

from tests.dealer import Dealer, new_id
from tests.samples import SIMPLE
from tests.serving import Client
from zhangfang.wire.v1 import audit_pb2 as audit
from zhangfang.wire.v1 import settlement_pb2 as pb

SAMPLE = SIMPLE["ban_bian_tian_zha"]
SILVER = 10**12
STREAMED_MAX = 400


@dataclass
class Load:
    """What callers sent and what was acknowledged; ``errors`` counts the statuses of the rest."""

    table_id: str
    prefix: str
    sent: list[pb.SettleHandRequest] = field(default_factory=list)
    acknowledged: dict[str, pb.Hand] = field(default_factory=dict)
    errors: Counter[str] = field(default_factory=Counter)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _enough: threading.Condition = field(default_factory=threading.Condition)

    def wait_for(self, number: int) -> None:
        """Waits until so many hands are acknowledged."""
        with self._enough:
            self._enough.wait_for(lambda: len(self.acknowledged) >= number)

    def request(self) -> pb.SettleHandRequest:
        """One more hand to settle."""
        request = pb.SettleHandRequest(
            request_id=new_id("settle"),
            hand_id=new_id("hand"),
            table_id=self.table_id,
            record=SAMPLE.record(self.prefix),
        )
        with self._lock:
            self.sent.append(request)
        return request

    def acknowledge(self, request_id: str, hand: pb.Hand) -> None:
        """A hand was answered."""
        with self._enough:
            self.acknowledged[request_id] = hand
            self._enough.notify_all()


def prepare(client: Client) -> Load:
    """A table and funded players."""
    dealer, prefix = Dealer(client), new_id("") + "-"
    dealer.register(*SAMPLE.players(prefix), silver=SILVER)
    return Load(dealer.open_table(SAMPLE), prefix)


@contextmanager
def pressing(load: Load, target: str, unary: int = 6, streaming: int = 2) -> Iterator[None]:
    """Callers at work; the block ends when each has met an error that ends him."""
    callers = [threading.Thread(target=_settle_one_by_one, args=(load, target)) for _ in range(unary)]
    callers += [threading.Thread(target=_settle_in_a_stream, args=(load, target)) for _ in range(streaming)]
    for caller in callers:
        caller.start()
    yield
    for caller in callers:
        caller.join()


def _settle_one_by_one(load: Load, target: str) -> None:
    with Client(target) as client:
        while True:
            request = load.request()
            try:
                load.acknowledge(request.request_id, client.settlement.SettleHand(request, timeout=60).hand)
            except grpc.RpcError as error:
                load.errors[error.code().name] += 1
                return


def _settle_in_a_stream(load: Load, target: str) -> None:
    gone = threading.Event()

    def requests() -> Iterator[Any]:
        for _ in range(STREAMED_MAX):
            if gone.is_set():
                return
            yield pb.SettleHandsRequest(settle_hand=load.request())

    with Client(target) as client:
        try:
            for answer in client.settlement.SettleHands(requests()):
                if answer.hand.position:
                    load.acknowledge(answer.request_id, answer.hand)
        except grpc.RpcError as error:
            load.errors[error.code().name] += 1
        finally:
            gone.set()


def followed(client: Client) -> Generator[int, None, None]:
    """The positions of the log as they are appended; who is told to try again goes on behind the last one he saw."""
    position = 0
    while True:
        try:
            for each in client.audit.StreamEvents(audit.StreamEventsRequest(after_position=position, follow=True)):
                position = each.event.position
                yield position
        except grpc.RpcError as error:
            assert error.code() is grpc.StatusCode.UNAVAILABLE  # noqa: PT017


def check_nothing_is_lost(load: Load, client: Client) -> None:
    """What was acknowledged is in the log as told, the books are its sum, and retries say what became of the rest."""
    dealer = Dealer(client)
    settled = {event.hand_settled.hand_id: event for event in dealer.events(topics=["HandSettled"])}
    for hand in load.acknowledged.values():
        assert settled[hand.hand_id].position == hand.position
    for hand in list(load.acknowledged.values())[::10]:
        assert client.settlement.GetHand(pb.GetHandRequest(hand_id=hand.hand_id)).hand == hand
    check_books(load, dealer, len(settled))

    unanswered = [request for request in load.sent if request.request_id not in load.acknowledged]
    retries = iter([pb.SettleHandsRequest(settle_hand=request) for request in unanswered])
    for answer in client.settlement.SettleHands(retries):
        if answer.hand_id in settled:
            assert answer.hand.position == settled[answer.hand_id].position
    check_books(load, dealer, len(load.sent))
    finding = list(client.audit.VerifyLog(audit.VerifyLogRequest()))[-1].finding
    assert finding.is_sound, finding


def check_books(load: Load, dealer: Dealer, hands: int) -> None:
    """Each player has what so many hands gave or took."""
    for player, net in SAMPLE.net.items():
        assert dealer.balance(load.prefix + player) == SILVER + net * hands
    assert dealer.client.audit.GetTrialBalance(audit.GetTrialBalanceRequest()).balance_sum == 0
