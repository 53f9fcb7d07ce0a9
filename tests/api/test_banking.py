"""The bank of a 九點半 table over the wire: along the seats, along the list, and held by nobody. Rule: JD-13, JD-14."""

import grpc
import pytest

from tests.dealer import Dealer, new_id
from tests.pieces import take_apart
from tests.refusals import refusal
from tests.samples import SAMPLES, SIMPLE
from zhangfang.errors import Reason
from zhangfang.wire.games.v1.jiu_dian_ban_pb2 import JiuDianBanRules
from zhangfang.wire.v1 import settlement_pb2 as pb

SAMPLE = SIMPLE["jiu_dian_ban"]
BEATEN_BY_ALL = next(sample for sample in SAMPLES["jiu_dian_ban"] if sample.id == "jd-g-0030")
QUEUE = pb.GameRules(jiu_dian_ban=JiuDianBanRules(banker_mode=JiuDianBanRules.BANKER_MODE_QUEUE))


def bank_of(dealer: Dealer, table_id: str) -> pb.BankState:
    """The bank as the table shows it."""
    return dealer.client.settlement.GetTable(pb.GetTableRequest(table_id=table_id)).table.bank


def change(dealer: Dealer, table_id: str, player_id: str, action: pb.BankerAction) -> pb.BankState:
    """A player applies, leaves or steps down."""
    request = pb.ChangeBankerRequest(request_id=new_id("bank"), table_id=table_id, player_id=player_id, action=action)
    return dealer.client.settlement.ChangeBanker(request).bank


def queue_table(dealer: Dealer) -> tuple[str, str]:
    """A table whose list decides who banks, and players with silver."""
    prefix = new_id("") + "-"
    dealer.register(*SAMPLE.players(prefix), silver=1000)
    return dealer.open_table(SAMPLE, rules=QUEUE), prefix


def test_jd_14__who_applied_first_banks_and_the_next_follows_when_he_steps_down(dealer: Dealer) -> None:
    table_id, prefix = queue_table(dealer)
    assert bank_of(dealer, table_id) == pb.BankState()

    change(dealer, table_id, prefix + "Z", pb.BANKER_ACTION_APPLY)
    bank = change(dealer, table_id, prefix + "P1", pb.BANKER_ACTION_APPLY)
    assert list(bank.queue) == [prefix + "Z", prefix + "P1"]
    hand_id = dealer.open_hand(SAMPLE, table_id, prefix)
    stepping = change(dealer, table_id, prefix + "Z", pb.BANKER_ACTION_STEP_DOWN)
    assert stepping.is_stepping_down
    assert stepping.is_hand_open
    dealer.play_out(SAMPLE, hand_id, prefix)

    after = bank_of(dealer, table_id)
    assert list(after.queue) == [prefix + "P1"]
    assert not after.is_hand_open
    changes = dealer.events(table_id=table_id, topics=["BankChanged"])
    assert changes[-1].bank_changed.hand_id == hand_id
    assert changes[-1].bank_changed.bank == after
    assert dealer.events(game="jiu_dian_ban", topics=["BankChanged"], after_position=changes[0].position - 1) == changes


def test_jd_14__a_hand_of_whose_turn_it_is_not_is_refused_and_so_is_a_second_application(dealer: Dealer) -> None:
    table_id, prefix = queue_table(dealer)
    change(dealer, table_id, prefix + "P1", pb.BANKER_ACTION_APPLY)
    (broke,) = dealer.players(1)
    settlement = dealer.client.settlement

    refused = [
        refusal(lambda: settlement.SettleHand(dealer.another(SAMPLE, table_id, prefix))),
        refusal(lambda: dealer.open_hand(SAMPLE, table_id, prefix)),
        refusal(lambda: dealer.preview(SAMPLE, table_id, prefix)),
        refusal(lambda: change(dealer, table_id, prefix + "P1", pb.BANKER_ACTION_APPLY)),
        refusal(lambda: change(dealer, table_id, prefix + "Z", pb.BANKER_ACTION_LEAVE)),
        refusal(lambda: change(dealer, table_id, broke, pb.BANKER_ACTION_APPLY)),
    ]

    assert {(each.code, each.reason) for each in refused} == {
        (grpc.StatusCode.FAILED_PRECONDITION, Reason.BANKER_REFUSED)
    }
    assert {fault.rule for each in refused if each.faults for fault in each.faults.faults} == {"JD-14"}
    assert all(each.metadata["table_id"] == table_id for each in refused)


def test_jd_14__an_unknown_player_cannot_apply_and_nobody_can_at_a_closed_or_unknown_table(dealer: Dealer) -> None:
    table_id, prefix = queue_table(dealer)

    unknown = refusal(lambda: change(dealer, table_id, new_id("nobody"), pb.BANKER_ACTION_APPLY))
    nowhere = refusal(lambda: change(dealer, new_id("none"), prefix + "Z", pb.BANKER_ACTION_APPLY))
    dealer.client.settlement.CloseTable(pb.CloseTableRequest(request_id=new_id("close"), table_id=table_id))
    closed = refusal(lambda: change(dealer, table_id, prefix + "Z", pb.BANKER_ACTION_APPLY))

    reasons = [each.reason for each in (unknown, nowhere, closed)]
    assert reasons == [Reason.UNKNOWN_PLAYER, Reason.UNKNOWN_TABLE, Reason.TABLE_CLOSED]


def test_jd_13__a_banker_beaten_by_every_door_gives_the_bank_to_the_next_seat(dealer: Dealer) -> None:
    prefix = new_id("") + "-"
    seats = [prefix + player for player in ("Z", "P2", "P3", "P1")]
    dealer.register(*seats, silver=10_000)
    table_id = dealer.open_table(BEATEN_BY_ALL, seats=seats)
    assert bank_of(dealer, table_id).banker == prefix + "Z"
    sample_seats = BEATEN_BY_ALL.hand["seats"]

    settlement = dealer.client.settlement
    request = dealer.another(BEATEN_BY_ALL, table_id, prefix)
    request.record.jiu_dian_ban.seats[:] = seats
    hand = settlement.SettleHand(request).hand

    assert set(sample_seats) == {"P1", "Z", "P2", "P3"}
    assert hand.judgement.outcome.jiu_dian_ban.banker_beaten_by_all
    bank = bank_of(dealer, table_id)
    assert (bank.banker, list(bank.seats)) == (prefix + "P2", seats)
    again = refusal(lambda: settlement.SettleHand(dealer.another(BEATEN_BY_ALL, table_id, prefix)))
    assert again.reason is Reason.BANKER_REFUSED
    # The first answer of a repeat is the hand, not the bank that passed on after it.
    assert settlement.SettleHand(request).hand == hand


def test_one_hand_of_a_banker_runs_at_a_time_and_a_voided_one_gives_his_place_back(dealer: Dealer) -> None:
    table_id, prefix = queue_table(dealer)
    change(dealer, table_id, prefix + "Z", pb.BANKER_ACTION_APPLY)
    hand_id = dealer.open_hand(SAMPLE, table_id, prefix)
    dealer.add(hand_id, take_apart(SAMPLE, prefix)[0])

    second = refusal(lambda: dealer.open_hand(SAMPLE, table_id, prefix))
    dealer.void(hand_id, "lights out")

    assert second.reason is Reason.BANKER_REFUSED
    assert not bank_of(dealer, table_id).is_hand_open
    assert dealer.play_out(SAMPLE, dealer.open_hand(SAMPLE, table_id, prefix), prefix).state == pb.HAND_STATE_SETTLED


@pytest.mark.parametrize("seats", [["A"], ["A", "B", "C", "D", "E"], ["A", "A", "B", "C"]], ids=str)
def test_jd_1__a_table_has_four_different_seats_or_none(dealer: Dealer, seats: list[str]) -> None:
    prefix = new_id("") + "-"
    dealer.register(*{prefix + seat for seat in seats})

    refused = refusal(lambda: dealer.open_table(SAMPLE, seats=[prefix + seat for seat in seats]))

    assert (refused.code, refused.fields) == (grpc.StatusCode.INVALID_ARGUMENT, ("seats",))


def test_jd_12__the_seat_that_drew_the_highest_card_banks_first_and_the_log_says_what_was_drawn(dealer: Dealer) -> None:
    seats, draws = dealer.players(4, silver=100), ["Qs", "Kh", "Ks", "Ac"]

    table_id = dealer.open_table(SAMPLE, seats=seats, draws=draws)

    assert bank_of(dealer, table_id).banker == seats[2]
    [opened] = dealer.events(table_id=table_id)
    assert list(opened.table_opened.draws) == draws
    early = pb.OpenHandRequest(request_id=new_id("r"), hand_id=new_id("h"), table_id=table_id, players=[seats[0]])
    assert refusal(lambda: dealer.client.settlement.OpenHand(early)).reason is Reason.BANKER_REFUSED


def test_jd_12__a_card_drawn_twice_is_named_by_its_place(dealer: Dealer) -> None:
    seats = dealer.players(4)

    refused = refusal(lambda: dealer.open_table(SAMPLE, seats=seats, draws=["Qs", "Kh", "Qs", "w"]))

    assert (refused.code, refused.fields) == (grpc.StatusCode.INVALID_ARGUMENT, ("draws[2]",))
    assert refused.faults
    assert [(fault.rule, fault.player_id) for fault in refused.faults.faults] == [("JD-12", seats[2])]


@pytest.mark.parametrize("field", ["seats", "draws"])
def test_games_without_a_bank_have_no_seats(dealer: Dealer, field: str) -> None:
    refused = refusal(lambda: dealer.open_table(SIMPLE["bi_ji"], **{field: dealer.players(1)}))

    assert (refused.reason, refused.fields) == (Reason.INVALID_FIELD, (field,))
