"""A long log made fast: hands of a thousand players, and deposits, in batches as the writer makes them."""

from dataclasses import replace
from typing import Any

from tests.audit.evening import Evening
from tests.samples import SAMPLES
from zhangfang.application import CountingHouse
from zhangfang.contract.games import CODECS
from zhangfang.contract.judging import WireScribe
from zhangfang.domain.commands import Command, Deposit, Judged, SettleHand
from zhangfang.store.database import Database

BATCH_COMMANDS = 500
PLAYERS = 999
HANDS_PER_BATCH = 200


def make_long_log(database: Database, event_count: int) -> None:
    """About ``event_count`` events, two of five of them hands with their whole transcript."""
    evening = Evening(database)
    sample = next(each for each in SAMPLES["ban_bian_tian_zha"] if each.id == "bb-g-008")
    trios = [sample.players(f"{number}-") for number in range(PLAYERS // 3)]
    for trio in trios:
        evening.fund(1_000_000_000, *trio)
    evening.open_table("t", sample)
    hands = [_judged(evening.settlement("", "t", sample, f"{number}-")) for number in range(len(trios))]
    house: CountingHouse = evening.house
    for batch in range(max(0, event_count - 2 * PLAYERS) // BATCH_COMMANDS):
        commands: list[Command] = []
        for index in range(BATCH_COMMANDS):
            request, number = evening.request(), batch * BATCH_COMMANDS + index
            if index < HANDS_PER_BATCH:
                commands.append(replace(hands[number % len(hands)], request=request, hand_id=f"h{number}"))
            else:
                trio = trios[number % len(trios)]
                commands.append(Deposit(request=request, player_id=trio[index % 3], amount=1))
        house.execute(commands)


def _judged(command: Any) -> SettleHand:
    """The command with its verdict, so that a hand played a thousand times is judged once."""
    game = CODECS[command.game].game
    rules = game.house_rules()
    verdict = game.judge(command.record, rules, 1, {})
    encoded = WireScribe().judgement(command.game, 1, rules, command.record, verdict)
    judged: SettleHand = replace(command, judged=Judged.of(verdict, 1, encoded))
    return judged
