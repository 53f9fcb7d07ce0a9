"""A log goes out as text and comes back the same, and nothing else comes in."""

import base64
import json
from collections.abc import Callable

import pytest
from google.protobuf import json_format
from sqlalchemy import delete, func, select

from tests.audit.evening import HUGE, WILD_IDS
from tests.audit.findings import ODD, found, stored_rows
from tests.audit.tampering import set_event, set_head, tamper, write_raw
from tests.audit.test_rebuild import contents
from zhangfang.audit.export import UnknownPositionError, export_log
from zhangfang.audit.findings import Progress, UnsoundLogError
from zhangfang.audit.importing import ImportRefusedError, import_log
from zhangfang.audit.receipts import Receipt, head
from zhangfang.store.chain import GENESIS, next_hash
from zhangfang.store.database import Database
from zhangfang.store.schema import PROJECTION_TABLES, events
from zhangfang.wire.v1 import events_pb2

Lines = list[dict[str, object]]

EVERYTHING = (events, *PROJECTION_TABLES)


def exported(database: Database, first_position: int = 1) -> Lines:
    return [json.loads(line) for line in export_log(database, first_position)]


def imported(database: Database, lines: list[str]) -> Receipt:
    *_, receipt = import_log(database, lines)
    assert isinstance(receipt, Receipt)
    return receipt


def written(lines: Lines) -> list[str]:
    return [json.dumps(line) for line in lines]


def is_empty(database: Database) -> bool:
    with database.read() as connection:
        counts = [select(func.count()).select_from(table) for table in EVERYTHING]
        return not any(connection.execute(count).scalar_one() for count in counts)


def test_a_log_exported_and_imported_is_the_same_log(played, database):
    receipt = imported(database, list(export_log(played)))

    assert receipt == head(played) == head(database)
    assert stored_rows(database) == stored_rows(played)
    assert contents(database) == contents(played)
    assert found(database).is_sound
    assert list(export_log(database)) == list(export_log(played))


def test_an_empty_log_can_be_exported_and_imported(database, tmp_path):
    lines = list(export_log(database))

    assert len(lines) == 1
    assert imported(database, lines) == Receipt(0, GENESIS)


def test_each_line_has_the_event_as_canonical_json_and_its_stored_bytes(played_sqlite):
    header, *lines = exported(played_sqlite)
    rows = stored_rows(played_sqlite)

    assert header == {
        "format": "zhangfang-log",
        "format_version": 1,
        "first_position": 1,
        "previous_hash": "00" * 32,
        "last_position": len(rows),
        "last_hash": rows[-1].hash.hex(),
    }
    for line, row in zip(lines, rows, strict=True):
        message = getattr(events_pb2, row.topic)
        assert base64.b64decode(line["stored_bytes"]) == row.body
        assert json_format.ParseDict(line["body"], message()) == message.FromString(row.body)
        assert (line["position"], line["stream"], line["hash"]) == (row.position, row.stream, row.hash.hex())


def test_large_amounts_and_ids_as_they_are_in_the_wild_come_through_unchanged(played_sqlite):
    lines = [line for line in exported(played_sqlite) if line.get("topic") == "SilverDeposited"]

    assert {line["body"]["amount"] for line in lines} >= {str(HUGE)}
    assert {line["body"]["playerId"] for line in lines} >= set(WILD_IDS)


def test_an_export_may_begin_anywhere_and_says_which_hash_it_goes_on_from(played):
    rows = stored_rows(played)

    for first in (1, 2, ODD, len(rows), len(rows) + 1):
        header, *lines = exported(played, first)
        assert header["first_position"] == first
        assert header["previous_hash"] == (rows[first - 2].hash if first > 1 else GENESIS).hex()
        assert [line["position"] for line in lines] == list(range(first, len(rows) + 1))


@pytest.mark.parametrize("first", [-1, 0, 10_000])
def test_an_export_cannot_begin_where_nothing_is(played_sqlite, first):
    with pytest.raises(UnknownPositionError, match=f"there is no position {first}"):
        list(export_log(played_sqlite, first))


def test_a_log_that_was_tampered_with_is_exported_as_it_lies_there(played_sqlite):
    tamper(played_sqlite, set_event(ODD, body=b"\xff"))

    assert exported(played_sqlite)[ODD]["body"] is None

    tamper(played_sqlite, write_raw("events", "stream", "x'00'", f"position = {ODD}"))
    with pytest.raises(UnsoundLogError, match="str is stored there"):
        list(export_log(played_sqlite))


def chained_again(lines: Lines) -> Lines:
    """Hashes that fit the lines, in lines and header."""
    last = GENESIS
    for line in lines[1:]:
        last = next_hash(
            last,
            line["position"],
            line["version"],
            line["recorded_at_us"],
            line["stream"],
            line["topic"],
            base64.b64decode(line["stored_bytes"]),
        )
        line["hash"] = last.hex()
    lines[0] |= {"last_position": lines[-1]["position"], "last_hash": last.hex()}
    return lines


def spoil(index: int, **values: object) -> Callable[[Lines], Lines]:
    def edit(lines: Lines) -> Lines:
        lines[index] |= values
        return lines

    return edit


def then_chained(edit: Callable[[Lines], Lines]) -> Callable[[Lines], Lines]:
    return lambda lines: chained_again(edit(lines))


def without(index: int) -> Callable[[Lines], Lines]:
    return lambda lines: lines[:index] + lines[index + 1 :]


def with_body(change: Callable[[events_pb2.SilverDeposited], object]) -> Callable[[Lines], Lines]:
    """The second event, a deposit, with another message, both as bytes and as JSON."""

    def edit(lines: Lines) -> Lines:
        message = events_pb2.SilverDeposited.FromString(base64.b64decode(lines[2]["stored_bytes"]))
        change(message)
        lines[2]["stored_bytes"] = base64.b64encode(message.SerializeToString()).decode()
        lines[2]["body"] = json_format.MessageToDict(message)
        return lines

    return edit


def raise_balance(message: events_pb2.SilverDeposited) -> None:
    message.postings[0].balance_after += 1


FAULTS = {
    "no header": (lambda lines: lines[1:], "line 1 is no header"),
    "nothing": (lambda lines: lines[:0], "line 1 is no JSON"),
    "other format": (spoil(0, format="x"), "line 1 is no header"),
    "newer format": (spoil(0, format_version=2), "format_version is 2; this version reads 1"),
    "part of a log": (spoil(0, first_position=2), "begins at position 2; only a whole log"),
    "bad hash in header": (spoil(0, last_hash="x"), "last_hash cannot be read"),
    "other end": (spoil(0, last_position=3), "its header promises 3:"),
    "truncated": (lambda lines: lines[:-1], "its header promises"),
    "line missing": (without(ODD), f"position {ODD}: position {ODD} is missing"),
    "line twice": (
        lambda lines: [*lines[:3], lines[2], *lines[3:]],
        "position 2: the event says position 2 where 3 is due",
    ),
    "hash": (spoil(ODD, hash="00" * 32), f"position {ODD}: the hash does not follow"),
    "short hash": (spoil(ODD, hash="0"), f"line {ODD + 1} is no exported event"),
    "stream": (spoil(ODD, stream="player/x"), f"position {ODD}: the hash does not follow"),
    "time": (spoil(ODD, recorded_at_us=5), f"position {ODD}: the hash does not follow"),
    "kind": (spoil(ODD, version="1"), f"line {ODD + 1}: version is '1'; int is stored there"),
    "truth for a number": (spoil(1, version=True), "line 2: version is True; int is stored there"),
    "too large": (spoil(ODD, position=2**63), f"line {ODD + 1}: position is {2**63}"),
    "body": (spoil(2, body={}), "line 3: the body says something else than the stored bytes"),
    "bytes": (spoil(2, stored_bytes="AAA"), "line 3 is no exported event"),
    "no bytes": (lambda lines: [*lines[:2], {"position": 2}, *lines[3:]], "line 3 is no exported event"),
    "a list": (lambda lines: [*lines[:2], [], *lines[3:]], "line 3 is no JSON object"),
    "stepped clock": (then_chained(spoil(2, recorded_at_us=1)), "position 2: recorded at 1 µs"),
    "version": (then_chained(spoil(ODD, version=9)), f"position {ODD}: version 9 of stream"),
    "balance": (then_chained(with_body(raise_balance)), "position 2: the balance of"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_what_is_not_a_whole_and_true_log_is_refused_and_nothing_stays(played_sqlite, database, name):
    edit, text = FAULTS[name]
    lines = written(edit(exported(played_sqlite)))

    with pytest.raises(ImportRefusedError) as raised:
        imported(database, lines)

    assert text in str(raised.value)
    assert is_empty(database)
    assert imported(database, list(export_log(played_sqlite))) == head(played_sqlite)


def test_a_broken_line_is_refused(played_sqlite, database):
    lines = list(export_log(played_sqlite))

    with pytest.raises(ImportRefusedError, match="line 5 is no JSON"):
        imported(database, [*lines[:4], lines[4][:-20], *lines[5:]])


def test_a_store_with_events_takes_no_import(played):
    lines = list(export_log(played))

    last = head(played).position

    with pytest.raises(ImportRefusedError, match=f"the store is not empty: its log ends at position {last}"):
        imported(played, lines)


def test_an_import_that_is_left_early_leaves_nothing_behind(played_sqlite, database):
    steps = import_log(database, list(export_log(played_sqlite)))
    assert isinstance(next(steps), Progress)
    steps.close()

    assert is_empty(database)


@pytest.mark.parametrize("batch_events", [1, 2, 3])
def test_batches_do_not_matter(played_sqlite, database, batch_events, monkeypatch):
    monkeypatch.setattr("zhangfang.audit.importing.BATCH_EVENTS", batch_events)

    imported(database, list(export_log(played_sqlite)))

    assert contents(database) == contents(played_sqlite)


def test_what_the_store_itself_does_not_take_is_refused(played_sqlite, played_postgresql):
    lines = exported(played_sqlite)[:2]
    message = events_pb2.PlayerRegistered.FromString(base64.b64decode(lines[1]["stored_bytes"]))
    message.player_id = "a\x00b"
    lines[1] |= {
        "stream": "player/a\x00b",
        "stored_bytes": base64.b64encode(message.SerializeToString()).decode(),
        "body": json_format.MessageToDict(message),
    }
    tamper(
        played_postgresql, *[lambda connection, table=table: connection.execute(delete(table)) for table in EVERYTHING]
    )
    tamper(played_postgresql, set_head(position=0, hash=GENESIS, recorded_at_us=0))

    with pytest.raises(ImportRefusedError, match="the store does not take it"):
        imported(played_postgresql, written(chained_again(lines)))

    assert is_empty(played_postgresql)
