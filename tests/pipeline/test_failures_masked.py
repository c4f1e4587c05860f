"""The reason of a job's failure is read by more people than may see what its handlers see."""

import pytest

from dlqconsole.pipeline.running.runs import Run, record_run

pytestmark = pytest.mark.django_db(transaction=True)

SAID = "billing refused secret=hunter2secret of ann@example.com, loyalty=4711x"


def test_the_message_of_a_failed_run_holds_no_secret(pipeline_settings, rows, monkeypatch):
    monkeypatch.setenv("DLQ_MASKED_KEYS", "shoe_size, loyalty")
    with pytest.raises(RuntimeError, match="hunter2secret"), record_run(pipeline_settings, "report", "x"):
        raise RuntimeError(SAID)
    [row] = rows("SELECT status, message FROM pipeline_runs")
    assert row["status"] == "failed"
    assert row["message"].startswith("billing refused secret=‹secret› of ‹email›")
    for value in ("hunter2", "ann@", "4711x"):
        assert value not in row["message"]


def test_a_secret_at_the_end_of_a_long_message_is_not_cut_into_a_word(pipeline_settings, rows):
    run = Run.begin(pipeline_settings.database_url, "report", "x")
    run.finish("failed", "x " * 980 + SAID)
    run.close()
    [row] = rows("SELECT message FROM pipeline_runs")
    assert "hunter2" not in row["message"]
    assert len(row["message"]) <= 2_000


def test_what_is_no_exception_is_stored_as_it_is(pipeline_settings, rows):
    said = "1,098,639 of 1,098,639 events (100 %), 9 files of ann@example.com"
    with record_run(pipeline_settings, "report", "x") as run:
        run.finish("completed", said)
    assert rows("SELECT message FROM pipeline_runs") == [{"message": said}]


def test_the_line_at_the_terminal_holds_no_secret(command, tmp_path):
    process = command("ingest", "--source", tmp_path / "token=hunter2secret")
    _out, err = process.communicate(timeout=60)
    assert process.returncode != 0
    assert "token=‹" in err
    assert "hunter2" not in err
