"""Who plays in a measurement: players with plenty of silver, their tables, and requests without end.

A request is bytes from the start: its ids are put before a body that was encoded once, because the fields of a
protobuf message may be concatenated. So the load costs its client as little as it can.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

from google.protobuf.message import Message

from zhangfang.application import Answer, CountingHouse
from zhangfang.bench.hands import PLAYER_COUNTS, make_hands, player_names
from zhangfang.contract.games import CODECS
from zhangfang.contract.judging import write_judgement
from zhangfang.domain.commands import Command, Deposit, Judged, OpenTable, RegisterPlayer, Request, SettleHand
from zhangfang.errors import Refusal
from zhangfang.rules.games import GAMES
from zhangfang.rules.levels import StakeMode
from zhangfang.rules.payment import MoneyRules
from zhangfang.store.database import Database
from zhangfang.store.migrations.run import migrate
from zhangfang.wire.v1.settlement_pb2 import BatchSettleHandsRequest, HandRecord, SettleHandRequest, SettleHandsRequest

PLENTY = 1 << 40
STAKE = 1
HANDS = 256
TABLES = 16
BATCH = 512
GAME = "ban_bian_tian_zha"
"""The game whose hands make the load: the longest transcripts."""


@dataclass(frozen=True, slots=True)
class Cast:
    """The hands of one seed, each with its own players, spread over a few tables."""

    hands: Sequence[Any]

    @classmethod
    def of_seed(cls, seed: int) -> "Cast":
        """The same cast every time."""
        return cls(make_hands(GAME, seed, HANDS))

    def settle_bodies(self) -> list[bytes]:
        """SettleHandRequests without ids."""
        return [
            SettleHandRequest(table_id=table_name(index), record=record_of(GAME, hand)).SerializeToString()
            for index, hand in enumerate(self.hands)
        ]

    def commands(self, prefix: str) -> Iterator[SettleHand]:
        """Commands to settle, without end, judged already, as the writer gets them."""
        rules = GAMES[GAME].house_rules()
        judged = []
        for hand in self.hands:
            verdict: Any = GAMES[GAME].judge(hand, rules, STAKE, {})
            message = write_judgement(GAME, STAKE, rules, hand, verdict)
            judged.append(Judged.of(verdict, STAKE, message.SerializeToString(deterministic=True)))
        for number in count():
            index = number % len(self.hands)
            yield SettleHand(
                request=Request(f"{prefix}-{number}", number.to_bytes(16)),
                hand_id=f"{prefix}-{number}",
                table_id=table_name(index),
                game=GAME,
                players=self.hands[index].players,
                record=self.hands[index],
                judged=judged[index],
            )


def record_of(game: str, hand: Any) -> HandRecord:
    """A hand as the wire has it."""
    part: dict[str, Any] = {game: CODECS[game].write_hand(hand)}
    return HandRecord(**part)


def table_name(index: int) -> str:
    """The table at which the hand with this index is played."""
    return f"t-{index % TABLES}"


def with_ids(body: bytes, name: str) -> bytes:
    """A SettleHandRequest that was encoded without ids, with both its ids set to a name of fewer than 128 bytes."""
    text = name.encode()
    size = len(text).to_bytes(1)
    return b"".join((_REQUEST_ID, size, text, _HAND_ID, size, text, body))


def in_stream(request: bytes) -> bytes:
    """A SettleHandsRequest around an encoded SettleHandRequest."""
    return _around(_SETTLE_HAND, request)


def in_batch(request: bytes) -> bytes:
    """One hand's part of a BatchSettleHandsRequest around an encoded SettleHandRequest."""
    return _around(_HANDS, request)


def _around(tag: bytes, request: bytes) -> bytes:
    size, length = len(request), bytearray()
    while size > 0x7F:
        length.append(size & 0x7F | 0x80)
        size >>= 7
    return b"".join((tag, bytes((*length, size)), request))


def _tag(kind: type[Message], field: str) -> bytes:
    return (kind.DESCRIPTOR.fields_by_name[field].number << 3 | 2).to_bytes(1)


_REQUEST_ID, _HAND_ID = _tag(SettleHandRequest, "request_id"), _tag(SettleHandRequest, "hand_id")
_SETTLE_HAND = _tag(SettleHandsRequest, "settle_hand")
_HANDS = _tag(BatchSettleHandsRequest, "hands")


def furnish(url: str) -> None:
    """Makes the schema of a database, registers and funds all players, opens the tables."""
    database = Database(url)
    try:
        migrate(database)
        house = CountingHouse(database)
        commands = list(_furniture())
        for start in range(0, len(commands), BATCH):
            execute(house, commands[start : start + BATCH])
    finally:
        database.close()


def execute(house: CountingHouse, commands: Sequence[Command]) -> list[Answer]:
    """Decides commands that cannot be refused.

    Raises:
        Refusal: if one is all the same.
    """
    answers = []
    for answer in house.execute(commands):
        if isinstance(answer, Refusal):
            raise answer
        answers.append(answer)
    return answers


def _furniture() -> Iterator[Command]:
    numbers = count()

    def request() -> Request:
        number = next(numbers)
        return Request(f"furnish-{number}", number.to_bytes(16))

    for index in range(HANDS):
        for player_id in player_names(index, PLAYER_COUNTS[GAME]):
            yield RegisterPlayer(request=request(), player_id=player_id)
            yield Deposit(request=request(), player_id=player_id, amount=PLENTY)
    for index in range(TABLES):
        yield OpenTable(
            request=request(),
            table_id=table_name(index),
            game=GAME,
            house_rules=GAMES[GAME].house_rules(),
            stake_mode=StakeMode.FIXED,
            stake=STAKE,
            money_rules=MoneyRules(),
        )
