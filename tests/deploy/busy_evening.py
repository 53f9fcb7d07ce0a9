"""Everything that happens in a house, again and again until the test has seen enough."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Event, Thread
from typing import Any

import grpc

from tests.dealer import ACTOR, Dealer, new_id
from tests.samples import PLENTY, SAMPLES, SIMPLE, Sample
from tests.serving import Client, RunningServer
from zhangfang.wire.v1 import money_pb2
from zhangfang.wire.v1.audit_pb2 import GetTrialBalanceRequest, StreamEventsRequest, VerifyLogRequest
from zhangfang.wire.v1.settlement_pb2 import SettleHandsRequest


@contextmanager
def busy_evening(server: RunningServer) -> Iterator["Evening"]:
    """An evening that goes on while the ``with`` block runs."""
    with server.new_client() as client:
        evening = Evening(client)
        evening.start()
        try:
            yield evening
        finally:
            evening.stop()


class Evening:
    """One caller who does everything in turn, and a follower who reads along."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._dealer = Dealer(client)
        self._over = Event()
        self._first_round = Event()
        self._following: Any = client.audit.StreamEvents(StreamEventsRequest(follow=True))
        self._threads = [Thread(target=self._play, name="evening"), Thread(target=self._follow, name="follower")]
        self.round_count = 0
        self.error: BaseException | None = None

    def start(self) -> None:
        """Begins, and returns when everything has happened once."""
        for thread in self._threads:
            thread.start()
        self._first_round.wait()

    def stop(self) -> None:
        """Ends it; raises what went wrong."""
        self._over.set()
        self._following.cancel()
        for thread in self._threads:
            thread.join()
        if self.error:
            raise self.error

    def _follow(self) -> None:
        with suppress(grpc.RpcError):  # it ends by being cancelled
            for _ in self._following:
                pass

    def _play(self) -> None:
        try:
            while not self._over.is_set():
                self.play_round()
                self.round_count += 1
                self._first_round.set()
        except BaseException as error:  # noqa: BLE001 - told by stop()
            self.error = error
        finally:
            self._first_round.set()

    def play_round(self) -> None:
        """Everything once."""
        for game, sample in SIMPLE.items():
            self._settle(sample)
            self._settle_faultily(sample, game)
        self._come_up_short()
        self._run_away()
        self._settle_in_a_stream(SIMPLE["bi_ji"])
        self._play_in_pieces(SIMPLE["er_ren_dou_di_zhu"])
        self._move_silver()
        self._verify()

    def _settle(self, sample: Sample) -> None:
        hand = self._dealer.settle(sample, table_fee=1, rake_per_mille=50)
        self._dealer.reverse(hand.hand_id, "misdeal")
        self._dealer.settle(sample, rake_per_mille=50)
        self._dealer.void(new_id("hand"), "never played")

    def _settle_faultily(self, sample: Sample, game: str) -> None:
        request = self._dealer.request_to_settle(sample)
        record: Any = getattr(request.record, game)
        if game == "jiu_dian_ban":
            record.bets[0].silver = -1
        else:
            record.players[0] = record.players[1]
        self._refused(self._client.settlement.SettleHand, request)

    def _come_up_short(self) -> None:
        """Losers who have one silver: the winners go short, or the house pays."""
        sample = SIMPLE["er_ren_dou_di_zhu"]
        for policy in (money_pb2.SHORTFALL_POLICY_PRO_RATA, money_pb2.SHORTFALL_POLICY_HOUSE_PAYS):
            table_id = self._dealer.open_table(sample, shortfall=policy)
            prefix = new_id("") + "-"
            self._dealer.register(*sample.players(prefix), silver=1)
            self._client.settlement.SettleHand(self._dealer.another(sample, table_id, prefix), metadata=ACTOR)

    def _run_away(self) -> None:
        escaped = next(sample for sample in SAMPLES["er_ren_dou_di_zhu"] if sample.hand.get("escape"))
        self._dealer.settle(escaped)

    def _settle_in_a_stream(self, sample: Sample) -> None:
        table_id, prefix = self._dealer.seat(sample)
        hands = [self._dealer.another(sample, table_id, prefix) for _ in range(20)]
        hands[3].table_id = "nowhere"
        for _ in self._client.settlement.SettleHands(SettleHandsRequest(settle_hand=hand) for hand in hands):
            pass

    def _play_in_pieces(self, sample: Sample) -> None:
        table_id, prefix = self._dealer.seat(sample)
        hand_id = self._dealer.open_hand(sample, table_id, prefix)
        self._dealer.play_out(sample, hand_id, prefix)

    def _move_silver(self) -> None:
        (player_id,) = self._dealer.players(1, silver=PLENTY)
        self._dealer.withdraw(player_id, 10)
        self._refused(self._dealer.withdraw, player_id, 2 * PLENTY)
        self._refused(self._dealer.player, "nobody")
        self._dealer.player(player_id)

    def _verify(self) -> None:
        for _ in self._client.audit.VerifyLog(VerifyLogRequest()):
            pass
        self._client.audit.GetTrialBalance(GetTrialBalanceRequest())

    @staticmethod
    def _refused(call: Any, *arguments: Any) -> None:
        try:
            call(*arguments)
        except grpc.RpcError:
            return
        raise AssertionError(f"{call} was to be refused")
