"""What happens to players, their silver and tables, as the log stores it."""

from typing import Any

from zhangfang.contract.enums import BANKER_ACTION, POINTS_PER_WIN, SHORTFALL, STAKE_MODE
from zhangfang.contract.games import CODECS
from zhangfang.contract.postings import read_bank, read_postings, write_bank, write_postings
from zhangfang.contract.translation import Translation, of_game, plain
from zhangfang.domain import events as happened
from zhangfang.rules.payment import MoneyRules
from zhangfang.wire.v1 import events_pb2, settlement_pb2


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
        "rules": of_game(settlement_pb2.GameRules, event.game, rules),
        "stake_mode": STAKE_MODE.to_wire[event.stake_mode],
        "stake": event.stake,
        "shortfall": SHORTFALL.to_wire[event.money_rules.shortfall],
        "table_fee": event.money_rules.table_fee,
        "rake_per_mille": event.money_rules.rake_per_mille,
        "points_per_win": POINTS_PER_WIN.to_wire[event.money_rules.points_per_win],
        "seats": event.seats,
        "draws": event.draws,
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
        "draws": tuple(message.draws),
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


TRANSLATIONS = (
    Translation(happened.PlayerRegistered, events_pb2.PlayerRegistered, *plain("player_id", "display_name")),
    Translation(happened.SilverDeposited, events_pb2.SilverDeposited, _write_transfer, _read_transfer),
    Translation(happened.SilverWithdrawn, events_pb2.SilverWithdrawn, _write_transfer, _read_transfer),
    Translation(happened.TableOpened, events_pb2.TableOpened, _write_table_opened, _read_table_opened),
    Translation(happened.TableClosed, events_pb2.TableClosed, *plain("table_id")),
    Translation(happened.BankChanged, events_pb2.BankChanged, _write_bank_changed, _read_bank_changed),
)
