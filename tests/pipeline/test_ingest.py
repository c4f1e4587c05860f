"""The whole way through Spark: files in, rows in PostgreSQL."""

import os
import signal
import time
from concurrent.futures import ThreadPoolExecutor

import psutil
import pytest

from dlqconsole.pipeline.errors import PipelineProblem
from dlqconsole.pipeline.ingest.job import ingest
from tests.sizes import sized
from tests.waiting import as_soon_as

from .hostile import BLANK, FILES_DEAD, LINES, PACKED, event, line_numbers, write_corpus

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.spark]


def test_count_in_is_count_out(spark, pipeline_settings, tmp_path, rows, capfd):
    write_corpus(tmp_path / "source")
    assert ingest(pipeline_settings, str(tmp_path / "source"), once=True) == 0
    expected = len(LINES) + FILES_DEAD + PACKED
    (run,) = rows("SELECT * FROM pipeline_runs")
    assert (run["status"], run["total"], run["done"]) == ("completed", expected, expected)
    assert run["counts"]["blank"] == len(BLANK)
    (found,) = rows("SELECT (SELECT count(*) FROM enriched_events) + (SELECT count(*) FROM dlq_events) AS n")
    assert found["n"] == expected
    numbers = line_numbers()
    dead = rows("SELECT source_key, payload_raw FROM dlq_events WHERE source = 'file:hostile.jsonl'")
    raw = {row["source_key"]: bytes(row["payload_raw"]) for row in dead}
    for hostile in LINES:
        if hostile.status == "QUARANTINED":
            assert raw[str(numbers[hostile.name])] == hostile.line, hostile.name
    files = rows("SELECT error_reason FROM dlq_events WHERE source LIKE 'file:%%.gz' AND %s", True)
    assert sorted(row["error_reason"].split(":")[1].split(",")[0].strip() for row in files) == [
        "it is named .gz and is not gzip",
        "truncated gzip",
    ]
    printed = capfd.readouterr().out
    assert f"{expected} of {expected} events (100 %)" in printed
    assert "PlaneUnknown" in printed


def test_a_second_ingest_changes_nothing(spark, pipeline_settings, tmp_path, rows):
    write_corpus(tmp_path / "source")
    ingest(pipeline_settings, str(tmp_path / "source"), once=True)
    before = rows("SELECT * FROM dlq_events ORDER BY id"), rows("SELECT * FROM enriched_events ORDER BY id")
    ingest(pipeline_settings, str(tmp_path / "source"), once=True, again=True)
    assert (
        rows("SELECT * FROM dlq_events ORDER BY id"),
        rows("SELECT * FROM enriched_events ORDER BY id"),
    ) == before
    _, again = rows("SELECT counts FROM pipeline_runs ORDER BY id")
    assert again["counts"]["unchanged"] == again["counts"]["read"] == len(LINES) + FILES_DEAD + PACKED


def test_what_fails_in_a_worker_is_one_sentence(spark, pipeline_settings, tmp_path, rows):
    (tmp_path / "a.jsonl").write_bytes(event("1"))
    rows("ALTER TABLE enriched_events RENAME TO elsewhere")
    try:
        with pytest.raises(
            PipelineProblem, match=r"no tables of dlqconsole.*enriched_events.*migrate"
        ) as caught:
            ingest(pipeline_settings, str(tmp_path / "a.jsonl"), once=True)
    finally:
        rows("ALTER TABLE elsewhere RENAME TO enriched_events")
    assert "\n" not in str(caught.value)
    (run,) = rows("SELECT status, message FROM pipeline_runs")
    assert (run["status"], run["message"]) == ("failed", str(caught.value))


FILES, EACH, TWICE = 8, sized(600, 7_500), sized(30, 375)
# of so many events one waits, so that few of them take long enough to be killed among them
SLOW_ONE_IN = sized(20, 50)
EVENTS = FILES * EACH


@pytest.fixture
def many_events(tmp_path):
    """Thousands of events in eight files, some slow: every seventh fails, one in twenty is told twice."""
    folder = tmp_path / "many"
    folder.mkdir()
    for part in range(FILES):
        lines = [
            event(str(n), do=_doing(n), seconds=0.03, order_id=n, filler="x" * 300)
            for n in range(part * EACH, part * EACH + EACH)
        ]
        (folder / f"part-{part}.jsonl").write_bytes(b"\n".join([*lines, *lines[:TWICE]]))
    return folder


def _doing(number: int) -> str:
    return "business" if number % 7 == 0 else "sleep" if number % SLOW_ONE_IN == 1 else ""


def wait_for_progress(rows, at_least: int, process=None) -> bool:
    def got_on() -> bool:
        assert process is None or process.poll() is None, process.communicate()
        run = rows("SELECT done FROM pipeline_runs ORDER BY id DESC LIMIT 1")
        return bool(run) and run[0]["done"] >= at_least

    as_soon_as(got_on, 90)
    return True


def go_on_here(settings, source) -> None:
    """The next run, in the Spark of these tests: of what was there before, only the tables tell it."""
    assert ingest(settings, str(source), once=True) == 0


def check_all_there(rows) -> None:
    keys = rows("SELECT source_key FROM enriched_events UNION ALL SELECT source_key FROM dlq_events")
    assert sorted(int(row["source_key"]) for row in keys) == list(range(EVENTS))
    assert rows("SELECT count(*) AS n FROM dlq_events") == [{"n": EVENTS // 7 + 1}]


def family(process) -> list[psutil.Process]:
    return psutil.Process(process.pid).children(recursive=True)


def test_kill_9_loses_nothing_and_doubles_nothing(
    spark, pipeline_settings, command, rows, many_events, capfd
):
    """Killed again and again, first the driver and then everybody, and at last left alone to finish."""
    for at_least, everybody in ((1, False), (EVENTS // 4, True)):
        process = command("ingest", "--once", "--source", many_events)
        wait_for_progress(rows, at_least, process)
        victims = family(process) if everybody else []
        os.kill(process.pid, signal.SIGKILL)
        for victim in victims:
            if victim.is_running():
                victim.kill()
    go_on_here(pipeline_settings, many_events)
    # what the killed ones had written into the ledger is not read again
    assert " events (100 %)" in capfd.readouterr().out
    check_all_there(rows)
    [told] = rows("SELECT sum(end_line) AS n, count(*) AS files FROM ingested_files")
    assert told == {"n": FILES * (EACH + TWICE - 1), "files": FILES}  # their last lines have no line feed


def test_sigterm_stops_cleanly_and_the_next_run_goes_on(spark, pipeline_settings, command, rows, many_events):
    process = command("ingest", "--once", "--source", many_events)
    wait_for_progress(rows, 1, process)
    relatives = family(process)
    assert relatives
    process.terminate()
    _, err = process.communicate(timeout=60)
    assert err == "ingest: stopped\n"
    assert process.returncode not in (0, 1, 2)
    assert rows("SELECT status, message FROM pipeline_runs") == [{"status": "failed", "message": "stopped"}]
    _, alive = psutil.wait_procs(relatives, timeout=15)
    assert alive == []
    go_on_here(pipeline_settings, many_events)
    check_all_there(rows)


def test_connections_that_break_do_not_end_the_run(spark, pipeline_settings, rows, many_events, capfd):
    with ThreadPoolExecutor() as another:
        broken = another.submit(break_connections, rows)
        go_on_here(pipeline_settings, many_events)
    broken.result()
    assert capfd.readouterr().err == ""
    check_all_there(rows)


def break_connections(rows) -> None:
    """At the beginning of a run and amid it: between two pieces there may be none for a moment."""
    for at_least in (1, EVENTS // 3):
        wait_for_progress(rows, at_least)
        as_soon_as(
            lambda: rows(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE datname = current_database() AND application_name LIKE 'dlqconsole ingest%'"
            ),
            30,
        )


def test_two_ingests_at_once_share_the_work(spark, pipeline_settings, command, rows, many_events):
    other = command("ingest", "--once", "--source", many_events)
    as_soon_as(lambda: rows("SELECT id FROM pipeline_runs WHERE total > 0"), 90)  # its Spark has started, too
    go_on_here(pipeline_settings, many_events)
    assert other.wait(240) == 0
    check_all_there(rows)
    sums = rows(
        "SELECT sum((counts->>'enriched')::int + (counts->>'dead_lettered')::int) AS n FROM pipeline_runs"
    )
    assert sums == [{"n": EVENTS}]


def test_without_once_it_watches_the_folder(command, rows, tmp_path):
    folder = tmp_path / "watched"
    folder.mkdir()
    (folder / "a.jsonl").write_bytes(event("1") + b"\n")
    process = command("ingest", "--source", folder)
    wait_for_progress(rows, 1, process)
    with (folder / "a.jsonl").open("ab") as opened:
        opened.write(event("2") + b"\n" + event("3")[:20])
    wait_for_progress(rows, 2, process)
    with (folder / "a.jsonl").open("ab") as opened:
        opened.write(event("3")[20:] + b"\n")
    (folder / "b.jsonl").write_bytes(event("4", do="business") + b"\n")
    wait_for_progress(rows, 4, process)
    for _ in range(100):
        if rows("SELECT message FROM pipeline_runs")[0]["message"].startswith("watching"):
            break
        time.sleep(0.1)
    process.terminate()
    process.communicate(timeout=60)
    assert process.returncode == 0
    (run,) = rows("SELECT * FROM pipeline_runs")
    assert (run["status"], run["done"], run["total"]) == ("completed", 4, 4)
    assert run["counts"]["unchanged"] == 0
