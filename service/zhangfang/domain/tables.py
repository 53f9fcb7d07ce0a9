"""Tables: a game, its house rules and its money, fixed when the table opens."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from zhangfang.domain.events import BankChanged, DomainEvent, TableClosed, TableOpened
from zhangfang.rules.banking import Bank
from zhangfang.rules.games import GAMES
from zhangfang.rules.levels import StakeMode
from zhangfang.rules.payment import MoneyRules


@dataclass(frozen=True, slots=True)
class Table:
    """A table as its stream tells it. Nothing of it ever changes but ``is_open`` and ``bank``."""

    table_id: str
    game: str
    house_rules: Any
    stake_mode: StakeMode
    stake: int
    money_rules: MoneyRules
    version: int
    position: int
    opened_at_us: int
    bank: Bank | None = None
    is_open: bool = True
    closed_at_us: int = 0


def evolve_table(table: Table | None, event: DomainEvent) -> Table:
    """The table after one more event of its stream."""
    match event:
        case TableOpened():
            return Table(
                table_id=event.table_id,
                game=event.game,
                house_rules=event.house_rules,
                stake_mode=event.stake_mode,
                stake=event.stake,
                money_rules=event.money_rules,
                version=event.originator_version,
                position=event.position,
                opened_at_us=event.recorded_at_us,
                bank=_first_bank(event),
            )
        case TableClosed() if table:
            return replace(
                table,
                is_open=False,
                version=event.originator_version,
                position=event.position,
                closed_at_us=event.recorded_at_us,
            )
        case BankChanged() if table:
            return replace(table, bank=event.bank, version=event.originator_version, position=event.position)
    raise AssertionError(f"{event.TOPIC} does not belong to a table's stream")


def project_table(table: Table | None, events: Iterable[DomainEvent]) -> Table | None:
    """The table after the events of its stream, None if there are none: the library's projector function."""
    for event in events:
        table = evolve_table(table, event)
    return table


def _first_bank(event: TableOpened) -> Bank | None:
    banking = GAMES[event.game].banking
    bank = banking.begin(event.house_rules, event.seats, event.draws) if banking else None
    return None if isinstance(bank, tuple) else bank
