"""Hands over the wire: every golden hand of every game settled, previewed, and fed piece by piece; then undone."""

from collections.abc import Mapping

import grpc
import pytest
from google.protobuf.timestamp_pb2 import Timestamp

from tests.dealer import ACTOR, Dealer, new_id
from tests.pieces import opening_players, take_apart
from tests.refusals import refusal
from tests.samples import EVERY_SAMPLE, GAMES, PLENTY, SAMPLES, SIMPLE, Sample
from zhangfang.errors import Reason
from zhangfang.wire.v1 import accounts_pb2, money_pb2
from zhangfang.wire.v1 import settlement_pb2 as pb

REDEAL = next(sample for sample in SAMPLES["er_ren_dou_di_zhu"] if not any(sample.net.values()))
EVERY = pytest.mark.parametrize("sample", EVERY_SAMPLE, ids=lambda sample: sample.id)
EACH_GAME = pytest.mark.parametrize("sample", SIMPLE.values(), ids=lambda sample: sample.game)


@EVERY
def test_every_golden_hand_settles_as_it_was_previewed_and_moves_what_it_says(dealer: Dealer, sample: Sample) -> None:
    table_id, prefix = dealer.seat(sample)
    before = dealer.position()

    previewed = dealer.preview(sample, table_id, prefix)
    request = dealer.another(sample, table_id, prefix)
    hand = dealer.client.settlement.SettleHand(request, metadata=ACTOR).hand

    assert_is_settled(hand, sample, prefix)
    assert hand.judgement.record == request.record
    assert (hand.hand_id, hand.table_id, hand.game) == (request.hand_id, table_id, sample.game)
    assert (hand.actor, hand.position) == ("dealer", before + 1)
    for settled in hand.players:
        player = dealer.player(settled.player_id)
        assert (player.balance, player.available) == (settled.balance_after, settled.available_after)
    assert dealer.client.settlement.GetHand(pb.GetHandRequest(hand_id=request.hand_id)).hand == hand
    # A preview says the same, but where and when, and who asked.
    assert not previewed.position
    for field in ("hand_id", "position", "recorded_at", "actor"):
        hand.ClearField(field)  # type: ignore[arg-type]
    assert previewed == hand


@EVERY
def test_every_golden_hand_fed_piece_by_piece_ends_as_in_one_call(dealer: Dealer, sample: Sample) -> None:
    table_id, prefix = dealer.seat(sample)
    whole = dealer.preview(sample, table_id, prefix)

    hand_id = dealer.open_hand(sample, table_id, prefix)
    hand = dealer.play_out(sample, hand_id, prefix)

    assert_is_settled(hand, sample, prefix)
    assert hand.judgement.steps == whole.judgement.steps
    assert hand.judgement.outcome == without_seats(sample, whole.judgement.outcome)
    assert hand.players == whole.players
    assert hand.postings == whole.postings
    assert not hand.holds
    assert not hand.phase
    assert dealer.client.settlement.GetHand(pb.GetHandRequest(hand_id=hand_id)).hand == hand


def without_seats(sample: Sample, outcome: pb.Outcome) -> pb.Outcome:
    """An open hand of 九點半 does not know the table's seats, and so not who banks next."""
    if sample.game == "jiu_dian_ban":
        outcome.jiu_dian_ban.next_banker = ""
    return outcome


def assert_is_settled(hand: pb.Hand, sample: Sample, prefix: str) -> None:
    """A judged hand whose amounts are the sample's and whose postings balance."""
    is_redeal = hand.judgement.ended == pb.ENDED_REDEAL
    assert hand.state == (pb.HAND_STATE_VOIDED if is_redeal else pb.HAND_STATE_SETTLED)
    assert {settled.player_id: settled.net for settled in hand.players} == (
        {} if is_redeal else {prefix + player: net for player, net in sample.net.items()}
    )
    assert sum(posting.amount for posting in hand.postings) == 0
    assert list(hand.judgement.players) == list(sample.players(prefix))
    assert hand.judgement.outcome.WhichOneof("game") == sample.game
    assert all(step.text and step.text_zh and step.amount > 0 for step in hand.judgement.steps)
    assert hand.HasField("recorded_at")


@EACH_GAME
def test_an_open_hand_says_after_every_piece_what_is_awaited_from_whom(dealer: Dealer, sample: Sample) -> None:
    table_id, prefix = dealer.seat(sample)
    hand_id = dealer.open_hand(sample, table_id, prefix)
    opened = dealer.client.settlement.GetHand(pb.GetHandRequest(hand_id=hand_id)).hand

    pieces = take_apart(sample, prefix)
    hands = [opened, *(dealer.add(hand_id, piece) for piece in pieces)]

    assert [hand.state for hand in hands] == [pb.HAND_STATE_OPEN] * len(pieces) + [pb.HAND_STATE_SETTLED]
    assert all(hand.phase for hand in hands[:-1])
    assert list(opened.judgement.players) == list(opening_players(sample, prefix))
    for hand, piece in zip(hands, pieces, strict=False):
        if isinstance(piece, tuple):
            assert piece[0] in {opening.player_id or piece[0] for opening in hand.openings}
    positions = [hand.position for hand in hands]
    assert positions == sorted(set(positions))


def test_bets_hold_silver_until_the_hand_ends(dealer: Dealer) -> None:
    sample = SIMPLE["jiu_dian_ban"]
    table_id, prefix = dealer.seat(sample)
    hand_id = dealer.open_hand(sample, table_id, prefix)
    *bets, ending = take_apart(sample, prefix)

    hand = dealer.add_all(hand_id, bets)

    held = {hold.player_id: hold.silver for hold in hand.holds}
    assert held == {prefix + player: 10 for player in ("P1", "P2", "P3")}
    bettor = dealer.player(prefix + "P1")
    assert (bettor.held, bettor.available) == (10, PLENTY - 10)
    withdrawal = accounts_pb2.WithdrawRequest(request_id=new_id("w"), player_id=prefix + "P1", amount=PLENTY)
    refused = refusal(lambda: dealer.client.accounts.Withdraw(withdrawal))
    assert (refused.code, refused.reason) == (grpc.StatusCode.FAILED_PRECONDITION, Reason.INSUFFICIENT_SILVER)
    dealer.add(hand_id, ending)
    assert dealer.player(prefix + "P1").held == 0


def test_a_voided_hand_gives_holds_back_and_posts_nothing(dealer: Dealer) -> None:
    sample = SIMPLE["jiu_dian_ban"]
    table_id, prefix = dealer.seat(sample)
    hand_id = dealer.open_hand(sample, table_id, prefix)
    dealer.add_all(hand_id, take_apart(sample, prefix)[:-1])

    hand = dealer.void(hand_id, "lights out")

    assert (hand.state, hand.reason) == (pb.HAND_STATE_VOIDED, "lights out")
    assert not hand.postings
    assert not hand.holds
    available = {player: dealer.player(player).available for player in sample.players(prefix)}
    assert available == sample.silver(prefix)


def test_a_hand_voided_before_it_came_is_refused_with_that_reason(dealer: Dealer) -> None:
    sample = SIMPLE["bi_ji"]
    request = dealer.request_to_settle(sample)

    tombstone = dealer.void(request.hand_id, "table on fire")
    refused = refusal(lambda: dealer.client.settlement.SettleHand(request))

    assert (tombstone.state, tombstone.table_id, tombstone.game) == (pb.HAND_STATE_VOIDED, "", "")
    assert (refused.code, refused.reason) == (grpc.StatusCode.FAILED_PRECONDITION, Reason.HAND_VOIDED)
    assert refused.metadata == {"hand_id": request.hand_id, "void_reason": "table on fire"}


def test_a_redeal_posts_nothing_and_is_told_as_voided(dealer: Dealer) -> None:
    hand = dealer.settle(REDEAL)

    assert (hand.state, hand.judgement.ended) == (pb.HAND_STATE_VOIDED, pb.ENDED_REDEAL)
    assert hand.reason
    assert not hand.postings
    assert not hand.players


@EACH_GAME
def test_cm_11__a_reversal_posts_the_opposite_once_and_the_hand_is_settled_again(
    dealer: Dealer, sample: Sample
) -> None:
    table_id, prefix = dealer.seat(sample, rake_per_mille=100, table_fee=1)
    first = dealer.another(sample, table_id, prefix)
    settlement = dealer.client.settlement
    settled = settlement.SettleHand(first).hand

    reversed_hand = dealer.reverse(first.hand_id, "wrong cards")

    assert (reversed_hand.state, reversed_hand.reason) == (pb.HAND_STATE_REVERSED, "wrong cards")
    assert reversed_hand.postings == settled.postings
    assert totals(reversed_hand.reversal_postings) == {
        account: -amount for account, amount in totals(settled.postings).items()
    }
    assert {player: dealer.balance(player) for player in sample.players(prefix)} == sample.silver(prefix)
    assert all(level.level_points == 0 for level in dealer.player(prefix + next(iter(sample.net))).levels)
    again = refusal(lambda: dealer.reverse(first.hand_id, "once more"))
    assert (again.code, again.reason) == (grpc.StatusCode.FAILED_PRECONDITION, Reason.HAND_ALREADY_REVERSED)
    second = dealer.another(sample, table_id, prefix)
    second.replaces_hand_id = first.hand_id
    replacing = settlement.SettleHand(second).hand
    assert replacing.replaces_hand_id == first.hand_id
    replaced = settlement.GetHand(pb.GetHandRequest(hand_id=first.hand_id)).hand
    assert replaced.replaced_by_hand_id == second.hand_id
    third = dealer.another(sample, table_id, prefix)
    third.replaces_hand_id = first.hand_id
    twice = refusal(lambda: settlement.SettleHand(third))
    assert (twice.code, twice.reason) == (grpc.StatusCode.FAILED_PRECONDITION, Reason.REPLACED_HAND_NOT_REVERSED)


def totals(postings: Mapping[str, int] | object) -> dict[str, int]:
    """Silver by account."""
    summed: dict[str, int] = {}
    for posting in postings:  # type: ignore[attr-defined]
        summed[posting.account] = summed.get(posting.account, 0) + posting.amount
    return {account: amount for account, amount in summed.items() if amount}


def test_cm_11__a_reversal_names_who_answers_for_it(dealer: Dealer) -> None:
    hand = dealer.settle(SIMPLE["bi_ji"])
    request = pb.ReverseHandRequest(request_id=new_id("reverse"), hand_id=hand.hand_id, reason="mistake")

    refused = refusal(lambda: dealer.client.settlement.ReverseHand(request))

    assert (refused.reason, refused.fields) == (Reason.INVALID_FIELD, ("x-zhangfang-actor",))


def test_the_time_and_the_name_a_caller_gives_are_kept(dealer: Dealer) -> None:
    request = dealer.request_to_settle(SIMPLE["bi_ji"])
    request.occurred_at.CopyFrom(Timestamp(seconds=-62_135_596_800))

    hand = dealer.client.settlement.SettleHand(request, metadata=(("x-zhangfang-actor-bin", "張三".encode()),)).hand

    assert hand.occurred_at == request.occurred_at
    assert hand.actor == "張三"


def test_hands_are_listed_newest_first_by_player_table_game_state_and_time(dealer: Dealer) -> None:
    sample = SIMPLE["bi_ji"]
    table_id, prefix = dealer.seat(sample)
    requests = [dealer.another(sample, table_id, prefix) for _ in range(5)]
    settlement = dealer.client.settlement
    settled = [settlement.SettleHand(request).hand for request in requests]
    newest_first = [hand.hand_id for hand in reversed(settled)]
    dealer.reverse(requests[3].hand_id, "mistake")
    open_hand = dealer.open_hand(sample, table_id, prefix)

    def listed(**wanted: object) -> list[str]:
        found, token = [], ""
        while True:
            request = pb.ListHandsRequest(page_size=2, page_token=token, **wanted)  # type: ignore[arg-type]
            page = settlement.ListHands(request)
            found += [hand.hand_id for hand in page.hands]
            token = page.next_page_token
            if not token:
                return found

    assert listed(table_id=table_id) == [open_hand, *newest_first]
    row = settlement.ListHands(pb.ListHandsRequest(table_id=table_id, state=pb.HAND_STATE_SETTLED, page_size=1)).hands[
        0
    ]
    assert row == pb.Hand(
        hand_id=newest_first[0],
        table_id=table_id,
        game="bi_ji",
        state=pb.HAND_STATE_SETTLED,
        recorded_at=settled[4].recorded_at,
    )
    assert listed(player_id=prefix + "A", game="bi_ji") == [open_hand, *newest_first]
    assert listed(player_id=prefix + "A", game="jiu_dian_ban") == []
    assert listed(table_id=table_id, state=pb.HAND_STATE_OPEN) == [open_hand]
    assert listed(table_id=table_id, state=pb.HAND_STATE_REVERSED) == [requests[3].hand_id]
    assert listed(table_id=table_id, recorded_from=settled[4].recorded_at) == [open_hand, newest_first[0]]
    assert listed(table_id=table_id, recorded_before=settled[1].recorded_at) == newest_first[4:]
    assert listed(table_id=table_id, recorded_from=settled[4].recorded_at, recorded_before=settled[4].recorded_at) == []


@pytest.mark.parametrize("game", GAMES)
def test_a_deal_at_the_wrong_time_is_no_fault_of_the_cards(dealer: Dealer, game: str) -> None:
    sample = SIMPLE[game]
    table_id, prefix = dealer.seat(sample)
    hand_id = dealer.open_hand(sample, table_id, prefix)
    record = getattr(sample.record(prefix), game)
    dealt = next((piece for piece in take_apart(sample, prefix) if isinstance(piece, pb.Deal)), None)
    deal = dealt or pb.Deal(jiu_dian_ban=record.deal)
    if game != "ban_bian_tian_zha":  # there everybody speaks before the deal
        dealer.add(hand_id, deal)

    refused = refusal(lambda: dealer.add(hand_id, deal))

    assert (refused.code, refused.reason) == (grpc.StatusCode.FAILED_PRECONDITION, Reason.CHOICE_REFUSED)
    assert refused.faults
    assert refused.faults.total == 1


@pytest.mark.parametrize("policy", [money_pb2.SHORTFALL_POLICY_OWE, money_pb2.SHORTFALL_POLICY_HOUSE_PAYS])
def test_cm_6__who_cannot_pay_owes_or_the_house_pays(dealer: Dealer, policy: money_pb2.ShortfallPolicy) -> None:
    sample = SIMPLE["ban_bian_tian_zha"]
    table_id = dealer.open_table(sample, shortfall=policy)
    prefix = new_id("") + "-"
    dealer.register(*sample.players(prefix))

    hand = dealer.client.settlement.SettleHand(dealer.another(sample, table_id, prefix)).hand

    balances = {settled.player_id: settled.balance_after for settled in hand.players}
    owes = policy == money_pb2.SHORTFALL_POLICY_OWE
    expected = {prefix + player: net if owes or net > 0 else 0 for player, net in sample.net.items()}
    assert balances == expected
