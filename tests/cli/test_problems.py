"""How refusals and requests are read where no server is needed to show it."""

import grpc
import pytest
import typer
from google.protobuf.timestamp_pb2 import Timestamp

from zhangfang.cli.connection import actor_metadata
from zhangfang.cli.printing import cards, moment
from zhangfang.cli.problems import CommandError, ExitCode, fault_lines, reported
from zhangfang.cli.requests import digest_id
from zhangfang.wire.v1.settlement_pb2 import Fault, Faults, SettleHandRequest


@pytest.mark.parametrize(
    ("fault", "line"),
    [
        pytest.param(Fault(rule="CM-2", text="off"), "CM-2: off", id="nowhere"),
        pytest.param(
            Fault(rule="BB-7", text="late", player_id="A", section="plays", action=0),
            "BB-7 [player A, plays, action 0]: late",
            id="first action",
        ),
        pytest.param(Fault(rule="BJ-2", text="low", player_id="A", pot=2), "BJ-2 [player A, pot 2]: low", id="pot"),
        pytest.param(Fault(rule="JD-2", text="cap", bet=0), "JD-2 [bet 0]: cap", id="bet"),
        pytest.param(
            Fault(rule="JD-1", text="two", hand="tian", card="5s"), "JD-1 [hand tian, card 5s]: two", id="card"
        ),
        pytest.param(Fault(rule="CM-6", text="self", obligation=1), "CM-6 [obligation 1]: self", id="obligation"),
        pytest.param(Fault(rule="CM-1", text="big", event=0), "CM-1 [event 0]: big", id="event"),
        pytest.param(Fault(rule="CM-4", text="odd", field="kai_da_factor"), "CM-4 [kai_da_factor]: odd", id="field"),
    ],
)
def test_a_fault_is_told_with_rule_and_place(fault: Fault, line: str) -> None:
    assert list(fault_lines(Faults(faults=[fault], total=1))) == [line]


def test_faults_that_did_not_fit_are_counted() -> None:
    faults = Faults(faults=[Fault(rule="BB-1", text="x")], total=1000)

    assert list(fault_lines(faults))[-1] == "… and 999 more"


@pytest.mark.parametrize(
    ("actor", "metadata"),
    [
        pytest.param("", (), id="nobody"),
        pytest.param("till 7", (("x-zhangfang-actor", "till 7"),), id="ASCII"),
        pytest.param("張三", (("x-zhangfang-actor-bin", "張三".encode()),), id="Chinese"),
        pytest.param(" padded ", (("x-zhangfang-actor-bin", b" padded "),), id="spaces that HTTP would strip"),
        pytest.param("a\nb", (("x-zhangfang-actor-bin", b"a\nb"),), id="what the service refuses"),
    ],
)
def test_an_actor_of_any_script_fits_the_metadata(actor: str, metadata: object) -> None:
    assert actor_metadata(actor) == metadata


def test_the_same_content_gets_the_same_request_id() -> None:
    one, same, other = (SettleHandRequest(hand_id=each) for each in ("a", "a", "b"))

    assert digest_id(one, "settle") == digest_id(same, "settle") != digest_id(other, "settle")
    assert len(digest_id(one, "settle")) <= 64


def test_cards_are_shown_as_they_lie_and_what_is_none_as_it_was_written() -> None:
    assert str(cards("5s Th Ac Kd w W xx ?")) == "♠5 ♥10 ♣A ♦K 小王 大王 xx ?"


def test_a_time_that_is_not_set_is_shown_as_nothing() -> None:
    assert moment(Timestamp()) == ""


def test_an_error_ends_the_command_with_its_code() -> None:
    with pytest.raises(typer.Exit) as left, reported():
        raise CommandError(ExitCode.UNREACHABLE, "GONE", "nobody there", ("a detail",))

    assert left.value.exit_code == 3


def test_a_call_that_is_none_of_ours_is_told_by_its_status(capsys: pytest.CaptureFixture[str]) -> None:
    class Failed(grpc.RpcError):
        def code(self) -> grpc.StatusCode:
            return grpc.StatusCode.UNIMPLEMENTED

        def details(self) -> str:
            return "Method not found!"

        def trailing_metadata(self) -> tuple[()]:
            return ()

    with pytest.raises(typer.Exit) as left, reported():
        raise Failed

    assert left.value.exit_code == 1
    assert capsys.readouterr().err == "UNIMPLEMENTED: Method not found!\n"
