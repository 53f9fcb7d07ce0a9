"""Postings, holds, points and players' settlements on the wire."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

from zhangfang.contract.enums import POSTING_KIND
from zhangfang.domain.events import Changes, PlayerSettlement, Posted
from zhangfang.rules.banking import Bank
from zhangfang.wire.v1 import events_pb2, money_pb2, settlement_pb2

_KIND_TO_WIRE: Any = POSTING_KIND.to_wire
_KIND_TO_WORD = POSTING_KIND.to_word

KEPT = 1024
"""How many hands' messages are kept: an event is followed by its answer, which tells the same."""


@lru_cache(maxsize=KEPT)
def write_postings(postings: tuple[Posted, ...]) -> Sequence[money_pb2.Posting]:
    """Lines of double entry. They are shared: whoever gets them copies them into a message of his own."""
    return tuple(
        [
            money_pb2.Posting(
                account=each.account,
                amount=each.amount,
                kind=_KIND_TO_WIRE[each.kind],
                balance_after=each.balance_after,
            )
            for each in postings
        ]
    )


def read_postings(messages: Iterable[money_pb2.Posting]) -> tuple[Posted, ...]:
    """Lines of double entry."""
    return tuple([Posted(each.account, each.amount, _KIND_TO_WORD[each.kind], each.balance_after) for each in messages])


@lru_cache(maxsize=KEPT)
def write_settlements(settlements: tuple[PlayerSettlement, ...]) -> Sequence[money_pb2.PlayerSettlement]:
    """What a hand did to each player's silver. They are shared, as those of ``write_postings``."""
    return tuple(
        [
            money_pb2.PlayerSettlement(
                player_id=each.player_id,
                net=each.net,
                owed=each.owed,
                paid=each.paid,
                shortfall=each.shortfall,
                won=each.won,
                received=each.received,
                rake=each.rake,
                table_fee=each.table_fee,
                level_points=each.level_points,
                balance_after=each.balance_after,
                available_after=each.available_after,
            )
            for each in settlements
        ]
    )


def read_settlements(messages: Iterable[money_pb2.PlayerSettlement]) -> tuple[PlayerSettlement, ...]:
    """What a hand did to each player's silver."""
    return tuple(
        [
            PlayerSettlement(
                each.player_id,
                each.net,
                each.owed,
                each.paid,
                each.shortfall,
                each.won,
                each.received,
                each.rake,
                each.table_fee,
                each.level_points,
                each.balance_after,
                each.available_after,
            )
            for each in messages
        ]
    )


def write_holds(changes: Changes) -> list[events_pb2.HoldChange]:
    """Silver held and released."""
    return [events_pb2.HoldChange(player_id=player_id, change=change) for player_id, change in changes]


def read_holds(messages: Iterable[events_pb2.HoldChange]) -> Changes:
    """Silver held and released."""
    return tuple([(each.player_id, each.change) for each in messages])


def write_points(game: str, changes: Changes) -> list[events_pb2.LevelPointsChange]:
    """Level points gained and taken back."""
    return [events_pb2.LevelPointsChange(player_id=player, game=game, change=change) for player, change in changes]


def read_points(messages: Iterable[events_pb2.LevelPointsChange]) -> Changes:
    """Level points gained and taken back; their game is the event's."""
    return tuple([(each.player_id, each.change) for each in messages])


def write_bank(bank: Bank | None) -> settlement_pb2.BankState | None:
    """The bank of a 九點半 table."""
    if bank is None:
        return None
    return settlement_pb2.BankState(
        banker=bank.banker,
        queue=bank.queue,
        seats=bank.seats,
        is_stepping_down=bank.is_stepping_down,
        is_hand_open=bank.is_hand_open,
    )


def read_bank(message: settlement_pb2.BankState) -> Bank:
    """The bank of a 九點半 table."""
    return Bank(
        message.banker, tuple(message.queue), tuple(message.seats), message.is_stepping_down, message.is_hand_open
    )
