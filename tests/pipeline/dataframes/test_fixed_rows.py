"""A job that is killed with fixed rows in its hands: none is lost, none is settled twice."""

import json
import os
import signal
import subprocess
import sys

import pytest

from tests.pipeline.conftest import database_url_as_url
from tests.pipeline.dataframes.fixing_job import job_of
from tests.sizes import SOAK
from tests.starting import Popen

pytestmark = [pytest.mark.sized, pytest.mark.django_db(transaction=True)]

ROWS, FAILING = 40, 8
STEPS = ("claimed", "written", "failed")


@pytest.fixture
def revived(rows):
    """Rows that people have mended and sent back to the job ``prices``."""
    rows(
        "SELECT dead_letter_report('prices', jsonb_build_object('id', n, 'price', 1), 'RuleFailed: price',"
        " queue => 'prices', source => 'spark:prices', source_key => n::text, error_category => 'BUSINESS')"
        f" FROM generate_series(1, {ROWS}) AS n"
    )
    rows("SELECT dead_letter_revive(id) FROM dlq_events ORDER BY id")
    return [row["id"] for row in rows("SELECT id FROM message_queue ORDER BY id")]


@pytest.fixture
def job(database_url, tmp_path):
    """job() starts it; step(process) hears its next word."""
    started = []
    line = [sys.executable, "-m", "tests.pipeline.dataframes.fixing", database_url_as_url(database_url)]

    def start():
        arguments = [*line, str(tmp_path / "written"), str(FAILING)]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        started.append(Popen(arguments, env=dict(os.environ), **pipes))
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.wait()


def until(process, word: str) -> str:
    """Let it go on to a word."""
    while not (said := process.stdout.readline().strip()).startswith(word):
        assert said, f"it ended before it said {word}"
        go_on(process)
    return said


def go_on(process) -> None:
    process.stdin.write("\n")
    process.stdin.flush()


def let_leases_run_out(rows) -> None:
    rows("UPDATE message_queue SET lease_until = now() - interval '1 s' WHERE lease_until IS NOT NULL")


def settled_once(rows, ids) -> None:
    """Each row has left the queue, and its dead letter has had one attempt more."""
    bad = sum(number % FAILING == 0 for number in ids)
    assert rows("SELECT * FROM message_queue") == []
    counted = "SELECT status, occurrences, count(*) AS n FROM dlq_events GROUP BY 1, 2 ORDER BY 1"
    assert rows(counted) == [
        {"status": "PENDING", "occurrences": 2, "n": bad},
        {"status": "SUCCEEDED", "occurrences": 1, "n": ROWS - bad},
    ]
    tries = "SELECT count(*) AS n FROM dlq_attempts WHERE kind = 'revive' GROUP BY dlq_event_id"
    assert [row["n"] for row in rows(tries)] == [1] * ROWS


def test_killed_after_any_step_each_row_is_settled_once(job, revived, rows, tmp_path):
    """It writes again what it has written: at least once, and what the queue knows exactly once."""
    for step in STEPS:
        process = job()
        until(process, step)
        process.send_signal(signal.SIGKILL)
        process.wait()
        let_leases_run_out(rows)
    last = job()
    assert until(last, "settled") == f"settled {sum(number % FAILING != 0 for number in revived)}"
    settled_once(rows, revived)
    written = (tmp_path / "written").read_text().split()
    assert set(map(int, written)) == set(revived)
    assert len(written) > len(revived)


def test_who_woke_up_too_late_settles_nothing(job, revived, rows):
    """Its rows are another's by then, whether that one is done or still at it."""
    slow = job()
    until(slow, "written")
    slow.send_signal(signal.SIGSTOP)
    let_leases_run_out(rows)
    other = job()
    until(other, "written")
    slow.send_signal(signal.SIGCONT)
    go_on(slow)
    assert until(slow, "settled") == "settled 0"
    go_on(other)
    until(other, "settled")
    settled_once(rows, revived)


def drivers_of_spark_are_killed(revived, rows, database_url, tmp_path):
    """The same with sessions of Spark, by the calls that docs/pipeline.md shows."""
    for step in ("read", "expected", "written", ""):
        process = job_of(database_url_as_url(database_url), tmp_path)
        for word in process.stdout:
            if word.strip() == step:
                process.kill()
        assert process.wait(300) == (-signal.SIGKILL if step else 0)
        if step:
            let_leases_run_out(rows)
    assert rows("SELECT * FROM message_queue") == []
    ended = rows("SELECT status, count(*) AS n FROM dlq_events GROUP BY 1 ORDER BY 1")
    bad = ROWS // FAILING
    assert ended == [{"status": "PENDING", "n": bad}, {"status": "SUCCEEDED", "n": ROWS - bad}]
    written = [
        json.loads(line)["id"] for file in (tmp_path / "good").glob("**/*.json") for line in file.open()
    ]
    assert set(written) == {number for number in range(1, ROWS + 1) if number % FAILING}


if SOAK:
    test_drivers_of_spark_are_killed = pytest.mark.spark(drivers_of_spark_are_killed)
