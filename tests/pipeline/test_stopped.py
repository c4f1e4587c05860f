"""A signal to the whole process group, and a Java process that is killed: one line, and so says the run."""

import os
import signal
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest

from tests.waiting import as_soon_as

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.spark]

REPORTS = "tests.pipeline.slow_reports"


def children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def is_starting_java(pid: int) -> bool:
    """Tell whether Spark's own Java runs, not one that is only asked for its version."""
    for child in children(pid):
        with suppress(FileNotFoundError):
            if b"org.apache.spark.deploy.SparkSubmit" in Path(f"/proc/{child}/cmdline").read_bytes():
                return True
    return False


@pytest.fixture
def slow(command, tmp_path):
    """The command in the middle of its job."""
    began = tmp_path / "began"
    process = command(
        "report", "--name", "slow", DLQ_REPORTS=REPORTS, SLOW_REPORT_BEGAN=str(began), SPARK_MASTER="local[1]"
    )
    as_soon_as(lambda: began.exists() or process.poll() is not None, seconds=120)
    return process


def ended(process: subprocess.Popen, rows) -> tuple[int, list[str], str]:
    """Status, lines on stderr, and what the run says."""
    _out, said = process.communicate(timeout=60)
    [run] = rows("SELECT status, message FROM pipeline_runs")
    assert run["status"] == "failed", said
    return process.returncode, said.splitlines(), run["message"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_to_the_group_stops_it_in_one_line(slow, rows, number):
    os.killpg(slow.pid, number)
    assert ended(slow, rows) == (130, ["report: stopped"], "stopped")


def test_a_signal_to_the_group_while_spark_starts_is_a_stop(command, rows):
    process = command("report", "--name", "slow", DLQ_REPORTS=REPORTS, SPARK_MASTER="local[1]")
    as_soon_as(lambda: is_starting_java(process.pid), seconds=60)
    os.killpg(process.pid, signal.SIGTERM)
    assert ended(process, rows) == (130, ["report: stopped"], "stopped")


def test_a_java_process_that_is_killed_is_the_reason(slow, rows, tmp_path):
    [java] = children(slow.pid)
    os.kill(java, signal.SIGKILL)
    status, lines, message = ended(slow, rows)
    assert message == (
        "Spark's Java process ended in the middle of the job, killed by signal 9, probably because the"
        " machine had no memory left (lower SPARK_DRIVER_MEMORY, or give it more);"
        f" its log is {tmp_path}/data/logs/spark-report.log"
    )
    assert (status, lines) == (1, [f"report: {message}"])
