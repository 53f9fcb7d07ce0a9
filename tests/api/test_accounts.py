"""Players and their silver over the wire: registered, funded, read at any moment, listed, and told in statements."""

import grpc
from google.protobuf.timestamp_pb2 import Timestamp

from tests.dealer import ACTOR, Dealer, new_id
from tests.refusals import refusal
from tests.samples import SIMPLE
from zhangfang.errors import Reason
from zhangfang.wire.v1 import accounts_pb2 as pb
from zhangfang.wire.v1 import money_pb2

INT64_MAX = 2**63 - 1


def test_a_player_begins_with_nothing_on_the_lowest_rung_of_both_ladders(dealer: Dealer) -> None:
    player_id = new_id("player")
    request = pb.RegisterPlayerRequest(request_id=new_id("r"), player_id=player_id, display_name="张三 🀄")

    answer = dealer.client.accounts.RegisterPlayer(request)

    player = answer.player
    assert (player.player_id, player.display_name) == (player_id, "张三 🀄")
    assert (player.balance, player.held, player.available) == (0, 0, 0)
    assert [level.game for level in player.levels] == ["bi_ji", "jiu_dian_ban"]
    assert all(level.wealth_level.threshold == level.player_level.threshold == 0 for level in player.levels)
    assert player.last_position == answer.position
    read = dealer.player(player_id)
    player.last_position = read.last_position
    assert read == player


def test_deposits_and_withdrawals_say_what_is_left(dealer: Dealer) -> None:
    (player_id,) = dealer.players(1)

    came = dealer.deposit(player_id, 2**53 + 1)
    went = dealer.withdraw(player_id, 2**53)

    assert (came.amount, came.balance_after, came.available_after) == (2**53 + 1, 2**53 + 1, 2**53 + 1)
    assert (went.amount, went.balance_after, went.available_after) == (-(2**53), 1, 1)
    assert went.position == came.position + 1
    assert dealer.balance(player_id) == 1


def test_no_more_goes_out_than_there_is_and_nothing_goes_in_that_no_account_can_hold(dealer: Dealer) -> None:
    (player_id,) = dealer.players(1, silver=10)

    too_much = refusal(lambda: dealer.withdraw(player_id, 11))
    too_large = refusal(lambda: dealer.deposit(player_id, INT64_MAX))

    assert (too_much.code, too_much.reason) == (grpc.StatusCode.FAILED_PRECONDITION, Reason.INSUFFICIENT_SILVER)
    assert too_much.preconditions == ("INSUFFICIENT_SILVER",)
    assert (too_large.code, too_large.reason) == (grpc.StatusCode.OUT_OF_RANGE, Reason.AMOUNT_OUT_OF_RANGE)
    assert dealer.balance(player_id) == 10


def test_a_balance_is_read_as_it_was_at_any_position_and_time(dealer: Dealer) -> None:
    (player_id,) = dealer.players(1)
    account = f"player/{player_id}"
    before = dealer.position()
    first = dealer.deposit(player_id, 5)
    second = dealer.deposit(player_id, 7)

    def balance(**as_of: object) -> tuple[int, int]:
        answer = dealer.client.accounts.GetBalance(pb.GetBalanceRequest(account=account, **as_of))  # type: ignore[arg-type]
        return answer.balance, answer.position

    assert balance() == (12, second.position)
    assert balance(position=0) == (0, 0)
    assert balance(position=before) == (0, before)
    assert balance(position=first.position) == (5, first.position)
    assert balance(time=first.recorded_at) == (5, first.position)
    assert balance(time=second.recorded_at) == (12, second.position)
    just_before = Timestamp(seconds=second.recorded_at.seconds, nanos=second.recorded_at.nanos)
    just_before.FromNanoseconds(second.recorded_at.ToNanoseconds() - 1000)
    assert balance(time=just_before) == (5, first.position)
    assert balance(time=Timestamp(seconds=-62_135_596_800)) == (0, 0)
    assert balance(time=Timestamp(seconds=253_402_300_799, nanos=999_999_999)) == (12, second.position)
    unwritten = refusal(lambda: balance(position=second.position + 1))
    assert (unwritten.code, unwritten.reason) == (grpc.StatusCode.NOT_FOUND, Reason.UNKNOWN_POSITION)
    assert unwritten.metadata["last_position"] == str(second.position)


def test_the_accounts_of_the_house_have_balances_and_statements_too(dealer: Dealer) -> None:
    sample = SIMPLE["bi_ji"]
    hand = dealer.settle(sample, rake_per_mille=500, table_fee=2)

    taken = sum(settled.rake + settled.table_fee for settled in hand.players)
    request = pb.ListEntriesRequest(account="system/fees", hand_id=hand.hand_id)
    entries = dealer.client.accounts.ListEntries(request).entries
    balance = dealer.client.accounts.GetBalance(pb.GetBalanceRequest(account="system/fees")).balance

    assert sum(entry.amount for entry in entries) == taken > 0
    assert {entry.kind for entry in entries} <= {money_pb2.POSTING_KIND_RAKE, money_pb2.POSTING_KIND_TABLE_FEE}
    assert entries[0].balance_after == balance


def test_a_statement_is_told_newest_first_page_by_page_and_filtered(dealer: Dealer) -> None:
    sample = SIMPLE["ban_bian_tian_zha"]
    table_id, prefix = dealer.seat(sample, table_fee=1)
    winner = next(player for player, net in sample.net.items() if net > 0)
    account = f"player/{prefix}{winner}"
    requests = [dealer.another(sample, table_id, prefix) for _ in range(3)]
    hands = [dealer.client.settlement.SettleHand(request, metadata=ACTOR).hand for request in requests]
    dealer.reverse(requests[0].hand_id, "mistake")

    def told(page_size: int = 2, **wanted: object) -> list[pb.Entry]:
        entries: list[pb.Entry] = []
        token = ""
        while True:
            request = pb.ListEntriesRequest(account=account, page_size=page_size, page_token=token, **wanted)  # type: ignore[arg-type]
            page = dealer.client.accounts.ListEntries(request)
            assert len(page.entries) <= page_size
            entries += page.entries
            token = page.next_page_token
            if not token:
                return entries

    everything = told()
    assert everything == told(page_size=1) == told(page_size=1000)
    balance = dealer.balance(prefix + winner)
    for entry in everything:
        assert entry.balance_after == balance
        balance -= entry.amount
    assert balance == 0
    kinds = [money_pb2.PostingKind.Name(entry.kind).removeprefix("POSTING_KIND_") for entry in everything]
    assert kinds[0] == "REVERSAL"
    assert kinds[-1] == "DEPOSIT"
    assert sorted(kinds[1:-1]) == ["SETTLEMENT"] * 3 + ["TABLE_FEE"] * 3
    assert {entry.hand_id for entry in told(hand_id=requests[1].hand_id)} == {requests[1].hand_id}
    assert len(told(table_id=table_id)) == len(everything) - 1
    assert [entry.hand_id for entry in told(kind=money_pb2.POSTING_KIND_DEPOSIT)] == [""]
    since = told(recorded_from=hands[2].recorded_at)
    until = told(recorded_before=hands[2].recorded_at)
    assert since + until == everything
    assert until[0].position == hands[1].position


def test_players_are_listed_by_their_id(dealer: Dealer) -> None:
    mine = sorted(dealer.players(5))

    listed: list[pb.Player] = []
    request = pb.ListPlayersRequest(page_size=3)
    while True:
        page = dealer.client.accounts.ListPlayers(request)
        listed += page.players
        if not page.next_page_token:
            break
        request.page_token = page.next_page_token

    names = [player.player_id for player in listed]
    assert names == sorted(names)
    assert [name for name in names if name in mine] == mine
    assert dealer.player(mine[0]) in listed


def test_unknown_players_and_accounts_are_not_found(dealer: Dealer) -> None:
    nobody = new_id("nobody")
    accounts = dealer.client.accounts

    players = [
        refusal(lambda: dealer.player(nobody)),
        refusal(lambda: dealer.deposit(nobody, 1)),
        refusal(lambda: dealer.withdraw(nobody, 1)),
    ]
    unknown = [
        refusal(lambda: accounts.GetBalance(pb.GetBalanceRequest(account=f"player/{nobody}"))),
        refusal(lambda: accounts.ListEntries(pb.ListEntriesRequest(account=f"player/{nobody}"))),
    ]

    assert {(each.code, each.reason) for each in players} == {(grpc.StatusCode.NOT_FOUND, Reason.UNKNOWN_PLAYER)}
    assert {(each.code, each.reason) for each in unknown} == {(grpc.StatusCode.NOT_FOUND, Reason.UNKNOWN_ACCOUNT)}
    assert {each.metadata["player_id"] for each in players} == {nobody}


def test_ids_are_opaque_whatever_they_look_like(dealer: Dealer) -> None:
    names = [
        "-7",
        "é",
        "e\u0301",  # the same letter, composed otherwise: another player
        "👩\u200d👩\u200d👧",
        "\u202eabc",
        "' OR 1=1 --",
        "%_%",
        "x" * 64,
        "🀄" * 64,
        "a/b",
    ]
    suffix = new_id("")
    names = [name + suffix if len(name) < 50 else name[: -len(suffix)] + suffix for name in names]

    dealer.register(*names, silver=3)

    assert [dealer.player(name).player_id for name in names] == names
    assert {dealer.balance(name) for name in names} == {3}
    for name in names:
        statement = dealer.client.accounts.ListEntries(pb.ListEntriesRequest(account=f"player/{name}")).entries
        assert [entry.amount for entry in statement] == [3]
        assert {event.topic for event in dealer.events(player_id=name)} == {"PlayerRegistered", "SilverDeposited"}
