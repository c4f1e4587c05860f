"""What compose.yaml starts, and what each part of it may."""

import re

import pytest
import yaml

from dlqconsole.configuration.settings import NOT_THE_PIPELINES
from tests.image.dockerfile import CHECKOUT, stages

# Spark unpacks and spills in /tmp
SPARK = {"runs", "pipeline"}


@pytest.fixture(scope="module")
def services():
    return yaml.safe_load((CHECKOUT / "compose.yaml").read_text())["services"]


def test_compose_names_targets_that_there_are(services):
    built = {name: each["build"]["target"] for name, each in services.items() if "build" in each}
    assert set(built.values()) == {"console", "spark"} <= stages().keys()
    assert {name for name, target in built.items() if target == "spark"} == SPARK
    for name, target in built.items():
        assert services[name]["image"] == {"console": "dlqconsole", "spark": "dlqconsole-spark"}[target]


def test_compose_gives_keys_only_to_who_reads_them(services):
    assert NOT_THE_PIPELINES.isdisjoint(services["pipeline"]["environment"])
    with_key = {name for name, each in services.items() if "SECRET_KEY" in each.get("environment", {})}
    # Django's settings want it
    assert with_key == {"migrate", "web", "worker", "ticks", "runs", "beat", "consumer"}


def test_what_we_built_runs_with_no_right_of_roots(services):
    for name, each in services.items():
        if "build" in each:
            assert (each["cap_drop"], each["security_opt"]) == (["ALL"], ["no-new-privileges:true"]), name


def test_what_we_built_is_written_to_in_memory_and_volumes_alone(services):
    ours = {name: each for name, each in services.items() if "build" in each}
    assert {name for name, each in ours.items() if each.get("read_only")} == ours.keys() - SPARK
    for name in ours.keys() - SPARK:
        (place,) = ours[name]["tmpfs"]
        assert re.fullmatch(r"/tmp:size=\d+m,mode=1777", place), name
    # what they are told to write
    assert "/tmp/beat-schedule" in services["beat"]["command"]
