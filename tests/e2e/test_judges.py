"""A server with judges answers as one without, whatever happens to its judges."""

import os
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest

from tests.bookkeeping import assert_sound
from tests.dealer import Dealer
from tests.refusals import refusal
from tests.samples import SAMPLES, SIMPLE
from tests.serving import RunningServer
from zhangfang.errors import Reason
from zhangfang.store.database import Database
from zhangfang.wire.v1 import settlement_pb2 as pb

JUDGES = 2
HANDS = 300


@pytest.fixture
def server() -> Iterator[RunningServer]:
    """A server with judges, all there."""
    with RunningServer(judges=JUDGES, writer="process") as running:
        until_alive(running)
        yield running


def until_alive(server: RunningServer) -> None:
    while f"zhangfang_judges {JUDGES}.0" not in server.scrape():
        pass


def judge_pids(server: RunningServer) -> list[int]:
    return [judge._process.pid for judge in server.server._judges._judges if judge._process]


def hands_of(dealer: Dealer, count: int) -> list[pb.SettleHandRequest]:
    """Hands of the games that judges judge, taken in turn."""
    samples = [SIMPLE[game] for game in ("bi_ji", "er_ren_dou_di_zhu", "ban_bian_tian_zha")]
    seats = [dealer.seat(sample) for sample in samples]
    return [dealer.another(samples[each % 3], *seats[each % 3]) for each in range(count)]


def without_its_place(hand: pb.Hand) -> pb.Hand:
    """A hand without what differs from one settling of it to the next."""
    plain = pb.Hand()
    plain.CopyFrom(hand)
    for field in ("hand_id", "table_id", "position", "recorded_at"):
        plain.ClearField(field)
    return plain


def test_a_server_with_judges_answers_as_one_without(server: RunningServer) -> None:
    with RunningServer(judges=0) as alone:
        for sample in [each for game in SAMPLES for each in SAMPLES[game][:6]]:
            prefix = f"{sample.id}-"
            answers = []
            for each in (server, alone):
                dealer = Dealer(each)
                for player_id, silver in sample.silver(prefix).items():
                    dealer.register(player_id, silver=silver)
                request = dealer.another(sample, dealer.open_table(sample), prefix)
                answers.append(each.settlement.SettleHand(request).hand)
            assert without_its_place(answers[0]) == without_its_place(answers[1]), sample.id


def test_hands_of_a_stream_and_of_a_batch_are_appended_in_their_order(server: RunningServer) -> None:
    dealer = Dealer(server)
    streamed, batched = hands_of(dealer, HANDS), hands_of(dealer, HANDS)

    in_stream = list(server.settlement.SettleHands(pb.SettleHandsRequest(settle_hand=each) for each in streamed))
    in_batch = server.settlement.BatchSettleHands(pb.BatchSettleHandsRequest(hands=batched)).answers

    for requests, answers in ((streamed, in_stream), (batched, in_batch)):
        assert [each.hand_id for each in answers] == [each.hand_id for each in requests]
        positions = [each.hand.position for each in answers]
        assert positions == sorted(positions)
        assert all(positions)


def test_a_faulty_hand_is_refused_with_all_its_faults(server: RunningServer) -> None:
    request = Dealer(server).request_to_settle(SIMPLE["bi_ji"])
    request.record.bi_ji.layouts[0].groups[0] = "Ah Ah Ah"

    refused = refusal(lambda: server.settlement.SettleHand(request))

    assert refused.reason is Reason.HAND_FAULTY
    assert refused.faults
    assert refused.faults.total > 0


def test_no_hand_is_lost_when_the_judges_are_killed(server: RunningServer) -> None:
    dealer = Dealer(server)
    requests = hands_of(dealer, HANDS)

    with ThreadPoolExecutor(16) as callers:
        answers = []
        for index, answer in enumerate(callers.map(server.settlement.SettleHand, requests)):
            answers.append(answer)
            if index in (HANDS // 4, HANDS // 2):
                for pid in judge_pids(server):
                    with suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
    until_alive(server)

    assert [each.hand.hand_id for each in answers] == [each.hand_id for each in requests]
    assert server.settlement.SettleHand(dealer.request_to_settle(SIMPLE["bi_ji"])).hand.position
    server.stop()
    database = Database(server.database_url)
    assert_sound(database)
    database.close()
