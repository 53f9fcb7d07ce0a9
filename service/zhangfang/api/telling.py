"""What callers are told of the writer's answers: encoded, so that it is the same wherever the writer is.

Each is a function of this module: a process beside the server that writes knows it by its name.
"""

from typing import Any, cast

from zhangfang.api.render import encode_hand, write_hand, write_player, write_table, write_transfer
from zhangfang.application import Answer
from zhangfang.contract.postings import write_bank
from zhangfang.domain.books import Account
from zhangfang.domain.events import PlayerRegistered, Transferred
from zhangfang.domain.hands import Hand
from zhangfang.domain.tables import Table
from zhangfang.projections.players import PlayerRow
from zhangfang.wire.v1 import accounts_pb2, settlement_pb2


def settled_hand(answer: Answer) -> bytes:
    """The Hand that was settled in one go."""
    return encode_hand(cast("Hand", answer.subject))


def hand(answer: Answer) -> bytes:
    """The Hand as it stands after a step of it."""
    return write_hand(cast("Hand", answer.subject)).SerializeToString()


def opened_table(answer: Answer) -> bytes:
    """The OpenTableResponse."""
    return _table(answer, settlement_pb2.OpenTableResponse)


def closed_table(answer: Answer) -> bytes:
    """The CloseTableResponse."""
    return _table(answer, settlement_pb2.CloseTableResponse)


def _table(answer: Answer, kind: Any) -> bytes:
    table = write_table(cast("Table", answer.subject))
    encoded: bytes = kind(table=table, position=answer.event.position).SerializeToString()
    return encoded


def bank(answer: Answer) -> bytes:
    """The ChangeBankerResponse."""
    changed = write_bank(cast("Table", answer.subject).bank)
    return settlement_pb2.ChangeBankerResponse(bank=changed, position=answer.event.position).SerializeToString()


def registered_player(answer: Answer) -> bytes:
    """The RegisterPlayerResponse."""
    event = cast("PlayerRegistered", answer.event)
    row = PlayerRow(event.player_id, event.display_name, event.recorded_at_us, {})
    player = write_player(row, Account(), event.position)
    return accounts_pb2.RegisterPlayerResponse(player=player, position=event.position).SerializeToString()


def deposit(answer: Answer) -> bytes:
    """The DepositResponse."""
    transfer = write_transfer(cast("Transferred", answer.event))
    return accounts_pb2.DepositResponse(transfer=transfer).SerializeToString()


def withdrawal(answer: Answer) -> bytes:
    """The WithdrawResponse."""
    transfer = write_transfer(cast("Transferred", answer.event))
    return accounts_pb2.WithdrawResponse(transfer=transfer).SerializeToString()
