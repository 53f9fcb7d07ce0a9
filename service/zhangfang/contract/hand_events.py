"""What happens to hands, as the log stores it."""

from typing import Any

from zhangfang.contract import sealed
from zhangfang.contract.games import CODECS
from zhangfang.contract.postings import (
    read_holds,
    read_points,
    read_postings,
    read_settlements,
    write_holds,
    write_points,
    write_postings,
    write_settlements,
)
from zhangfang.contract.translation import Translation, of_game, plain
from zhangfang.domain import events as happened
from zhangfang.wire.v1 import events_pb2, settlement_pb2


def _write_hand_opened(event: happened.HandOpened) -> dict[str, Any]:
    rules = CODECS[event.game].write_rules(event.house_rules)
    return {
        "hand_id": event.hand_id,
        "table_id": event.table_id,
        "game": event.game,
        "players": event.players,
        "stake": event.stake,
        "rules": of_game(settlement_pb2.GameRules, event.game, rules),
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
    deal = of_game(settlement_pb2.Deal, event.game, CODECS[event.game].write_deal(event.deal))
    return {"hand_id": event.hand_id, "table_id": event.table_id, "deal": deal}


def _read_deal_recorded(message: events_pb2.DealRecorded) -> dict[str, Any]:
    game = message.deal.WhichOneof("game") or ""
    deal = CODECS[game].read_deal(getattr(message.deal, game))
    return {"hand_id": message.hand_id, "table_id": message.table_id, "game": game, "deal": deal}


def _write_choice_made(event: happened.ChoiceMade) -> dict[str, Any]:
    choice = of_game(settlement_pb2.Choice, event.game, CODECS[event.game].write_choice(event.choice))
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
        "judgement": event.judgement,
    }


def _read_hand_settled(message: Any) -> dict[str, Any]:
    return {
        "hand_id": message.hand_id,
        "table_id": message.table_id,
        "game": message.game,
        "replaces_hand_id": message.replaces_hand_id,
        "postings": read_postings(message.postings),
        "holds": read_holds(message.holds),
        "level_points": read_points(message.level_points),
        "players": read_settlements(message.players),
        "judgement": message.judgement,
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
        "judgement": event.judgement,
    }


def _read_hand_voided(message: Any) -> dict[str, Any]:
    return {
        "hand_id": message.hand_id,
        "table_id": message.table_id,
        "game": message.game,
        "reason": message.reason,
        "holds": read_holds(message.holds),
        "players": tuple(message.players),
        "replaces_hand_id": message.replaces_hand_id,
        "judgement": message.judgement,
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


TRANSLATIONS = (
    Translation(happened.HandOpened, events_pb2.HandOpened, _write_hand_opened, _read_hand_opened),
    Translation(happened.DealRecorded, events_pb2.DealRecorded, _write_deal_recorded, _read_deal_recorded),
    Translation(happened.ChoiceMade, events_pb2.ChoiceMade, _write_choice_made, _read_choice_made),
    Translation(happened.HandSettled, sealed.HandSettled, _write_hand_settled, _read_hand_settled),
    Translation(happened.HandVoided, sealed.HandVoided, _write_hand_voided, _read_hand_voided),
    Translation(happened.HandReversed, events_pb2.HandReversed, _write_hand_reversed, _read_hand_reversed),
    Translation(happened.HandReplaced, events_pb2.HandReplaced, *plain("hand_id", "table_id", "game", "by_hand_id")),
)
