"""The judges of a server: they answer in bundles, are missed when they die, and end with their server."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
import uvloop

from tests.judges.test_ruling import question, ruled
from tests.samples import SIMPLE
from zhangfang.judges import pool, process
from zhangfang.judges.pool import BUNDLE_HANDS_MAX, Judge, Judges

SAMPLE = SIMPLE["bi_ji"]
MANY = 10 * BUNDLE_HANDS_MAX


def with_judges(count: int, work: Callable[[Judges], Awaitable[None]]) -> None:
    """Does some work with so many judges, all alive."""

    async def run() -> None:
        judges = Judges(count)
        judges.start()
        try:
            await alive(judges, count)
            await work(judges)
        finally:
            await judges.close()
        assert judges.alive_count == 0

    uvloop.run(run())


async def alive(judges: Judges, count: int) -> None:
    """Waits until so many judges can be asked."""
    while judges.alive_count != count:
        await asyncio.to_thread(os.sched_yield)


def pids(judges: Judges) -> list[int]:
    return [judge._process.pid for judge in judges._judges if judge._process]


def test_every_hand_gets_its_own_ruling() -> None:
    samples = [SIMPLE[game] for game in ("bi_ji", "er_ren_dou_di_zhu", "ban_bian_tian_zha")]

    async def work(judges: Judges) -> None:
        rulings = await asyncio.gather(*[judges.ask(question(samples[each % 3])) for each in range(MANY)])
        encoded = [ruled(sample).judged.encoded for sample in samples]
        assert [each and each.judged.encoded for each in rulings] == [encoded[each % 3] for each in range(MANY)]

    with_judges(2, work)


def test_a_faulty_hand_among_others_is_the_askers_to_judge() -> None:
    async def work(judges: Judges) -> None:
        asked = [
            judges.ask(question(SAMPLE, record=b"" if each == 3 else SAMPLE.record().SerializeToString()))
            for each in range(6)
        ]
        rulings = await asyncio.gather(*asked)
        assert [each is None for each in rulings] == [False, False, False, True, False, False]

    with_judges(1, work)


def test_without_judges_every_hand_is_the_askers_to_judge() -> None:
    async def work(judges: Judges) -> None:
        assert await judges.ask(question(SAMPLE)) is None

    with_judges(0, work)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP], ids=["killed", "stopped"])
def test_what_a_judge_who_dies_was_asked_is_the_askers_to_judge_and_another_takes_his_place(
    number: signal.Signals, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "PATIENCE_SECONDS", 1)
    monkeypatch.setattr(pool, "RESPAWN_SECONDS", 0)

    async def work(judges: Judges) -> None:
        [before] = pids(judges)
        os.kill(before, signal.SIGSTOP)
        asked = [judges.ask(question(SAMPLE)) for _ in range(MANY)]
        os.kill(before, number)

        assert await asyncio.gather(*asked) == [None] * MANY
        await alive(judges, 1)
        [after] = pids(judges)
        assert after != before
        assert await judges.ask(question(SAMPLE))

    with_judges(1, work)


def test_who_no_longer_waits_gets_nothing_and_the_others_get_theirs() -> None:
    async def work(judges: Judges) -> None:
        asked = [judges.ask(question(SAMPLE)) for _ in range(4)]
        asked[1].cancel()
        rulings = await asyncio.gather(*asked, return_exceptions=True)
        assert [bool(each) and not isinstance(each, BaseException) for each in rulings] == [True, False, True, True]

    with_judges(1, work)


@pytest.mark.parametrize("limit", ["WAITING_HANDS_MAX", "WAITING_BYTES_MAX"])
def test_hands_for_which_there_is_no_room_are_the_askers_to_judge_at_once(
    limit: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = question(SAMPLE)
    monkeypatch.setattr(pool, limit, 3 if limit == "WAITING_HANDS_MAX" else 3 * len(asked.record))

    async def work(judges: Judges) -> None:
        os.kill(*pids(judges), signal.SIGSTOP)
        taken = [judges.ask(asked) for _ in range(3)]
        assert await judges.ask(asked) is None
        os.kill(*pids(judges), signal.SIGCONT)
        assert all(await asyncio.gather(*taken))
        assert await judges.ask(asked), "there is room again"

    with_judges(1, work)


def test_a_judge_who_runs_other_code_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    refused: list[str] = []
    monkeypatch.setattr(process, "CODE", b"other")
    monkeypatch.setattr(Judge, "_give_up", lambda _judge, why: refused.append(why))

    async def run() -> None:
        judges = Judges(1)
        judges.start()
        while not refused:
            await asyncio.to_thread(os.sched_yield)
        assert judges.alive_count == 0
        assert await judges.ask(question(SAMPLE)) is None
        await judges.close()

    uvloop.run(run())
    assert "other code" in refused[0]


def test_who_dies_again_and_again_is_replaced_ever_more_seldom_until_he_is_of_use(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pool, "RESPAWN_SECONDS", 0.001)

    async def work(judges: Judges) -> None:
        [judge] = judges._judges
        for delay in (0.002, 0.004):
            os.kill(*pids(judges), signal.SIGKILL)
            await alive(judges, 0)
            await alive(judges, 1)
            assert judge._delay == delay
        assert await judges.ask(question(SAMPLE))
        assert judge._delay == pool.RESPAWN_SECONDS

    with_judges(1, work)


def test_what_is_asked_when_the_server_ends_is_the_askers_to_judge() -> None:
    async def run() -> None:
        judges = Judges(1)
        judges.start()
        await alive(judges, 1)
        os.kill(*pids(judges), signal.SIGSTOP)
        asked = [judges.ask(question(SAMPLE)) for _ in range(MANY)]
        await judges.close()
        assert await asyncio.gather(*asked) == [None] * MANY

    uvloop.run(run())


KILLED_SERVER = """
import asyncio, os
from zhangfang.judges.pool import Judges

async def run():
    judges = Judges(2)
    judges.start()
    while judges.alive_count < 2:
        await asyncio.to_thread(os.sched_yield)
    print("judges", *[judge._process.pid for judge in judges._judges], flush=True)
    await asyncio.Event().wait()

asyncio.run(run())
"""


def test_judges_end_with_a_server_that_is_killed() -> None:
    with subprocess.Popen([sys.executable, "-c", KILLED_SERVER], stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout
        try:
            line = next(line for line in server.stdout if line.startswith("judges "))
        finally:
            server.kill()
        judges = [int(pid) for pid in line.split()[1:]]

    assert len(judges) == 2
    while any(is_running(pid) for pid in judges):
        pass


def is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def test_a_judge_does_not_take_code_from_where_the_server_was_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "google.py").write_text("raise SystemExit('not this one')")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(map(os.path.abspath, sys.path)))
    monkeypatch.chdir(tmp_path)

    async def work(judges: Judges) -> None:
        assert await judges.ask(question(SAMPLE))

    with_judges(1, work)


def test_signals_to_the_whole_group_are_the_servers_to_act_on() -> None:
    async def work(judges: Judges) -> None:
        for number in (signal.SIGINT, signal.SIGTERM):
            os.kill(*pids(judges), number)
        assert await judges.ask(question(SAMPLE))

    with_judges(1, work)
