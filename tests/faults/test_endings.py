"""How a process ends, under load: killed on the spot or asked to go; and what a second one meets."""

import threading

import grpc
from grpc_health.v1 import health_pb2

from tests.dealer import Dealer
from tests.faults.load import check_nothing_is_lost, prepare, pressing
from tests.processes import Process
from zhangfang.wire.v1 import audit_pb2 as audit

ACKNOWLEDGED = 150


def test_after_kill_9_under_load_every_acknowledged_hand_is_there(store: str) -> None:
    with Process(store) as process:
        with process.client() as client:
            load = prepare(client)
        for _ in range(2):
            wanted = len(load.acknowledged) + ACKNOWLEDGED
            with pressing(load, process.target):
                load.wait_for(wanted)
                process.kill()
            process.start()

        assert set(load.errors) <= {"UNAVAILABLE"}
        with process.client() as client:
            check_nothing_is_lost(load, client)
        assert "Traceback" not in process.output


def test_sigterm_under_load_drains_and_loses_nothing(store: str) -> None:
    with Process(store) as process:
        with process.client() as client:
            load = prepare(client)
        seen: list[int] = []
        with process.client() as watching, process.client() as following:
            watched = watching.health.Watch(health_pb2.HealthCheckRequest())
            follower = threading.Thread(target=_follow, args=(following, seen))
            follower.start()
            seen_health = [next(watched).status]
            with pressing(load, process.target):
                load.wait_for(ACKNOWLEDGED)
                process.terminate()
                seen_health += [each.status for each in watched]
            follower.join()
        code = process.wait()

        assert code == 0, process.output
        assert seen_health == [health_pb2.HealthCheckResponse.SERVING, health_pb2.HealthCheckResponse.NOT_SERVING]
        assert set(load.errors) <= {"UNAVAILABLE", "CANCELLED"}
        assert seen == list(range(1, len(seen) + 1))
        assert "Traceback" not in process.output
        process.start()
        with process.client() as client:
            check_nothing_is_lost(load, client)


def _follow(client: object, seen: list[int]) -> None:
    try:
        events = client.audit.StreamEvents(audit.StreamEventsRequest(follow=True))  # type: ignore[attr-defined]
        seen.extend(each.event.position for each in events)
    except grpc.RpcError as error:
        assert error.code() is grpc.StatusCode.UNAVAILABLE  # noqa: PT017


def test_sigterm_with_nothing_to_do_ends_at_once_though_streams_are_open(store: str) -> None:
    with Process(store, ZHANGFANG_DRAIN_SECONDS="600") as process, process.client() as client:
        Dealer(client).players(1)
        following = client.audit.StreamEvents(audit.StreamEventsRequest(follow=True))
        watched = client.health.Watch(health_pb2.HealthCheckRequest())
        go_on = threading.Event()
        settling = client.settlement.SettleHands(iter(go_on.wait, True))
        next(following)
        next(watched)

        process.terminate()
        code = process.wait()  # long before the drain's end

        assert code == 0, process.output
        go_on.set()
        assert settling.code() is grpc.StatusCode.UNAVAILABLE


def test_a_second_server_refuses_the_same_port_and_the_same_file(store: str, tmp_path: object) -> None:
    with Process(store) as first, first.client() as client:
        (player_id,) = Dealer(client).players(1)
        if store.startswith("sqlite"):
            code, said = Process(store).refused()
            assert code == 2
            assert "is in use by another zhangfang process" in said
        code, said = Process(f"sqlite:///{tmp_path}/other.db", port=first.port).refused()
        assert code == 2
        assert f"port {first.port} on 127.0.0.1 is taken" in said

        assert Dealer(client).balance(player_id) == 0
