"""A caller who knows the house: registers, funds, seats and plays, with ids that nobody used before."""

from collections.abc import Iterable
from itertools import count
from typing import Any

from tests.pieces import Piece, opening_players, take_apart
from tests.samples import Sample
from tests.serving import Client
from zhangfang.wire.v1 import accounts_pb2 as accounts
from zhangfang.wire.v1 import audit_pb2 as audit
from zhangfang.wire.v1 import settlement_pb2 as settlement

ACTOR = (("x-zhangfang-actor", "dealer"),)

_numbers = count(1)


def new_id(word: str) -> str:
    """An id that nobody has in this run of the tests."""
    return f"{word}-{next(_numbers)}"


class Dealer:
    """Plays through one client; everything it does has a fresh request id."""

    def __init__(self, client: Client) -> None:
        self.client = client

    def register(self, *player_ids: str, silver: int = 0) -> None:
        """Registers players and gives each of them silver."""
        for player_id in player_ids:
            self.client.accounts.RegisterPlayer(
                accounts.RegisterPlayerRequest(request_id=new_id("register"), player_id=player_id)
            )
            if silver:
                self.deposit(player_id, silver)

    def players(self, number: int, silver: int = 0) -> list[str]:
        """New players."""
        names = [new_id("player") for _ in range(number)]
        self.register(*names, silver=silver)
        return names

    def deposit(self, player_id: str, amount: int) -> accounts.Transfer:
        """Brings silver in."""
        request = accounts.DepositRequest(request_id=new_id("deposit"), player_id=player_id, amount=amount)
        return self.client.accounts.Deposit(request).transfer

    def withdraw(self, player_id: str, amount: int) -> accounts.Transfer:
        """Takes silver out."""
        request = accounts.WithdrawRequest(request_id=new_id("withdraw"), player_id=player_id, amount=amount)
        return self.client.accounts.Withdraw(request).transfer

    def open_table(self, sample: Sample, **settings: Any) -> str:
        """A new table on which a sample can be played."""
        table_id = new_id("table")
        chosen = {"rules": sample.rules, "stake": sample.stake, **settings}
        request = settlement.OpenTableRequest(request_id=new_id("open"), table_id=table_id, **chosen)
        self.client.settlement.OpenTable(request)
        return table_id

    def seat(self, sample: Sample, **settings: Any) -> tuple[str, str]:
        """A new table for a sample and new, funded players for it; returns the table and the players' prefix."""
        prefix = new_id("") + "-"
        for player_id, silver in sample.silver(prefix).items():
            self.register(player_id, silver=silver)
        return self.open_table(sample, **settings), prefix

    def request_to_settle(self, sample: Sample, **settings: Any) -> settlement.SettleHandRequest:
        """A request that the house will accept: a sample at a new table with new players."""
        table_id, prefix = self.seat(sample, **settings)
        return self.another(sample, table_id, prefix)

    def another(self, sample: Sample, table_id: str, prefix: str) -> settlement.SettleHandRequest:
        """A request to settle a sample once more at a table, under ids of its own."""
        return settlement.SettleHandRequest(
            request_id=new_id("settle"), hand_id=new_id("hand"), table_id=table_id, record=sample.record(prefix)
        )

    def settle(self, sample: Sample, **settings: Any) -> settlement.Hand:
        """A sample settled at a new table."""
        return self.client.settlement.SettleHand(self.request_to_settle(sample, **settings), metadata=ACTOR).hand

    def preview(self, sample: Sample, table_id: str, prefix: str) -> settlement.Hand:
        """What settling a sample at a table would answer."""
        request = settlement.PreviewSettlementRequest(table_id=table_id, record=sample.record(prefix))
        return self.client.settlement.PreviewSettlement(request).hand

    def void(self, hand_id: str, reason: str) -> settlement.Hand:
        """A hand voided."""
        request = settlement.VoidHandRequest(request_id=new_id("void"), hand_id=hand_id, reason=reason)
        return self.client.settlement.VoidHand(request).hand

    def reverse(self, hand_id: str, reason: str) -> settlement.Hand:
        """A settled hand posted back."""
        request = settlement.ReverseHandRequest(request_id=new_id("reverse"), hand_id=hand_id, reason=reason)
        return self.client.settlement.ReverseHand(request, metadata=ACTOR).hand

    def player(self, player_id: str) -> accounts.Player:
        """A player as he stands."""
        return self.client.accounts.GetPlayer(accounts.GetPlayerRequest(player_id=player_id)).player

    def balance(self, player_id: str) -> int:
        """A player's silver."""
        return self.player(player_id).balance

    def position(self) -> int:
        """The last position of the log."""
        return self.client.audit.GetLogHead(audit.GetLogHeadRequest()).position

    def events(self, **wanted: Any) -> list[audit.Event]:
        """The events of the log, filtered."""
        return [each.event for each in self.client.audit.StreamEvents(audit.StreamEventsRequest(**wanted))]

    def open_hand(self, sample: Sample, table_id: str, prefix: str, **settings: Any) -> str:
        """A hand opened with a sample's players."""
        hand_id = new_id("hand")
        players = opening_players(sample, prefix)
        self.client.settlement.OpenHand(
            settlement.OpenHandRequest(
                request_id=new_id("open"), hand_id=hand_id, table_id=table_id, players=players, **settings
            )
        )
        return hand_id

    def play_out(self, sample: Sample, hand_id: str, prefix: str) -> settlement.Hand:
        """A sample fed piece by piece into an open hand; returns the hand after the last piece."""
        return self.add_all(hand_id, take_apart(sample, prefix))

    def add_all(self, hand_id: str, pieces: Iterable[Piece]) -> settlement.Hand:
        """Pieces added in order; returns the hand after the last."""
        hand = settlement.Hand()
        for piece in pieces:
            hand = self.add(hand_id, piece)
        return hand

    def add(self, hand_id: str, piece: Piece) -> settlement.Hand:
        """One piece added to an open hand."""
        name, request = request_to_add(hand_id, piece)
        hand: settlement.Hand = getattr(self.client.settlement, name)(request).hand
        return hand


def request_to_add(hand_id: str, piece: Piece) -> tuple[str, Any]:
    """The call that adds a piece to an open hand, and its request."""
    request_id = new_id("add")
    match piece:
        case settlement.Deal():
            return "RecordDeal", settlement.RecordDealRequest(request_id=request_id, hand_id=hand_id, deal=piece)
        case settlement.Ending():
            return "FinishHand", settlement.FinishHandRequest(request_id=request_id, hand_id=hand_id, ending=piece)
        case (player_id, choice):
            return "MakeChoice", settlement.MakeChoiceRequest(
                request_id=request_id, hand_id=hand_id, player_id=player_id, choice=choice
            )
    raise AssertionError(piece)
