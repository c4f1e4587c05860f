"""A run's heart beats from its first row to its last; who was only silent takes its row back."""

import os
import threading
from pathlib import Path

import psycopg
import pytest

from dlqconsole.core.sql import sql
from dlqconsole.pipeline.errors import RunIsOver
from dlqconsole.pipeline.reports.days import ReportPlan, announce
from dlqconsole.pipeline.reports.manifest import ReportOrigin
from dlqconsole.pipeline.reports.storing import Store
from dlqconsole.pipeline.running import heartbeat
from dlqconsole.pipeline.running.runs import Run, watch_run
from dlqconsole.processing.reports import DailyReport
from dlqconsole.system.java import find_java
from tests.sizes import SOAK
from tests.waiting import eventually

pytestmark = pytest.mark.django_db(transaction=True)

SILENT = "UPDATE pipeline_runs SET heartbeat_at = clock_timestamp() - interval '2 minutes' WHERE id = %s"
FRESH = "SELECT 1 FROM pipeline_runs WHERE heartbeat_at > clock_timestamp() - interval '30 seconds'"
REPORT = DailyReport("r", "R", ("k",), {"n": "sum"}, lambda events: events, "occurred_at")


@pytest.fixture
def look(rows):
    """look() gives the status of every run, once whoever is silent was marked."""

    def statuses() -> list[str]:
        rows(sql("runs.abandon"))
        return [row["status"] for row in rows("SELECT status FROM pipeline_runs ORDER BY id")]

    return statuses


@pytest.fixture
def lost(database_url, rows, look):
    """A run that lives, and was marked as dead because nothing was heard of it."""
    run = Run.begin(database_url, "ingest", "a folder")
    rows(SILENT, run.id)
    assert look() == ["failed"]
    yield run
    run.close()


def slow_java(home: Path, real: Path, waits: str) -> Path:
    """A JAVA_HOME whose java waits before it is the real one, but for its version, which is asked first."""
    program = home / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text(
        f'#!/bin/bash\ncase "$*" in *-version*) ;; *) {waits} ;; esac\nexec {real}/bin/java "$@"\n'
    )
    program.chmod(0o755)
    return home


@pytest.mark.spark
def test_it_beats_while_java_starts(command, rows, look, tmp_path):
    """Thrice it passes almost for dead, and is heard of again before Java has begun to start."""
    gate, real = tmp_path / "gate", find_java(tmp_path / "java")
    home = slow_java(tmp_path / "slow", real, f"while [ ! -e {gate} ]; do sleep 0.1; done")
    lines = tmp_path / "events.jsonl"
    lines.write_text("not json\n")
    process = command("ingest", "--source", lines, "--once", JAVA_HOME=str(home))
    eventually(lambda: rows("SELECT 1 FROM pipeline_runs WHERE message = 'starting Spark'"))
    for _ in range(3):
        rows("UPDATE pipeline_runs SET heartbeat_at = clock_timestamp() - interval '50 seconds'")
        eventually(lambda: rows(FRESH))
    assert look() == ["running"]
    gate.touch()
    out, err = process.communicate(timeout=300)
    assert (process.returncode, look()) == (0, ["completed"]), out + err


@pytest.mark.spark
@pytest.mark.skipif(not SOAK, reason="it waits for minutes: make soak")
def test_a_java_that_sleeps_for_75_seconds_fails_no_report(command, rows, look, tmp_path):
    home = slow_java(tmp_path / "slow", find_java(tmp_path / "java"), "sleep 75")
    rows(
        "INSERT INTO enriched_events (event_type, source, source_key, record, occurred_at)"
        " VALUES ('t', 's', '1', '{}', now())"
    )
    process = command("report", JAVA_HOME=str(home), DLQ_REPORTS="tests.pipeline.sample_reports")
    eventually(lambda: look() and process.poll() is not None, 900)
    out, err = process.communicate()
    assert (process.returncode, look()) == (0, ["completed"]), out + err


def test_a_thread_keeps_it_alive_while_its_job_waits(database_url, rows, look, monkeypatch):
    monkeypatch.setattr(heartbeat, "BEAT_SECONDS", 0.05)
    of_others = set(threading.enumerate())
    with watch_run(Run.begin(database_url, "ingest", "a folder")) as run:
        for _ in range(3):
            rows("UPDATE pipeline_runs SET heartbeat_at = clock_timestamp() - interval '50 seconds'")
            eventually(lambda: rows(FRESH))
        assert look() == ["running"]
        run.finish("completed", "")
    eventually(lambda: "heartbeat" not in {thread.name for thread in {*threading.enumerate()} - of_others})


def test_a_broken_connection_of_the_heart_is_replaced(database_url, rows, monkeypatch):
    monkeypatch.setattr(heartbeat, "BEAT_SECONDS", 0.05)
    pids = "SELECT pid FROM pg_stat_activity WHERE application_name = 'dlqconsole heartbeat'"
    with watch_run(Run.begin(database_url, "ingest", "a folder")):
        eventually(lambda: rows(pids))
        first = rows(pids)
        rows(f"SELECT pg_terminate_backend(pid) FROM ({pids}) them")
        eventually(lambda: (found := rows(pids)) and found != first)


def test_who_was_only_silent_takes_its_row_back(lost, look, rows):
    lost.beat()
    assert look() == ["running"]
    lost.finish("completed", "done")
    assert rows("SELECT status, message FROM pipeline_runs") == [{"status": "completed", "message": "done"}]


@pytest.mark.parametrize(
    ("subject", "ends"), [("a folder", True), ("another folder", False)], ids=["begun anew", "another"]
)
def test_its_row_is_lost_only_where_somebody_has_begun_it_anew(database_url, lost, look, subject, ends):
    other = Run.begin(database_url, "ingest", subject)
    if ends:
        with pytest.raises(RunIsOver):
            lost.beat()
    else:
        lost.beat()
    assert look() == ["failed" if ends else "running", "running"]
    other.close()


def test_its_row_is_lost_where_its_lock_is_asked_for_anew(lost, rows):
    rows("UPDATE pipeline_runs SET lock_name = 'ingest x'")
    rows(
        "INSERT INTO pipeline_runs (kind, subject, status, asked_at, lock_name)"
        " VALUES ('ingest', 'x', 'asked', now(), 'ingest x')"
    )
    with pytest.raises(RunIsOver):
        lost.beat()


def test_what_failed_or_was_cancelled_stays_so(database_url, rows, look):
    run = Run.begin(database_url, "ingest", "a folder")
    run.finish("failed", "a reason")
    with pytest.raises(RunIsOver):
        run.beat()
    rows("UPDATE pipeline_runs SET status = 'cancelling', message = 'x'")
    rows(SILENT, run.id)
    assert look() == ["cancelled"]
    with pytest.raises(RunIsOver):
        run.beat()
    run.close()


def test_a_report_that_is_over_stores_no_rows(database_url, lost, rows, tmp_path):
    with psycopg.connect(database_url, autocommit=True) as connection:
        announce(connection, [REPORT])
        clock = rows("SELECT clock_timestamp() AS now")[0]["now"]
    store = Store(database_url, tmp_path, ReportOrigin(clock, "1:1:", lost.id))
    row = {"day": clock.date(), "k": "a", "n": 1}
    with pytest.raises(RunIsOver):
        store.replace(REPORT, ReportPlan(None), [row], None)
    assert rows("SELECT * FROM report_rows") == []
    lost.beat()
    store.replace(REPORT, ReportPlan(None), [row], None)
    assert len(rows("SELECT * FROM report_rows")) == 1
    assert os.listdir(tmp_path) == []
