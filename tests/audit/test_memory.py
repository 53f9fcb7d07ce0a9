"""However long the log, an audit of it fits into the same memory."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.audit.long_log import make_long_log
from zhangfang.store.database import Database
from zhangfang.store.migrations.run import migrate

EVENTS = 100_000
GROWTH_MEGABYTES_MAX = 28
EXCHANGE_MEGABYTES_MAX = 48
ROOT = Path(__file__).parents[2]

# SQLite's own page caches are made small: by default they may take 64 MB a connection, which is bounded but would hide
# what is measured here.
PROGRAM = """
import sys
from zhangfang.audit import export, fold, importing, rebuild, rejudge, verify
from zhangfang.store import database, migrations
from zhangfang.store.migrations.run import migrate

small = "cache_size=-4096"
database.SQLITE_PRAGMAS = (*[each for each in database.SQLITE_PRAGMAS if "cache_size" not in each], small)
fold.SCRATCH_PRAGMAS = (*[each for each in fold.SCRATCH_PRAGMAS if "cache_size" not in each], small)

def peak():
    # Not getrusage: its ru_maxrss begins with the peak of the process that started this one.
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM:")) / 1024

def load(path):
    target = database.Database(f"sqlite:///{path}.imported")
    migrate(target)
    with open(f"{path}.jsonl", encoding="utf-8") as lines:
        yield from importing.import_log(target, lines)

def dump(path):
    with open(f"{path}.jsonl", "w", encoding="utf-8") as file:
        file.writelines(export.export_log(log))
    yield from load(path)

task, path = sys.argv[1:]
log = database.Database(f"sqlite:///{path}")
with log.read() as connection:
    connection.exec_driver_sql("SELECT 1")
tasks = {"verify": verify.verify, "rebuild": rebuild.rebuild, "rejudge": rejudge.rejudge}
before = peak()
for step in tasks[task](log) if task in tasks else dump(path):
    end = step
print(peak() - before, file=sys.stderr)
print(end)
"""


def make(path: Path, event_count: int) -> Path:
    database = Database(f"sqlite:///{path}")
    migrate(database)
    make_long_log(database, event_count)
    database.close()
    return path


@pytest.fixture(scope="module")
def long_log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make(tmp_path_factory.mktemp("long") / "long.db", EVENTS)


def grown_megabytes(task: str, path: Path, end: str) -> float:
    """How much memory a task took on top of what the program has; it must come to the end it should."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, task, path],
        cwd=ROOT / "service",
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    assert end in done.stdout
    return float(done.stderr)


@pytest.mark.parametrize(
    ("task", "end"),
    [
        pytest.param("verify", "discrepancies=()", id="verify"),
        pytest.param("rebuild", "discrepancies=()", id="rebuild"),
        pytest.param("rejudge", "different_count=0", id="rejudge"),
    ],
)
def test_an_audit_of_a_long_log_stays_in_flat_memory(long_log, task, end):
    assert long_log.stat().st_size > 90_000_000

    assert grown_megabytes(task, long_log, end) < GROWTH_MEGABYTES_MAX


def test_a_log_goes_out_and_comes_in_without_ever_being_whole_in_memory(tmp_path):
    path = make(tmp_path / "short.db", EVENTS // 4)

    assert grown_megabytes("export and import", path, ":") < EXCHANGE_MEGABYTES_MAX
    assert Path(f"{path}.jsonl").stat().st_size > EXCHANGE_MEGABYTES_MAX * 2**20
