"""A preview writes nothing: the store is the same to the last byte."""

import sqlite3
from pathlib import Path

import pytest

from tests.dealer import Dealer, new_id
from tests.refusals import refusal
from tests.samples import EVERY_SAMPLE, SIMPLE, Sample
from tests.serving import RunningServer
from tests.snapshots import snapshot
from zhangfang.errors import Reason
from zhangfang.wire.v1 import settlement_pb2 as pb


def test_previews_of_all_hands_leave_the_store_as_it_was(server: RunningServer, dealer: Dealer) -> None:
    seated = [(sample, *dealer.seat(sample)) for sample in EVERY_SAMPLE[::5]]
    before = snapshot(server.database_url)

    for sample, table_id, prefix in seated:
        dealer.preview(sample, table_id, prefix)
        unknown = new_id("nobody") + "-"
        assert refusal(lambda: dealer.preview(sample, table_id, unknown)).reason is Reason.UNKNOWN_PLAYER  # noqa: B023

    assert snapshot(server.database_url) == before


def test_an_embedded_store_is_byte_for_byte_the_same_after_previews(tmp_path: Path) -> None:
    with RunningServer() as server:
        dealer = Dealer(server)
        seated = [(sample, *dealer.seat(sample)) for sample in SIMPLE.values()]
        copies = []

        for name in ("before", "after"):
            if name == "after":
                for sample, table_id, prefix in seated:
                    dealer.preview(sample, table_id, prefix)
            copy = tmp_path / name
            store = sqlite3.connect(server.database_url.removeprefix("sqlite:///"))
            store.execute("VACUUM INTO ?", (str(copy),))
            store.close()
            copies.append(copy.read_bytes())

    assert copies[0] == copies[1]


@pytest.mark.parametrize("sample", SIMPLE.values(), ids=lambda sample: sample.game)
def test_a_preview_is_reckoned_with_todays_balances(dealer: Dealer, sample: Sample) -> None:
    table_id, prefix = dealer.seat(sample)
    before = dealer.preview(sample, table_id, prefix)
    player_id = before.players[0].player_id

    dealer.deposit(player_id, 77)
    after = dealer.preview(sample, table_id, prefix)

    assert after.players[0].balance_after == before.players[0].balance_after + 77
    assert after.judgement == before.judgement


def test_a_preview_of_an_unknown_table_is_refused(dealer: Dealer) -> None:
    request = pb.PreviewSettlementRequest(table_id=new_id("none"), record=SIMPLE["bi_ji"].record())

    assert refusal(lambda: dealer.client.settlement.PreviewSettlement(request)).reason is Reason.UNKNOWN_TABLE
