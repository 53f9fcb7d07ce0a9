"""The compose file and the Kubernetes manifests: valid by their schemas, and at one with the service.

No container is started here: what they say is checked, not what an engine makes of it.
"""

import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml

from tests.deploy.monitoring import DEPLOY, PROMETHEUS, read_yaml
from zhangfang.config import Settings

COMPOSE = DEPLOY / "compose.yaml"
KUBERNETES = DEPLOY / "kubernetes"
KUBERNETES_VERSION = "1.30"
PROCESSES = ("zhangfang-1", "zhangfang-2")

# Known to operators and to tools beside the cluster; the schemas hold what Kubernetes itself has.
OF_OPERATORS = ("ServiceMonitor", "Kustomization")

MANIFESTS = sorted(KUBERNETES.glob("*.yaml"))
DRAIN_SECONDS = Settings.model_fields["drain_seconds"].default


def objects() -> Iterator[tuple[Path, Mapping[str, Any]]]:
    """Every object of the manifests, with its file."""
    for path in MANIFESTS:
        for each in yaml.safe_load_all(path.read_text(encoding="utf-8")):
            yield path, each


OBJECTS = list(objects())


def of_kind(kind: str) -> Mapping[str, Any]:
    """The one object of a kind."""
    (found,) = [each for _, each in OBJECTS if each["kind"] == kind]
    return found


def pods() -> list[Mapping[str, Any]]:
    """What every workload runs."""
    job = of_kind("CronJob")["spec"]["jobTemplate"]
    return [each["spec"]["template"]["spec"] for each in (of_kind("Deployment"), of_kind("Job"), job)]


def test_the_compose_file_fits_the_schema_of_compose_files() -> None:
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec", COMPOSE]
    checked = subprocess.run(command, capture_output=True, text=True, check=False)

    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_the_compose_file_runs_two_processes_after_the_migration() -> None:
    services = read_yaml(COMPOSE)["services"]

    assert services["migrate"]["depends_on"] == {"postgres": {"condition": "service_healthy"}}
    for name in PROCESSES:
        assert services[name]["depends_on"] == {"migrate": {"condition": "service_completed_successfully"}}
        assert int(services[name]["stop_grace_period"].removesuffix("s")) > DRAIN_SECONDS


def test_prometheus_scrapes_the_processes_of_the_compose_file_on_their_metrics_port() -> None:
    (job,) = read_yaml(PROMETHEUS / "prometheus.yml")["scrape_configs"]
    port = Settings.model_fields["metrics_port"].default

    assert job["static_configs"][0]["targets"] == [f"{name}:{port}" for name in PROCESSES]
    assert job["job_name"] == "zhangfang"


def test_files_that_are_mounted_are_there() -> None:
    mounts = [mount for service in read_yaml(COMPOSE)["services"].values() for mount in service.get("volumes", ())]

    for mount in (mount for mount in mounts if mount.startswith("./")):
        assert (DEPLOY / mount.partition(":")[0]).exists(), mount


def test_the_example_environment_names_every_variable_that_must_be_set() -> None:
    text = COMPOSE.read_text(encoding="utf-8")
    example = (DEPLOY / "compose.env.example").read_text(encoding="utf-8")
    given = {line.partition("=")[0] for line in example.splitlines() if not line.startswith("#")}

    assert given == {part.partition(":")[0] for part in text.split("${")[1:]}


@pytest.mark.parametrize(("path", "manifest"), OBJECTS, ids=lambda value: getattr(value, "stem", ""))
def test_every_manifest_fits_the_schema_of_its_kind(path: Path, manifest: Mapping[str, Any]) -> None:
    if manifest["kind"] in OF_OPERATORS:
        assert set(manifest) >= {"apiVersion", "kind"}
        return
    kubernetes_validate.validate(dict(manifest), KUBERNETES_VERSION, strict=True)


def test_everything_that_is_applied_is_there_and_the_other_way_round() -> None:
    applied = of_kind("Kustomization")["resources"]

    assert {path.name for path in MANIFESTS} == {*applied, "kustomization.yaml", "secret.example.yaml"}


def test_settings_named_in_manifests_exist() -> None:
    known = {f"ZHANGFANG_{name.upper()}" for name in Settings.model_fields} | {"ZHANGFANG_TARGET"}
    named = {each["name"] for pod in pods() for container in pod["containers"] for each in container.get("env", ())}
    composed = {name for service in read_yaml(COMPOSE)["services"].values() for name in service.get("environment", ())}

    assert named <= known
    assert {name for name in composed if name.startswith("ZHANGFANG_")} <= known


def test_pods_do_not_run_as_root_and_write_nowhere_but_in_a_temporary_folder() -> None:
    for pod in pods():
        assert pod["securityContext"]["runAsNonRoot"]
        for container in pod["containers"]:
            assert container["securityContext"]["readOnlyRootFilesystem"]
            assert container["securityContext"]["allowPrivilegeEscalation"] is False
            assert container["resources"]["limits"]["memory"]


def test_probes_ask_the_health_service_and_draining_has_its_time() -> None:
    pod = of_kind("Deployment")["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    port = Settings.model_fields["port"].default
    drain = next(int(each["value"]) for each in container["env"] if each["name"] == "ZHANGFANG_DRAIN_SECONDS")

    for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
        assert container[probe]["grpc"] == {"port": port}
    assert drain < pod["terminationGracePeriodSeconds"]
    liveness = container["livenessProbe"]
    assert liveness["periodSeconds"] * liveness["failureThreshold"] > pod["terminationGracePeriodSeconds"]


def test_selectors_find_the_servers_and_the_monitor_finds_their_service() -> None:
    labels = of_kind("Deployment")["spec"]["template"]["metadata"]["labels"]

    assert of_kind("Service")["spec"]["selector"] == labels
    assert of_kind("PodDisruptionBudget")["spec"]["selector"]["matchLabels"] == labels
    monitor = of_kind("ServiceMonitor")["spec"]
    assert monitor["selector"]["matchLabels"] == of_kind("Service")["metadata"]["labels"]
    assert of_kind("Service")["metadata"]["labels"][monitor["jobLabel"]] == "zhangfang"
    assert monitor["endpoints"][0]["port"] in {port["name"] for port in of_kind("Service")["spec"]["ports"]}
