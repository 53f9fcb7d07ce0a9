"""Bad records, one fault a row: each is refused with its rule and place, and leaves the store as it was."""

import base64
import json
from collections.abc import Callable
from typing import Any

import grpc
import pytest

from tests.dealer import Dealer, new_id
from tests.refusals import refusal
from tests.samples import SAMPLES, SIMPLE
from tests.serving import RunningServer
from tests.snapshots import snapshot
from zhangfang.errors import Reason
from zhangfang.wire.games.v1.cards_pb2 import Play
from zhangfang.wire.v1 import accounts_pb2 as accounts
from zhangfang.wire.v1 import settlement_pb2 as pb

Code = grpc.StatusCode
INT64_MAX = 2**63 - 1


@pytest.fixture(scope="module")
def prepared(server: RunningServer) -> dict[str, pb.SettleHandRequest]:
    """A request to settle a hand of each game, which the house would accept; no test here makes it to."""
    dealer = Dealer(server)
    return {game: dealer.request_to_settle(sample) for game, sample in SIMPLE.items()}


def record_of(server: RunningServer, prepared: dict[str, pb.SettleHandRequest], game: str) -> pb.SettleHandRequest:
    """A fresh copy of a request that would be accepted."""
    request = pb.SettleHandRequest()
    request.CopyFrom(prepared[game])
    request.request_id = new_id("r")
    return request


def _set(path: str, value: object) -> Callable[[pb.HandRecord], None]:
    """Sets a field, e.g. ``bi_ji.layouts.0.groups.1``."""

    def change(record: pb.HandRecord) -> None:
        *way, last = path.split(".")
        target: Any = record
        for step in way:
            target = target[int(step)] if step.isdigit() else getattr(target, step)
        if last.isdigit():
            target[int(last)] = value
        else:
            setattr(target, last, value)

    return change


def _pop(path: str) -> Callable[[pb.HandRecord], None]:
    def change(record: pb.HandRecord) -> None:
        target: Any = record
        for step in path.split("."):
            target = target[int(step)] if step.isdigit() else getattr(target, step)
        del target[-1]

    return change


def _many_plays(record: pb.HandRecord) -> None:
    record.ban_bian_tian_zha.plays.extend([Play(seat=seat % 3) for seat in range(10_000)])


FAULTY: dict[str, tuple[str, Callable[[pb.HandRecord], None], str]] = {
    "a card that is none": ("ban_bian_tian_zha", _set("ban_bian_tian_zha.deal.hands.0", "1x 2y"), "BB-1"),
    "51 cards less one": (
        "ban_bian_tian_zha",
        lambda record: record.ban_bian_tian_zha.deal.hands.__setitem__(
            0, record.ban_bian_tian_zha.deal.hands[0].rpartition(" ")[0]
        ),
        "BB-1",
    ),
    "two hands for three players": ("ban_bian_tian_zha", _pop("ban_bian_tian_zha.deal.hands"), "BB-1"),
    "a bank action nobody knows": ("ban_bian_tian_zha", _set("ban_bian_tian_zha.bank.0.kind", 77), "BB-3"),
    "a bank action of no seat": ("ban_bian_tian_zha", _set("ban_bian_tian_zha.bank.0.seat", 3), "BB-3"),
    "a play of seat -1": ("ban_bian_tian_zha", _set("ban_bian_tian_zha.plays.0.seat", -1), "BB-7"),
    "a play of the largest seat": ("ban_bian_tian_zha", _set("ban_bian_tian_zha.plays.0.seat", 2**31 - 1), "BB-7"),
    "ten thousand plays": ("ban_bian_tian_zha", _many_plays, "BB-9"),
    "an auction word nobody knows": ("er_ren_dou_di_zhu", _set("er_ren_dou_di_zhu.auction.0.kind", 77), "DZ-3"),
    "an escape of no seat": ("er_ren_dou_di_zhu", _set("er_ren_dou_di_zhu.escape.seat", 5), "DZ-30"),
    "sixty thousand bottom cards": ("er_ren_dou_di_zhu", _set("er_ren_dou_di_zhu.deal.bottom", "5s " * 60_000), "DZ-1"),
    "a group of two cards": ("bi_ji", _set("bi_ji.layouts.0.groups.0", "Ah Kd"), "BJ-1"),
    "one layout too few": ("bi_ji", _pop("bi_ji.layouts"), "BJ-1"),
    "a player twice": ("bi_ji", lambda record: record.bi_ji.players.__setitem__(1, record.bi_ji.players[0]), "BJ-1"),
    "a bet of nothing": ("jiu_dian_ban", _set("jiu_dian_ban.bets.0.silver", 0), "JD-2"),
    "a bet below nothing": ("jiu_dian_ban", _set("jiu_dian_ban.bets.0.silver", -5), "JD-2"),
    "the largest bet": ("jiu_dian_ban", _set("jiu_dian_ban.bets.0.silver", INT64_MAX), "JD-2"),
    "a door nobody knows": ("jiu_dian_ban", _set("jiu_dian_ban.bets.0.door", 9), "JD-1"),
    "a card with a NUL in it": ("jiu_dian_ban", _set("jiu_dian_ban.deal.banker", "8s T\0"), "JD-1"),
}


@pytest.mark.parametrize("row", FAULTY)
def test_a_faulty_record_is_named_by_rule_and_place(
    server: RunningServer, prepared: dict[str, pb.SettleHandRequest], row: str
) -> None:
    game, change, rule = FAULTY[row]
    request = record_of(server, prepared, game)
    change(request.record)
    before = snapshot(server.database_url)

    refused = refusal(lambda: server.settlement.SettleHand(request))

    assert (refused.code, refused.reason) == (Code.INVALID_ARGUMENT, Reason.HAND_FAULTY)
    assert refused.faults
    assert refused.faults.faults[0].rule == rule
    assert refused.faults.faults[0].section
    assert refused.fields[0] != "record"
    assert snapshot(server.database_url) == before


BAD_NAMES: dict[str, tuple[str, Callable[[pb.HandRecord], None]]] = {
    "a player without a name": ("bi_ji", _set("bi_ji.players.0", "")),
    "a player with NUL": ("er_ren_dou_di_zhu", _set("er_ren_dou_di_zhu.players.0", "a\0")),
    "a player of 65 characters": ("ban_bian_tian_zha", _set("ban_bian_tian_zha.players.2", "x" * 65)),
    "a banker with a line feed": ("jiu_dian_ban", _set("jiu_dian_ban.banker", "a\n")),
    "a bettor without a name": ("jiu_dian_ban", _set("jiu_dian_ban.bets.1.player", "")),
}


@pytest.mark.parametrize("row", BAD_NAMES)
def test_a_bad_name_in_a_record_is_refused(
    server: RunningServer, prepared: dict[str, pb.SettleHandRequest], row: str
) -> None:
    game, change = BAD_NAMES[row]
    request = record_of(server, prepared, game)
    change(request.record)

    refused = refusal(lambda: server.settlement.SettleHand(request))
    previewed = refusal(
        lambda: server.settlement.PreviewSettlement(
            pb.PreviewSettlementRequest(table_id=request.table_id, record=request.record)
        )
    )

    for each in (refused, previewed):
        assert (each.code, each.reason) == (Code.INVALID_ARGUMENT, Reason.INVALID_FIELD)
        assert each.fields[0].startswith(f"record.{game}")


@pytest.mark.parametrize("other", ["er_ren_dou_di_zhu", "bi_ji", "jiu_dian_ban", None])
def test_a_record_of_another_game_or_of_none_is_refused(
    server: RunningServer, prepared: dict[str, pb.SettleHandRequest], other: str | None
) -> None:
    request = record_of(server, prepared, "ban_bian_tian_zha")
    request.record.Clear()
    if other:
        request.record.CopyFrom(prepared[other].record)

    refused = refusal(lambda: server.settlement.SettleHand(request))

    assert refused.code is Code.INVALID_ARGUMENT
    assert refused.reason is (Reason.WRONG_GAME if other else Reason.INVALID_FIELD)
    assert refused.fields == ("record",)


def test_an_empty_choice_chooses_nothing(server: RunningServer, prepared: object) -> None:
    dealer = Dealer(server)
    for game, kind in (
        ("ban_bian_tian_zha", pb.Choice(ban_bian_tian_zha={})),
        ("er_ren_dou_di_zhu", pb.Choice(er_ren_dou_di_zhu={})),
        ("bi_ji", pb.Choice(bi_ji={})),
        ("jiu_dian_ban", pb.Choice(jiu_dian_ban={})),
    ):
        sample = SIMPLE[game]
        table_id, prefix = dealer.seat(sample)
        hand_id = dealer.open_hand(sample, table_id, prefix)
        player_id = sample.players(prefix)[1]

        refused = refusal(lambda: dealer.add(hand_id, (player_id, kind)))  # noqa: B023

        assert (refused.code, refused.reason) == (Code.FAILED_PRECONDITION, Reason.CHOICE_REFUSED)


@pytest.mark.parametrize("players", [[], ["A"], ["A", "A"], [str(seat) for seat in range(6)]], ids=str)
def test_a_hand_opens_with_the_players_of_its_game(server: RunningServer, prepared: object, players: list[str]) -> None:
    dealer = Dealer(server)
    request = pb.OpenHandRequest(
        request_id=new_id("r"),
        hand_id=new_id("h"),
        table_id=dealer.open_table(SIMPLE["bi_ji"]),
        players=players,
    )

    refused = refusal(lambda: server.settlement.OpenHand(request))

    assert (refused.reason, refused.fields) == (Reason.INVALID_FIELD, ("players",))


def test_amounts_that_no_int64_holds_are_out_of_range(server: RunningServer, prepared: object) -> None:
    dealer = Dealer(server)
    sample = SAMPLES["bi_ji"][0]
    table_id, prefix = dealer.seat(sample, stake=INT64_MAX)

    refused = refusal(lambda: server.settlement.SettleHand(dealer.another(sample, table_id, prefix)))

    assert (refused.code, refused.reason) == (Code.OUT_OF_RANGE, Reason.AMOUNT_OUT_OF_RANGE)
    assert refused.faults
    assert {fault.rule for fault in refused.faults.faults} == {"CM-1"}


def test_a_page_token_with_another_key_in_it_is_refused(server: RunningServer, prepared: object) -> None:
    page = server.accounts.ListPlayers(accounts.ListPlayersRequest(page_size=1))
    digest, _ = json.loads(base64.urlsafe_b64decode(page.next_page_token))

    for key in ([1], [None], [True], [{}], ["\0"], ["a", "b"], [], [2**70]):
        token = base64.urlsafe_b64encode(json.dumps([digest, *key]).encode()).decode()
        refused = refusal(
            lambda token=token: server.accounts.ListPlayers(accounts.ListPlayersRequest(page_token=token))
        )
        assert refused.reason is Reason.INVALID_PAGE_TOKEN


def test_bytes_that_are_no_request_hurt_no_other_in_a_stream(server: RunningServer, prepared: object) -> None:
    good = Dealer(server).request_to_settle(SIMPLE["bi_ji"])
    encoded = [
        pb.SettleHandsRequest(settle_hand=good).SerializeToString(),
        b"\x0a\x04\x0a\x02\xff\xfe",
        b"",
        pb.SettleHandsRequest(settle_hand=good).SerializeToString(),
    ]

    answers = [
        pb.SettleHandsResponse.FromString(answer)
        for answer in server.channel.stream_stream("/zhangfang.v1.SettlementService/SettleHands")(iter(encoded))
    ]

    assert [answer.WhichOneof("result") for answer in answers] == ["hand", "error", "error", "hand"]
    assert answers[0] == answers[3]
    assert {answer.error.reason for answer in answers[1:3]} == {"INVALID_FIELD"}


def test_a_hand_larger_than_any_can_be_is_refused_unread(
    server: RunningServer, prepared: dict[str, pb.SettleHandRequest]
) -> None:
    request = record_of(server, prepared, "er_ren_dou_di_zhu")
    request.record.er_ren_dou_di_zhu.deal.bottom = "5s " * 100_000
    before = snapshot(server.database_url)

    refused = refusal(lambda: server.settlement.SettleHand(request))

    assert (refused.reason, refused.fields) == (Reason.INVALID_FIELD, ("record",))
    assert "262144" in refused.text
    assert snapshot(server.database_url) == before
