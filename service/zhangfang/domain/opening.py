"""Opening and closing tables."""

from zhangfang.domain.books import Books
from zhangfang.domain.commands import CloseTable, OpenTable
from zhangfang.domain.events import DomainEvent, TableClosed, TableOpened
from zhangfang.errors import Reason, Refusal, Status, faulty, invalid, table_closed
from zhangfang.rules.games import GAMES


def open_table(books: Books, command: OpenTable) -> list[DomainEvent]:
    """A new table; its settings were checked when the request was read. Rule: CM-4, CM-9."""
    if command.table_id in books.tables:
        raise Refusal(
            Status.ALREADY_EXISTS,
            Reason.TABLE_EXISTS,
            f"table {command.table_id!r} exists already; a table id is used once",
            {"table_id": command.table_id},
        )
    books.require_players(command.seats)
    banking = GAMES[command.game].banking
    for field, named in (("seats", command.seats), ("draws", command.draws)):
        if banking is None and named:
            raise invalid(field, f"{command.game} has no bank that goes along the seats; leave them out")
    bank = banking.begin(command.house_rules, command.seats, command.draws) if banking else None
    if isinstance(bank, tuple):
        raise faulty(bank)
    return [
        TableOpened(
            originator_id=f"table/{command.table_id}",
            originator_version=1,
            metadata=books.metadata(command.request),
            table_id=command.table_id,
            game=command.game,
            house_rules=command.house_rules,
            stake_mode=command.stake_mode,
            stake=command.stake,
            money_rules=command.money_rules,
            seats=command.seats,
            draws=command.draws,
        )
    ]


def close_table(books: Books, command: CloseTable) -> list[DomainEvent]:
    """Closes a table for new hands; open ones can still be finished."""
    table = books.table(command.table_id)
    if not table.is_open:
        raise table_closed(command.table_id, " already")
    return [
        TableClosed(
            originator_id=f"table/{table.table_id}",
            originator_version=table.version + 1,
            metadata=books.metadata(command.request),
            table_id=table.table_id,
        )
    ]
