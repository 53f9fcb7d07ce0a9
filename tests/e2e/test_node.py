"""A client in another language, made from the protos alone: JavaScript plays a hand and is understood."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from google.protobuf import json_format

from tests.samples import SAMPLES
from tests.serving import RunningServer

SOURCE = Path(__file__).parent / "node"
PROTOS = Path(__file__).parent.parent.parent / "protos"
SAMPLE = SAMPLES["bi_ji"][1]
LARGE = 2**53 + 1


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The client with its libraries; installs Node.js where that is possible."""
    if not shutil.which("npm") and os.geteuid() == 0 and shutil.which("apt-get"):
        for arguments in (["update"], ["install", "--yes", "--no-install-recommends", "nodejs", "npm"]):
            subprocess.run(["apt-get", *arguments], check=True, env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"})
    assert shutil.which("npm"), "this test needs Node.js and npm (Debian: apt-get install nodejs npm)"
    folder = tmp_path_factory.mktemp("node")
    shutil.copytree(SOURCE, folder, dirs_exist_ok=True)
    subprocess.run(["npm", "install", "--no-package-lock", "--no-audit", "--no-fund"], cwd=folder, check=True)
    return folder


def test_a_javascript_client_settles_a_hand_and_reads_every_amount_exactly(client: Path) -> None:
    record = json_format.MessageToDict(SAMPLE.record(), preserving_proto_field_name=True)
    (client / "record.json").write_text(json.dumps(record))

    with RunningServer() as server:
        command = ["node", "client.mjs", server.target, str(PROTOS), "record.json"]
        played = subprocess.run(command, cwd=client, check=False, capture_output=True, text=True, timeout=120)

    assert played.returncode == 0, played.stderr
    told = json.loads(played.stdout)
    net = {player: int(amount) for player, amount in told["net"].items()}
    scale = SAMPLE.stake // 10
    assert {player: amount * scale for player, amount in net.items()} == SAMPLE.net
    assert {player: int(silver) for player, silver in told["balances"].items()} == {
        player: LARGE + amount for player, amount in net.items()
    }
    assert all(text.isprintable() and not text.isascii() for text in told["text_zh"])
    assert (told["repeated"], told["repeated_position"], told["reused"]) == ("hand", True, "REQUEST_ID_REUSED")
    assert told["topics"] == ["PlayerRegistered", "SilverDeposited"] * len(net) + ["TableOpened", "HandSettled"]
    assert told["refused"] == {"code": 5, "details": "there is no hand 'nobody'", "has_status": True}
