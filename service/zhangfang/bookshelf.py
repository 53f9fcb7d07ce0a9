"""The bookshelf: the books of one batch are kept for the next, as long as nobody else wrote in between.

Whoever appends holds the lock on the log's head. If the head is still where this process left it, what it knows of
accounts, players and tables is what lies on disk, and need not be read again.
"""

from collections.abc import Callable, Iterable, Sequence

from eventsourcing.application import LRUCache

from zhangfang.domain.books import NO_ACCOUNT, Books
from zhangfang.domain.commands import Command, OpenTable
from zhangfang.domain.hands import Hand, HandState
from zhangfang.domain.tables import Table
from zhangfang.ledger.accounts import SYSTEM_ACCOUNTS, player_account
from zhangfang.projections import accounts, hands, players, tables
from zhangfang.rules.games import GAMES
from zhangfang.store.bulk import Sink
from zhangfang.store.recorder import Edition

KEPT_ACCOUNTS = 100_000
"""How many accounts are kept in memory, some 400 bytes each."""

KEPT_TABLES = 10_000

Subjects = Callable[[str], Table | Hand | None]
"""Reads a table or a hand from the log, as it stands, by the name of its stream."""


class Bookshelf:
    """Opens books for batches of commands, and knows tables between them.

    Args:
        new_books: makes empty ones.
        subjects: reads tables and hands.
    """

    def __init__(self, new_books: Callable[[], Books], subjects: Subjects) -> None:
        self._new_books = new_books
        self._subjects = subjects
        self._tables: LRUCache[str, Table] = LRUCache(maxsize=KEPT_TABLES)
        self._kept: Books | None = None
        self._kept_at: Edition | None = None

    def table(self, table_id: str) -> Table | None:
        """A table as this process last knew it: game, house rules and money are right, state and bank may be old."""
        try:
            return self._tables.get(table_id)
        except KeyError:
            return None

    def keep_table(self, table: Table) -> None:
        """Remembers a table."""
        self._tables.put(table.table_id, table)

    def take(self, edition: Edition) -> Books:
        """The books at the locked head of the log; until they are put back there are none here."""
        books = self._kept if self._kept_at == edition else None
        self._kept = self._kept_at = None
        return books or self._new_books()

    def put_back(self, books: Books, edition: Edition) -> None:
        """Keeps the books of a batch that was committed."""
        if len(books.accounts) <= KEPT_ACCOUNTS and len(books.tables) <= KEPT_TABLES:
            books.hands.clear()  # they are large, and few are asked for again
            self._kept, self._kept_at = books, edition

    def load(self, books: Books, sink: Sink, commands: Sequence[Command]) -> None:
        """Reads what deciding these commands needs and the books do not have."""
        hand_ids = {hand_id for command in commands for hand_id in command.hand_ids()}
        while hand_ids:  # and what settled them again, and again
            self._load_hands(books, sink, hand_ids)
            hand_ids = {hand.replaced_by for hand in books.hands.values()} - books.hands.keys() - {""}
        player_ids = {player_id for command in commands for player_id in command.player_ids()}
        for hand in books.hands.values():
            player_ids.update(hand.players)
            if hand.state is HandState.OPEN:
                player_ids.update(GAMES[hand.game].participants(hand.record))
        table_ids = {table_id for command in commands for table_id in command.table_ids()}
        table_ids.update([hand.table_id for hand in books.hands.values()])
        self._load_tables(books, sink, table_ids - {""})
        games = {command.game for command in commands if isinstance(command, OpenTable)}
        for table_id in table_ids & books.tables.keys():
            table = books.tables[table_id]
            games.add(table.game)
            if table.bank:
                player_ids.update((*table.bank.queue, *table.bank.seats))
        self._load_players(books, sink, player_ids, games)

    def _load_hands(self, books: Books, sink: Sink, hand_ids: Iterable[str]) -> None:
        for hand_id in hands.read_known(sink, set(hand_ids) - books.hands.keys()):
            hand = self._subjects(f"hand/{hand_id}")
            if isinstance(hand, Hand):
                books.hands[hand_id] = hand

    def _load_tables(self, books: Books, sink: Sink, table_ids: Iterable[str]) -> None:
        for table_id, version in tables.read_versions(sink, set(table_ids) - books.tables.keys()).items():
            table = self.table(table_id)
            if table is None or table.version != version:
                found = self._subjects(f"table/{table_id}")
                table = found if isinstance(found, Table) else None
            if table:
                self.keep_table(table)
                books.tables[table_id] = table

    def _load_players(self, books: Books, sink: Sink, player_ids: set[str], games: set[str]) -> None:
        missing = {*map(player_account, player_ids), *SYSTEM_ACCOUNTS} - books.accounts.keys()
        books.accounts.update(dict.fromkeys(missing, NO_ACCOUNT), **accounts.read_accounts(sink, missing))
        books.registered |= players.read_registered(sink, player_ids - books.registered)
        if any(GAMES[game].has_levels for game in games):
            unknown = player_ids - books.graded
            books.points.update(players.read_points(sink, unknown))
            books.graded |= unknown
