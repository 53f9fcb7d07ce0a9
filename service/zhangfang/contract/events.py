"""Events as the log stores them: the house's values to bytes and back.

One pair of functions an event; ``TRANSLATIONS`` at the end is the list of them. The same event gives the same bytes.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from google.protobuf.message import Message

from zhangfang.contract.enums import BANKER_ACTION, POINTS_PER_WIN, SHORTFALL, STAKE_MODE
from zhangfang.contract.games import CODECS
from zhangfang.contract.postings import (
    read_bank,
    read_holds,
    read_points,
    read_postings,
    read_settlements,
    write_bank,
    write_holds,
    write_points,
    write_postings,
    write_settlements,
)
from zhangfang.contract.times import read_time, write_time
from zhangfang.domain import events as happened
from zhangfang.domain.events import DomainEvent, Metadata
from zhangfang.rules.payment import MoneyRules
from zhangfang.wire.v1 import events_pb2, settlement_pb2

JUDGEMENT_FIELD = 15


@dataclass(frozen=True, slots=True)
class Translation:
    """How one event is written and read; ``fields`` leaves out what every event has."""

    event: type[DomainEvent]
    message: type[Message]
    write: Callable[[Any], dict[str, Any]]
    read: Callable[[Any], dict[str, Any]]


def encode_event(event: DomainEvent) -> bytes:
    """The bytes the log stores of an event; its stream, version and place are stored beside them."""
    translation = TRANSLATIONS[event.TOPIC]
    message: Any = translation.message(metadata=_write_metadata(event.metadata), **translation.write(event))
    encoded: bytes = message.SerializeToString(deterministic=True)
    judgement: bytes = getattr(event, "judgement", b"")
    # The judgement was encoded when the hand was judged; a message's last field may be appended as bytes.
    return encoded + _length_delimited(JUDGEMENT_FIELD, judgement) if judgement else encoded


def decode_event(topic: str, body: bytes, place: dict[str, Any]) -> DomainEvent:
    """The event of stored bytes; ``place`` has its stream, version, position and time."""
    translation = TRANSLATIONS[topic]
    message: Any = translation.message.FromString(body)
    return translation.event(metadata=_read_metadata(message.metadata), **place, **translation.read(message))


def decode_message(topic: str, body: bytes) -> Message:
    """The message of stored bytes, as auditors get it."""
    return TRANSLATIONS[topic].message.FromString(body)


def _length_delimited(field: int, payload: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(payload)) + payload


def _varint(number: int) -> bytes:
    encoded = bytearray()
    while number > 0x7F:
        encoded.append(number & 0x7F | 0x80)
        number >>= 7
    encoded.append(number)
    return bytes(encoded)


def _write_metadata(metadata: Metadata) -> events_pb2.Metadata:
    return events_pb2.Metadata(
        actor=metadata.actor,
        request_id=metadata.request_id,
        occurred_at=None if metadata.occurred_at_us is None else write_time(metadata.occurred_at_us),
        software=metadata.software,
        fingerprint=metadata.fingerprint,
    )


def _read_metadata(message: events_pb2.Metadata) -> Metadata:
    occurred_at_us = read_time(message.occurred_at) if message.HasField("occurred_at") else None
    return Metadata(message.actor, message.request_id, message.fingerprint, occurred_at_us, message.software)


def _of_game(kind: type[Message], game: str, message: Message) -> Message:
    """A message with one game's part set, e.g. a Choice with its 半邊天炸 choice."""
    return kind(**{game: message})


def _write_transfer(event: happened.Transferred) -> dict[str, Any]:
    return {
        "player_id": event.player_id,
        "amount": event.amount,
        "note": event.note,
        "postings": write_postings(event.postings),
        "held": event.held,
    }


def _read_transfer(message: Any) -> dict[str, Any]:
    return {
        "player_id": message.player_id,
        "amount": message.amount,
        "note": message.note,
        "postings": read_postings(message.postings),
        "held": message.held,
    }


def _write_table_opened(event: happened.TableOpened) -> dict[str, Any]:
    rules = CODECS[event.game].write_rules(event.house_rules)
    return {
        "table_id": event.table_id,
        "game": event.game,
        "rules": _of_game(settlement_pb2.GameRules, event.game, rules),
        "stake_mode": STAKE_MODE.to_wire[event.stake_mode],
        "stake": event.stake,
        "shortfall": SHORTFALL.to_wire[event.money_rules.shortfall],
        "table_fee": event.money_rules.table_fee,
        "rake_per_mille": event.money_rules.rake_per_mille,
        "points_per_win": POINTS_PER_WIN.to_wire[event.money_rules.points_per_win],
        "seats": event.seats,
    }


def _read_table_opened(message: events_pb2.TableOpened) -> dict[str, Any]:
    return {
        "table_id": message.table_id,
        "game": message.game,
        "house_rules": CODECS[message.game].read_rules(getattr(message.rules, message.game)),
        "stake_mode": STAKE_MODE.read(message.stake_mode),
        "stake": message.stake,
        "money_rules": MoneyRules(
            shortfall=SHORTFALL.read(message.shortfall),
            table_fee=message.table_fee,
            rake_per_mille=message.rake_per_mille,
            points_per_win=POINTS_PER_WIN.read(message.points_per_win),
        ),
        "seats": tuple(message.seats),
    }


def _write_bank_changed(event: happened.BankChanged) -> dict[str, Any]:
    return {
        "table_id": event.table_id,
        "player_id": event.player_id,
        "action": BANKER_ACTION.to_number(event.action),
        "hand_id": event.hand_id,
        "bank": write_bank(event.bank),
    }


def _read_bank_changed(message: events_pb2.BankChanged) -> dict[str, Any]:
    return {
        "table_id": message.table_id,
        "player_id": message.player_id,
        "action": BANKER_ACTION.to_word.get(message.action, ""),
        "hand_id": message.hand_id,
        "bank": read_bank(message.bank),
    }


def _write_hand_opened(event: happened.HandOpened) -> dict[str, Any]:
    rules = CODECS[event.game].write_rules(event.house_rules)
    return {
        "hand_id": event.hand_id,
        "table_id": event.table_id,
        "game": event.game,
        "players": event.players,
        "stake": event.stake,
        "rules": _of_game(settlement_pb2.GameRules, event.game, rules),
        "replaces_hand_id": event.replaces_hand_id,
    }


def _read_hand_opened(message: events_pb2.HandOpened) -> dict[str, Any]:
    return {
        "hand_id": message.hand_id,
        "table_id": message.table_id,
        "game": message.game,
        "players": tuple(message.players),
        "stake": message.stake,
        "house_rules": CODECS[message.game].read_rules(getattr(message.rules, message.game)),
        "replaces_hand_id": message.replaces_hand_id,
    }


def _write_deal_recorded(event: happened.DealRecorded) -> dict[str, Any]:
    deal = _of_game(settlement_pb2.Deal, event.game, CODECS[event.game].write_deal(event.deal))
    return {"hand_id": event.hand_id, "table_id": event.table_id, "deal": deal}


def _read_deal_recorded(message: events_pb2.DealRecorded) -> dict[str, Any]:
    game = message.deal.WhichOneof("game") or ""
    deal = CODECS[game].read_deal(getattr(message.deal, game))
    return {"hand_id": message.hand_id, "table_id": message.table_id, "game": game, "deal": deal}


def _write_choice_made(event: happened.ChoiceMade) -> dict[str, Any]:
    choice = _of_game(settlement_pb2.Choice, event.game, CODECS[event.game].write_choice(event.choice))
    return {
        "hand_id": event.hand_id,
        "table_id": event.table_id,
        "player_id": event.player_id,
        "choice": choice,
        "opened_position": event.opened_position,
        "holds": write_holds(event.holds),
    }


def _read_choice_made(message: events_pb2.ChoiceMade) -> dict[str, Any]:
    game = message.choice.WhichOneof("game") or ""
    return {
        "hand_id": message.hand_id,
        "table_id": message.table_id,
        "game": game,
        "player_id": message.player_id,
        "choice": CODECS[game].read_choice(getattr(message.choice, game)),
        "opened_position": message.opened_position,
        "holds": read_holds(message.holds),
    }


def _write_hand_settled(event: happened.HandSettled) -> dict[str, Any]:
    return {
        "hand_id": event.hand_id,
        "table_id": event.table_id,
        "game": event.game,
        "replaces_hand_id": event.replaces_hand_id,
        "postings": write_postings(event.postings),
        "holds": write_holds(event.holds),
        "level_points": write_points(event.game, event.level_points),
        "players": write_settlements(event.players),
    }


def _read_hand_settled(message: events_pb2.HandSettled) -> dict[str, Any]:
    return {
        "hand_id": message.hand_id,
        "table_id": message.table_id,
        "game": message.game,
        "replaces_hand_id": message.replaces_hand_id,
        "postings": read_postings(message.postings),
        "holds": read_holds(message.holds),
        "level_points": read_points(message.level_points),
        "players": read_settlements(message.players),
        "judgement": message.judgement.SerializeToString(deterministic=True),
    }


def _write_hand_voided(event: happened.HandVoided) -> dict[str, Any]:
    return {
        "hand_id": event.hand_id,
        "table_id": event.table_id,
        "game": event.game,
        "reason": event.reason,
        "holds": write_holds(event.holds),
        "players": event.players,
        "replaces_hand_id": event.replaces_hand_id,
    }


def _read_hand_voided(message: events_pb2.HandVoided) -> dict[str, Any]:
    return {
        "hand_id": message.hand_id,
        "table_id": message.table_id,
        "game": message.game,
        "reason": message.reason,
        "holds": read_holds(message.holds),
        "players": tuple(message.players),
        "replaces_hand_id": message.replaces_hand_id,
        "judgement": message.judgement.SerializeToString(deterministic=True) if message.HasField("judgement") else b"",
    }


def _write_hand_reversed(event: happened.HandReversed) -> dict[str, Any]:
    return {
        "hand_id": event.hand_id,
        "table_id": event.table_id,
        "game": event.game,
        "reason": event.reason,
        "postings": write_postings(event.postings),
        "level_points": write_points(event.game, event.level_points),
    }


def _read_hand_reversed(message: events_pb2.HandReversed) -> dict[str, Any]:
    return {
        "hand_id": message.hand_id,
        "table_id": message.table_id,
        "game": message.game,
        "reason": message.reason,
        "postings": read_postings(message.postings),
        "level_points": read_points(message.level_points),
    }


def _plain(*names: str) -> tuple[Callable[[Any], dict[str, Any]], Callable[[Any], dict[str, Any]]]:
    """Both directions of an event whose fields are text on both sides."""

    def copy(source: Any) -> dict[str, Any]:
        return {name: getattr(source, name) for name in names}

    return copy, copy


TRANSLATIONS: dict[str, Translation] = {
    translation.event.TOPIC: translation
    for translation in (
        Translation(happened.PlayerRegistered, events_pb2.PlayerRegistered, *_plain("player_id", "display_name")),
        Translation(happened.SilverDeposited, events_pb2.SilverDeposited, _write_transfer, _read_transfer),
        Translation(happened.SilverWithdrawn, events_pb2.SilverWithdrawn, _write_transfer, _read_transfer),
        Translation(happened.TableOpened, events_pb2.TableOpened, _write_table_opened, _read_table_opened),
        Translation(happened.TableClosed, events_pb2.TableClosed, *_plain("table_id")),
        Translation(happened.BankChanged, events_pb2.BankChanged, _write_bank_changed, _read_bank_changed),
        Translation(happened.HandOpened, events_pb2.HandOpened, _write_hand_opened, _read_hand_opened),
        Translation(happened.DealRecorded, events_pb2.DealRecorded, _write_deal_recorded, _read_deal_recorded),
        Translation(happened.ChoiceMade, events_pb2.ChoiceMade, _write_choice_made, _read_choice_made),
        Translation(happened.HandSettled, events_pb2.HandSettled, _write_hand_settled, _read_hand_settled),
        Translation(happened.HandVoided, events_pb2.HandVoided, _write_hand_voided, _read_hand_voided),
        Translation(happened.HandReversed, events_pb2.HandReversed, _write_hand_reversed, _read_hand_reversed),
        Translation(
            happened.HandReplaced, events_pb2.HandReplaced, *_plain("hand_id", "table_id", "game", "by_hand_id")
        ),
    )
}
