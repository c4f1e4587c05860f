"""The harm that a handler does to a Spark worker is the failure of its own event; the job ends well."""

import subprocess
import sys
from dataclasses import replace

import pytest

from dlqconsole.pipeline.ingest.job import ingest

from .hostile import event

POISONS = {"crash": "HandlerDied", "exit": "HandlerDied", "leak": "HandlerOutOfMemory", "hang": "HandlerHung"}


@pytest.mark.spark
@pytest.mark.django_db(transaction=True)
def test_each_kills_its_worker_once_and_is_quarantined(spark, pipeline_settings, tmp_path, rows):
    settings = replace(pipeline_settings, handler_timeout=4, handler_memory=100 * 1024**2)
    (tmp_path / "source").mkdir()
    for poison in POISONS:
        healthy = [event(f"{poison}-{number}") for number in range(5)]
        lines = [*healthy[:2], event(poison, do=poison), *healthy[2:]]
        (tmp_path / "source" / f"{poison}.jsonl").write_bytes(b"\n".join(lines))
    assert ingest(settings, str(tmp_path / "source"), once=True) == 0
    dead = rows("SELECT source_key, error_class, status FROM dlq_events")
    assert {row["source_key"]: row["error_class"] for row in dead} == POISONS
    assert {row["status"] for row in dead} == {"QUARANTINED"}
    [run] = rows("SELECT * FROM pipeline_runs")
    assert (run["status"], run["total"], run["done"]) == ("completed", 24, 24)
    assert run["counts"]["enriched"] == 20


HELD = """
import sys, re
from dlqconsole.pipeline.sink.executors import Watchdog
with Watchdog(0.5) as watchdog:
    watchdog.began()
    __import__("time").sleep(1.5) if sys.argv[1] == "let go" else re.match("(a+)+b", "a" * 40)
"""


@pytest.mark.parametrize(("how", "status"), [("let go", 70), ("held", 1)])
def test_a_worker_ends_also_where_a_library_holds_the_interpreter(how, status):
    ended = subprocess.run(
        [sys.executable, "-c", HELD, how], capture_output=True, timeout=30, check=False, text=True
    )
    assert ended.returncode == status
    assert "most recent call first" in ended.stderr
