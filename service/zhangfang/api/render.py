"""Tables, hands and players as messages."""

from typing import Any

from zhangfang.contract.enums import HAND_STATE, POINTS_PER_WIN, SHORTFALL, STAKE_MODE
from zhangfang.contract.framing import embedded
from zhangfang.contract.games import CODECS
from zhangfang.contract.postings import write_bank, write_postings, write_settlements
from zhangfang.contract.times import write_time
from zhangfang.domain.books import Account
from zhangfang.domain.events import Transferred
from zhangfang.domain.hands import Hand, HandState
from zhangfang.domain.tables import Table
from zhangfang.ledger.accounts import player_account
from zhangfang.projections.players import PlayerRow
from zhangfang.rules.games import GAMES
from zhangfang.rules.levels import Level, player_level, wealth_level
from zhangfang.wire.v1 import accounts_pb2, money_pb2, settlement_pb2

TABLE_OPEN = settlement_pb2.Table.STATE_OPEN
TABLE_CLOSED = settlement_pb2.Table.STATE_CLOSED
JUDGEMENT_FIELD = settlement_pb2.Hand.DESCRIPTOR.fields_by_name["judgement"].number


def write_table(table: Table) -> settlement_pb2.Table:
    """A table as it stands."""
    message = settlement_pb2.Table(
        table_id=table.table_id,
        game=table.game,
        stake_mode=STAKE_MODE.to_wire[table.stake_mode],
        stake=table.stake,
        shortfall=SHORTFALL.to_wire[table.money_rules.shortfall],
        table_fee=table.money_rules.table_fee,
        rake_per_mille=table.money_rules.rake_per_mille,
        points_per_win=POINTS_PER_WIN.to_wire[table.money_rules.points_per_win],
        state=TABLE_OPEN if table.is_open else TABLE_CLOSED,
        opened_at=write_time(table.opened_at_us),
        closed_at=None if table.is_open else write_time(table.closed_at_us),
        bank=write_bank(table.bank),
    )
    getattr(message.rules, table.game).CopyFrom(CODECS[table.game].write_rules(table.house_rules))
    return message


def encode_hand(hand: Hand) -> bytes:
    """A hand that has ended, encoded; its judgement goes in as the bytes it is."""
    return _without_judgement(hand).SerializeToString() + embedded(JUDGEMENT_FIELD, hand.judgement)


def write_hand(hand: Hand) -> settlement_pb2.Hand:
    """A hand as it stands."""
    message = _without_judgement(hand)
    if hand.judgement:
        message.judgement.MergeFromString(hand.judgement)
    elif hand.record is not None:
        _write_progress(message, hand)
    return message


def _without_judgement(hand: Hand) -> settlement_pb2.Hand:
    message = settlement_pb2.Hand(
        hand_id=hand.hand_id,
        table_id=hand.table_id,
        game=hand.game,
        state=HAND_STATE.to_wire[hand.state],
        players=write_settlements(hand.settlements),
        postings=write_postings(hand.postings),
        position=hand.position,
        actor=hand.metadata.actor,
        replaces_hand_id=hand.replaces_hand_id,
        reason=hand.reason,
        reversal_position=hand.reversal_position or None,
        reversal_postings=write_postings(hand.reversal_postings),
        holds=[settlement_pb2.Hold(player_id=player, silver=held) for player, held in hand.holds.items() if held],
        replaced_by_hand_id=hand.replaced_by,
    )
    if hand.recorded_at_us:
        message.recorded_at.CopyFrom(write_time(hand.recorded_at_us))
    if hand.metadata.occurred_at_us is not None:
        message.occurred_at.CopyFrom(write_time(hand.metadata.occurred_at_us))
    return message


def _write_progress(message: settlement_pb2.Hand, hand: Hand) -> None:
    """What came in so far, and what is open now."""
    codec = CODECS[hand.game]
    message.judgement.players.extend(hand.players)
    message.judgement.stake = hand.stake
    getattr(message.judgement.rules, hand.game).CopyFrom(codec.write_rules(hand.house_rules))
    getattr(message.judgement.record, hand.game).CopyFrom(codec.write_hand(hand.record))
    if hand.state is HandState.OPEN:
        progress = GAMES[hand.game].progress(hand.record, hand.house_rules)
        message.phase = progress.phase
        for opening in progress.openings:
            message.openings.add(player_id=opening.player, kinds=opening.kinds)


def write_hand_row(row: Any) -> settlement_pb2.Hand:
    """A hand as a list shows it."""
    return settlement_pb2.Hand(
        hand_id=row.hand_id,
        table_id=row.table_id,
        game=row.game,
        state=HAND_STATE.to_wire[HandState(row.state)],
        recorded_at=write_time(row.recorded_at_us),
    )


def write_player(row: PlayerRow, account: Account, last_position: int) -> accounts_pb2.Player:
    """A player as he stands."""
    levels = [
        accounts_pb2.PlayerLevels(
            game=game.name,
            wealth_level=_write_level(wealth_level(game.name, account.balance)),
            player_level=_write_level(player_level(game.name, row.points.get(game.name, 0))),
            level_points=row.points.get(game.name, 0),
        )
        for game in GAMES.values()
        if game.has_levels
    ]
    return accounts_pb2.Player(
        player_id=row.player_id,
        display_name=row.display_name,
        balance=account.balance,
        held=account.held,
        available=account.available,
        levels=levels,
        registered_at=write_time(row.registered_at_us),
        last_position=last_position,
    )


def _write_level(level: Level) -> money_pb2.Level:
    return money_pb2.Level(
        title=level.title,
        threshold=level.threshold,
        base=level.base,
        next_threshold=level.next_threshold,
        missing=level.missing,
    )


def write_transfer(event: Transferred) -> accounts_pb2.Transfer:
    """A deposit or withdrawal as it was answered."""
    own = next(posted for posted in event.postings if posted.account == player_account(event.player_id))
    return accounts_pb2.Transfer(
        player_id=event.player_id,
        amount=own.amount,
        balance_after=own.balance_after,
        available_after=own.balance_after - event.held,
        position=event.position,
        recorded_at=write_time(event.recorded_at_us),
    )
