"""Reading the log again: decoding it, rebuilding every projection from it, verifying it.

Beside them the library's own JSON events of the same hands, read and decoded as the library does.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from eventsourcing.application import Application
from google.protobuf.json_format import MessageToDict

from zhangfang.audit.rebuild import rebuild
from zhangfang.audit.verify import Finding, verify
from zhangfang.bench.cast import GAME, STAKE, Cast
from zhangfang.bench.figures import spent
from zhangfang.bench.filling import fill, last_position
from zhangfang.bench.naive import Settled, can_use, environment
from zhangfang.bench.plan import Plan
from zhangfang.contract.events import TRANSLATIONS, decode_event
from zhangfang.contract.judging import write_judgement
from zhangfang.rules.games import GAMES
from zhangfang.store.chain import GENESIS, next_hash
from zhangfang.store.database import Database
from zhangfang.store.log import read_batches

PAGE = 1000
SAVED = 50
"""Events the library saves at once: its pipeline to PostgreSQL can wait for ever with a megabyte on its way."""
JSON_SHARE = 10
"""The library's log has one tenth of the events: writing them takes long."""


@dataclass(frozen=True, slots=True)
class Logs:
    """The house's log and the library's, both filled."""

    database: Database
    library: Application[UUID] | None
    event_count: int
    json_count: int


def measure(plan: Plan) -> None:
    """Events a second as ``replay.<store>.<what>.rate``."""
    for store in plan.stores:
        plan.tell(f"filling logs on {store}")
        with _filled(plan, store) as logs:
            for _ in range(plan.effort.rounds):
                for what, work in (("decode", decode_all), ("chain", walk_chain), ("verify", verify_all)):
                    plan.tell(f"{what} on {store}")
                    took = spent(lambda work=work: work(logs.database))  # type: ignore[misc]
                    plan.figures.add(f"replay.{store}.{what}.rate", "events/s", logs.event_count / took.wall_seconds)
                plan.tell(f"rebuild on {store}")
                took = spent(lambda: list(rebuild(logs.database)))
                plan.figures.add(f"replay.{store}.rebuild.rate", "events/s", logs.event_count / took.wall_seconds)
                if library := logs.library:
                    plan.tell(f"the library's JSON on {store}")
                    took = spent(lambda library=library: read_json(library, logs.json_count))  # type: ignore[misc]
                    plan.figures.add(f"replay.{store}.json.rate", "events/s", logs.json_count / took.wall_seconds)


def decode_all(database: Database) -> None:
    """Reads and decodes every event."""
    with database.read() as connection:
        for rows in read_batches(connection):
            for row in rows:
                place = {
                    "originator_id": row.stream,
                    "originator_version": row.version,
                    "position": row.position,
                    "recorded_at_us": row.recorded_at_us,
                }
                decode_event(row.topic, row.body, place)


def walk_chain(database: Database) -> None:
    """Reads every event, follows the hash chain and adds up every account: what proves that no silver was changed."""
    last = GENESIS
    balances: dict[str, int] = {}
    with database.read() as connection:
        for rows in read_batches(connection):
            for position, stream, version, topic, recorded_at_us, body, stored_hash in rows:
                last = next_hash(last, position, version, recorded_at_us, stream, topic, body)
                if last != stored_hash:
                    raise AssertionError(f"the chain breaks at {position}")
                message: Any = TRANSLATIONS[topic].message.FromString(body)
                total = 0
                for posted in getattr(message, "postings", ()):
                    account, amount = posted.account, posted.amount
                    total += amount
                    balance = balances[account] = balances.get(account, 0) + amount
                    if balance != posted.balance_after:
                        raise AssertionError(f"{account} does not add up at {position}")
                if total:
                    raise AssertionError(f"the postings at {position} do not sum to zero")


def verify_all(database: Database) -> None:
    """The whole verification: chain, every event, every projection."""
    finding = list(verify(database))[-1]
    if not (isinstance(finding, Finding) and finding.is_sound):
        raise AssertionError(f"the log is not sound: {finding}")


def read_json(library: Application[UUID], count: int) -> None:
    """Reads and decodes the library's events, a page at a time."""
    for start in range(1, count + 1, PAGE):
        for notification in library.recorder.select_notifications(start, PAGE):
            library.mapper.to_domain_event(notification)


@contextmanager
def _filled(plan: Plan, store: str) -> Iterator[Logs]:
    database = fill(plan.new_database(store, "replay"), plan.seed, plan.effort.log_events)
    try:
        json_count = max(PAGE, plan.effort.log_events // JSON_SHARE)
        library = None
        if can_use(store):
            library = Application[UUID](env=environment(plan.new_database(store, "replay-json")))
            _save_json(plan.seed, library, json_count)
        yield Logs(database, library, last_position(database), json_count)
        if library:
            library.close()
    finally:
        database.close()


def _save_json(seed: int, library: Application[UUID], count: int) -> None:
    rules = GAMES[GAME].house_rules()
    hands = []
    for hand in Cast.of_seed(seed).hands:
        verdict: Any = GAMES[GAME].judge(hand, rules, STAKE, {})
        hands.append(MessageToDict(write_judgement(GAME, STAKE, rules, hand, verdict)))
    for start in range(0, count, SAVED):
        page = range(start, min(start + SAVED, count))
        library.save(*[Settled(f"h-{number}", hands[number % len(hands)], {"p": 1}) for number in page])
