"""Tables over the wire: opened with their rules, read, listed, closed."""

import grpc
import pytest

from tests.dealer import Dealer, new_id
from tests.refusals import refusal
from tests.samples import GAMES, SAMPLES, SIMPLE
from zhangfang.errors import Reason
from zhangfang.wire.games.v1.ban_bian_tian_zha_pb2 import BanBianTianZhaRules
from zhangfang.wire.games.v1.jiu_dian_ban_pb2 import JiuDianBanRules
from zhangfang.wire.v1 import money_pb2
from zhangfang.wire.v1 import settlement_pb2 as pb


@pytest.mark.parametrize("game", GAMES)
def test_a_table_opens_with_the_defaults_of_its_game_all_said(dealer: Dealer, game: str) -> None:
    request = pb.OpenTableRequest(request_id=new_id("open"), table_id=new_id("table"), stake=7)
    getattr(request.rules, game).SetInParent()

    opened = dealer.client.settlement.OpenTable(request)

    table = opened.table
    assert (table.table_id, table.game, table.stake) == (request.table_id, game, 7)
    assert table.rules.WhichOneof("game") == game
    rules = getattr(table.rules, game)
    assert len(rules.ListFields()) == len(rules.DESCRIPTOR.fields)
    assert table.stake_mode == money_pb2.STAKE_MODE_FIXED
    assert table.shortfall == money_pb2.SHORTFALL_POLICY_PRO_RATA
    assert table.points_per_win == money_pb2.POINTS_PER_WIN_LEVEL_BASE
    assert (table.table_fee, table.rake_per_mille) == (0, 0)
    assert table.state == pb.Table.STATE_OPEN
    assert not table.HasField("closed_at")
    assert opened.position > 0
    assert dealer.client.settlement.GetTable(pb.GetTableRequest(table_id=request.table_id)).table == table


def test_a_table_keeps_every_setting_it_was_opened_with(dealer: Dealer) -> None:
    rules = BanBianTianZhaRules(
        first_lead=BanBianTianZhaRules.FIRST_LEAD_BANKER, surrender_counts_chui=True, kai_da_factor=2
    )
    request = pb.OpenTableRequest(
        request_id=new_id("open"),
        table_id=new_id("table"),
        rules=pb.GameRules(ban_bian_tian_zha=rules),
        stake=2**53 + 1,
        shortfall=money_pb2.SHORTFALL_POLICY_OWE,
        table_fee=3,
        rake_per_mille=1000,
        points_per_win=money_pb2.POINTS_PER_WIN_NONE,
    )

    table = dealer.client.settlement.OpenTable(request).table

    assert table.rules.ban_bian_tian_zha.first_lead == BanBianTianZhaRules.FIRST_LEAD_BANKER
    assert table.rules.ban_bian_tian_zha.surrender_counts_chui
    assert table.rules.ban_bian_tian_zha.kai_da_factor == 2
    for field in ("stake", "shortfall", "table_fee", "rake_per_mille", "points_per_win"):
        assert getattr(table, field) == getattr(request, field)


def test_every_bad_setting_of_a_table_is_named(dealer: Dealer) -> None:
    request = pb.OpenTableRequest(
        request_id=new_id("open"),
        table_id=new_id("table"),
        rules=pb.GameRules(jiu_dian_ban=JiuDianBanRules(bet_cap=99)),  # type: ignore[arg-type]
        stake=0,
        shortfall=77,  # type: ignore[arg-type]
        table_fee=-1,
        rake_per_mille=1001,
        points_per_win=66,  # type: ignore[arg-type]
    )

    refused = refusal(lambda: dealer.client.settlement.OpenTable(request))

    assert (refused.code, refused.reason) == (grpc.StatusCode.INVALID_ARGUMENT, Reason.INVALID_SETTINGS)
    expected = ("stake", "rules.bet_cap", "shortfall", "table_fee", "rake_per_mille", "points_per_win")
    assert refused.fields == expected
    assert refused.faults
    assert [fault.rule for fault in refused.faults.faults] == ["CM-9", *["CM-4"] * 5]


def test_an_unknown_way_to_find_the_stake_is_named(dealer: Dealer) -> None:
    request = pb.OpenTableRequest(
        request_id=new_id("open"),
        table_id=new_id("table"),
        rules=SIMPLE["bi_ji"].rules,
        stake=1,
        stake_mode=9,  # type: ignore[arg-type]
    )

    refused = refusal(lambda: dealer.client.settlement.OpenTable(request))

    assert (refused.reason, refused.fields) == (Reason.INVALID_SETTINGS, ("stake_mode",))


@pytest.mark.parametrize("game", ["ban_bian_tian_zha", "er_ren_dou_di_zhu"])
def test_cm_9__no_stake_by_wealth_where_the_game_has_no_levels(dealer: Dealer, game: str) -> None:
    request = pb.OpenTableRequest(
        request_id=new_id("open"),
        table_id=new_id("table"),
        rules=SIMPLE[game].rules,
        stake_mode=money_pb2.STAKE_MODE_BY_WEALTH,
    )

    refused = refusal(lambda: dealer.client.settlement.OpenTable(request))

    assert (refused.reason, refused.fields) == (Reason.INVALID_SETTINGS, ("stake_mode",))


def test_cm_9__a_stake_by_wealth_is_found_when_the_hand_is_played(dealer: Dealer) -> None:
    sample = SIMPLE["bi_ji"]
    table_id, prefix = dealer.seat(sample, stake_mode=money_pb2.STAKE_MODE_BY_WEALTH, stake=0)

    table = dealer.client.settlement.GetTable(pb.GetTableRequest(table_id=table_id)).table
    hand = dealer.client.settlement.SettleHand(dealer.another(sample, table_id, prefix)).hand

    assert table.stake == 0
    levels = [
        level.wealth_level.base
        for player_id in sample.players(prefix)
        for level in dealer.player(player_id).levels
        if level.game == "bi_ji"
    ]
    assert hand.judgement.stake == min(levels) > 1


def test_a_closed_table_takes_no_new_hands_and_lets_open_ones_finish(dealer: Dealer) -> None:
    sample = SIMPLE["ban_bian_tian_zha"]
    table_id, prefix = dealer.seat(sample)
    hand_id = dealer.open_hand(sample, table_id, prefix)
    settlement = dealer.client.settlement

    closed = settlement.CloseTable(pb.CloseTableRequest(request_id=new_id("close"), table_id=table_id))

    assert closed.table.state == pb.Table.STATE_CLOSED
    assert closed.table.HasField("closed_at")
    for refused in (
        refusal(lambda: settlement.SettleHand(dealer.another(sample, table_id, prefix))),
        refusal(lambda: dealer.open_hand(sample, table_id, prefix)),
        refusal(lambda: settlement.CloseTable(pb.CloseTableRequest(request_id=new_id("close"), table_id=table_id))),
        refusal(lambda: dealer.preview(sample, table_id, prefix)),
    ):
        assert (refused.code, refused.reason) == (grpc.StatusCode.FAILED_PRECONDITION, Reason.TABLE_CLOSED)
        assert refused.metadata == {"table_id": table_id}
    assert dealer.play_out(sample, hand_id, prefix).state == pb.HAND_STATE_SETTLED


def test_tables_are_listed_in_the_order_in_which_they_were_opened_page_by_page(dealer: Dealer) -> None:
    samples = [SAMPLES["bi_ji"][0]] * 5 + [SAMPLES["jiu_dian_ban"][0]]
    opened = [dealer.open_table(sample) for sample in samples]
    settlement = dealer.client.settlement
    settlement.CloseTable(pb.CloseTableRequest(request_id=new_id("close"), table_id=opened[1]))

    listed: list[pb.Table] = []
    request = pb.ListTablesRequest(page_size=2, game="bi_ji")
    while True:
        page = settlement.ListTables(request)
        assert len(page.tables) <= 2
        listed.extend(page.tables)
        if not page.next_page_token:
            break
        request.page_token = page.next_page_token

    assert [table.table_id for table in listed if table.table_id in opened] == opened[:5]
    assert {table.game for table in listed} == {"bi_ji"}
    assert settlement.GetTable(pb.GetTableRequest(table_id=opened[0])).table in listed
    still_open = settlement.ListTables(pb.ListTablesRequest(page_size=1000, state=pb.Table.STATE_OPEN)).tables
    closed = settlement.ListTables(pb.ListTablesRequest(page_size=5000, state=pb.Table.STATE_CLOSED)).tables
    assert opened[1] in {table.table_id for table in closed}
    assert opened[1] not in {table.table_id for table in still_open}
    assert opened[0] in {table.table_id for table in still_open}
