"""What the projections answer: statements, balances as they were, lists in pages, by every filter, on both stores."""

from typing import Any

import pytest

from tests.callers import bet, close_table, deposit, done, lost_bet, open_hand, open_table, reverse, three_pots, void
from zhangfang.application import CountingHouse
from zhangfang.domain.hands import HandState
from zhangfang.ledger.accounts import CASH, FEES
from zhangfang.ledger.postings import PostingKind
from zhangfang.projections.accounts import read_account, read_totals
from zhangfang.projections.entries import EntryFilter, read_balance_at, read_entries
from zhangfang.projections.hands import HandFilter, read_hands
from zhangfang.projections.players import read_player, read_players
from zhangfang.projections.tables import read_tables
from zhangfang.store.log import position_at, read_batches, read_row


@pytest.fixture
def evening(house: CountingHouse) -> CountingHouse:
    """Some hands of two games, one of them reversed, one voided, one open, and a tombstone."""
    done(house, open_table("U", stake=5, table_fee=1), three_pots("h1", "AB"), three_pots("h2", "ABC", "U"))
    done(house, lost_bet("h3", "A", "Z", 7), reverse("h1"), open_hand("h4", "Z"), bet("h4", "B", 9))
    done(house, open_hand("h5", "Z"), void("h5"), void("h6"), close_table("T"))
    return house


def entries(house: CountingHouse, account: str = "player/A", limit: int = 100, **wanted: Any) -> list[tuple[str, int]]:
    """Hand and amount of an account's entries, newest first."""
    with house.database.read() as connection:
        rows: Any = read_entries(connection, account, EntryFilter(**wanted), None, limit)
    return [(row.hand_id, row.amount) for row in rows]


def hand_ids(house: CountingHouse, **wanted: Any) -> list[str]:
    """The hands that are wanted, newest first."""
    with house.database.read() as connection:
        rows: Any = read_hands(connection, HandFilter(**wanted), None, 100)
    return [row.hand_id for row in rows]


def test_a_statement_tells_every_posting_newest_first(evening: CountingHouse) -> None:
    assert entries(evening) == [("h1", 10), ("h3", -7), ("h2", -1), ("h2", -5), ("h1", -10), ("", 1000)]


def test_a_statement_by_every_filter(evening: CountingHouse) -> None:
    assert entries(evening, table_id="U") == [("h2", -1), ("h2", -5)]
    assert entries(evening, hand_id="h1") == [("h1", 10), ("h1", -10)]
    assert entries(evening, kind=PostingKind.REVERSAL) == [("h1", 10)]
    assert entries(evening, kind=PostingKind.RAKE) == []
    assert entries(evening, CASH) == [("", -1000)] * 4
    assert entries(evening, FEES) == [("h2", 3)]
    assert entries(evening, "player/nobody") == []


def test_a_statement_by_time_and_in_pages(evening: CountingHouse) -> None:
    with evening.database.read() as connection:
        rows: Any = read_entries(connection, "player/A", EntryFilter(), None, 100)
        pages: list[Any] = []
        before = None
        while page := read_entries(connection, "player/A", EntryFilter(), before, 2):
            pages += page
            last: Any = page[-1]
            before = (last.position, last.line)
    third = rows[2].recorded_at_us

    assert pages == rows
    assert len(entries(evening, recorded_from_us=third)) + len(entries(evening, recorded_before_us=third)) == len(rows)
    assert ("h2", -1) in entries(evening, recorded_from_us=third)


def test_a_balance_is_known_at_every_position_and_moment(evening: CountingHouse) -> None:
    with evening.database.read() as connection:
        rows: Any = read_entries(connection, "player/A", EntryFilter(), None, 100)
        log = [row for batch in read_batches(connection, batch_events=3) for row in batch]
        by_position = [read_balance_at(connection, "player/A", row.position) for row in log]
        by_moment = [position_at(connection, row.recorded_at_us) for row in log]
        just_before = [position_at(connection, row.recorded_at_us - 1) for row in log]
        found = [read_row(connection, row.position) for row in log]

    expected, silver = [], 0
    for row in log:
        silver += sum(each.amount for each in rows if each.position == row.position)
        expected.append(silver)
    assert by_position == expected
    assert by_moment == [row.position for row in log]
    assert just_before == [row.position - 1 for row in log]
    assert found == log


def test_a_position_that_is_not_there_is_none(evening: CountingHouse) -> None:
    with evening.database.read() as connection:
        assert read_row(connection, 10_000) is None
        assert position_at(connection, 0) == 0
        assert read_balance_at(connection, "player/nobody", 5) == 0
        assert read_account(connection, "player/nobody") is None
        assert read_player(connection, "nobody") is None


def test_hands_by_every_filter(evening: CountingHouse) -> None:
    assert hand_ids(evening) == ["h6", "h5", "h4", "h3", "h2", "h1"]
    assert hand_ids(evening, player_id="B") == ["h4", "h2", "h1"]
    assert hand_ids(evening, player_id="Z") == ["h5", "h4", "h3"]
    assert hand_ids(evening, table_id="T") == ["h1"]
    assert hand_ids(evening, game="jiu_dian_ban") == ["h5", "h4", "h3"]
    assert hand_ids(evening, state=HandState.VOIDED) == ["h6", "h5"]
    assert hand_ids(evening, state=HandState.REVERSED, player_id="A") == ["h1"]
    assert hand_ids(evening, state=HandState.OPEN, table_id="U") == []


def test_hands_by_time_and_in_pages(evening: CountingHouse) -> None:
    with evening.database.read() as connection:
        rows: Any = read_hands(connection, HandFilter(), None, 100)
        pages: list[Any] = []
        before = None
        while page := read_hands(connection, HandFilter(), before, 4):
            pages += page
            last: Any = page[-1]
            before = last.first_position
    settled = next(row.recorded_at_us for row in rows if row.hand_id == "h3")

    assert pages == rows
    assert "h3" in hand_ids(evening, recorded_from_us=settled)
    assert "h3" not in hand_ids(evening, recorded_before_us=settled)
    assert hand_ids(evening, recorded_before_us=settled, recorded_from_us=settled) == []


def test_tables_by_game_and_state_and_in_pages(evening: CountingHouse) -> None:
    def tables(game: str = "", after: int = 0, limit: int = 100, *, is_open: bool | None = None) -> list[Any]:
        with evening.database.read() as connection:
            return list(read_tables(connection, game, after, limit, is_open=is_open))

    everything = tables()

    assert [row.table_id for row in everything] == ["T", "九點半", "U"]
    assert [row.table_id for row in tables(game="bi_ji", is_open=True)] == ["U"]
    assert [row.table_id for row in tables(is_open=False)] == ["T"]
    assert tables(after=everything[0].opened_position, limit=1) == everything[1:2]


def test_players_by_their_id_whatever_characters_it_has(evening: CountingHouse) -> None:
    with evening.database.read() as connection:
        everybody = read_players(connection, "", 100)
        after_b = read_players(connection, "B", 1)

    assert [player.player_id for player in everybody] == ["A", "B", "C", "Z"]
    assert after_b == everybody[2:3]
    assert everybody[2].points == {"bi_ji": 1}


def test_the_trial_balance_adds_up(evening: CountingHouse) -> None:
    done(evening, deposit("A", 3))

    with evening.database.read() as connection:
        totals = {line.account: line for line in read_totals(connection)}
        found = read_account(connection, "player/B")

    assert sum(line.balance for line in totals.values()) == 0
    assert sum(line.debits for line in totals.values()) == sum(line.credits for line in totals.values())
    assert all(line.credits - line.debits == line.balance for line in totals.values())
    assert found is not None
    assert found[0].held == 9


@pytest.mark.parametrize("odd", ["O'Neil", "100%", "a_b", 'say "hi"', "\\", "🀄", "é", "-17", "a/b", "null"])
def test_filters_take_ids_as_they_are(house: CountingHouse, odd: str) -> None:
    done(house, open_table(odd), open_table(f"{odd}x"))
    done(house, three_pots(f"hand {odd}", "AB", odd), three_pots(f"hand {odd}x", "AB", f"{odd}x"))

    assert hand_ids(house, table_id=odd) == [f"hand {odd}"]
    assert [hand_id for hand_id, _ in entries(house, hand_id=f"hand {odd}")] == [f"hand {odd}"]
    assert [hand_id for hand_id, _ in entries(house, table_id=odd)] == [f"hand {odd}"]
