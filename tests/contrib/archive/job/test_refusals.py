"""Obstacles to the archive: a folder of no use, a row that changes, another job, files of nobody."""

from dataclasses import replace

import pytest

from dlqconsole.contrib.archive.job import moving
from dlqconsole.contrib.archive.job.job import archive
from dlqconsole.contrib.archive.job.layout import ArchiveAway
from dlqconsole.contrib.archive.job.sql import sql
from dlqconsole.contrib.archive.pages import cards
from dlqconsole.pipeline.database import connect
from dlqconsole.pipeline.errors import PipelineProblem
from dlqconsole.processing import crash_points

ATTEMPT = """
INSERT INTO dlq_attempts (dlq_event_id, kind, outcome) SELECT id, 'reported', 'failed' FROM dlq_events
"""
OPEN = """
UPDATE dlq_events SET status = 'PENDING'
WHERE id = (SELECT min(id) FROM dlq_events WHERE status = 'DISCARDED')
"""
LETTERS = "SELECT count(*)::int AS n FROM dlq_events"


def test_a_row_that_changes_meanwhile_stays(run_archive, old_letters, rows, folder, monkeypatch):
    old_letters(10)
    changed = rows("SELECT min(id) AS id FROM dlq_events")[0]["id"]
    places = []

    def reach(name):
        places.append(name)
        if places.count("archive.written") == 1 and name == "archive.written":
            rows("UPDATE dlq_events SET headers = '{}' WHERE id = %s", changed)

    monkeypatch.setattr(crash_points, "reach", reach)
    assert run_archive() == 0
    assert [row["id"] for row in rows("SELECT id FROM dlq_events")] == [changed]
    (file,) = rows("SELECT state, rows FROM archive_files")
    assert file == {"state": "kept", "rows": 9}
    assert len(list(folder.rglob("*.parquet"))) == 1
    assert "written anew" in rows("SELECT message FROM pipeline_runs")[0]["message"]


def test_an_attempt_that_comes_meanwhile_keeps_its_letter(run_archive, old_letters, rows, monkeypatch):
    """Its dead letter's version is as it was."""
    old_letters(1)

    def reach(name):
        if name == "archive.written":
            rows(ATTEMPT)

    monkeypatch.setattr(crash_points, "reach", reach)
    assert run_archive() == 0
    assert rows(LETTERS)[0]["n"] == 1
    assert rows("SELECT * FROM archive_files") == []


def test_a_folder_that_cannot_be_written_deletes_nothing(run_archive, old_letters, rows, folder):
    old_letters(3)
    folder.write_text("a file where the folder should be")
    with pytest.raises(ArchiveAway, match="nothing was archived, and nothing was deleted"):
        run_archive()
    assert rows(LETTERS)[0]["n"] == 3
    (run,) = rows("SELECT status, message FROM pipeline_runs")
    assert run["status"] == "failed"
    assert "cannot be written" in run["message"]


def test_a_full_disk_deletes_nothing(run_archive, old_letters, rows, folder, monkeypatch):
    old_letters(3)

    def full(*_arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(moving.parquet.ArchiveWriter, "finish", full)
    with pytest.raises(ArchiveAway, match="No space left on device"):
        run_archive()
    assert rows(LETTERS)[0]["n"] == 3
    monkeypatch.undo()
    assert run_archive() == 0
    assert rows(LETTERS)[0]["n"] == 0
    assert len(rows("SELECT * FROM archive_files")) == 1


def test_one_job_at_a_time(run_archive, old_letters, rows, database_url):
    old_letters(1)
    with connect(database_url, "other") as other:
        other.execute(sql("archive.alone"))
        with pytest.raises(PipelineProblem, match="another archive job is at work"):
            run_archive()
    assert rows(LETTERS)[0]["n"] == 1
    assert rows("SELECT id FROM pipeline_runs") == [], "that another is at work is no failure of the archive"
    assert list(cards.check()) == []
    assert run_archive() == 0


def test_a_run_that_was_asked_for_beside_another_is_not_needed_and_no_failure(
    pipeline_settings, archiving, old_letters, rows, database_url
):
    old_letters(1)
    [asked] = rows("INSERT INTO pipeline_runs (kind, subject) VALUES ('archive', '') RETURNING id")
    with connect(database_url, "other") as other:
        other.execute(sql("archive.alone"))
        with pytest.raises(PipelineProblem, match="another archive job is at work"):
            archive(replace(pipeline_settings, adopted_run=asked["id"]), archiving)
    sentence = "another archive job is at work: this one changed nothing"
    ended = rows("SELECT id, status, message FROM pipeline_runs")
    assert ended == [{"id": asked["id"], "status": "cancelled", "message": sentence}]
    assert list(cards.check()) == []
    assert rows(LETTERS)[0]["n"] == 1


def test_files_of_nobody_are_named_and_left(run_archive, old_letters, rows, folder):
    assert run_archive() == 0
    stranger = folder / "dead_letters" / "day=2020-01-01" / "type=x" / "part-9.parquet"
    stranger.parent.mkdir(parents=True)
    stranger.write_bytes(b"of another database")
    assert run_archive() == 0
    assert stranger.exists()
    assert (
        "day=2020-01-01/type=x/part-9.parquet"
        in rows("SELECT message FROM pipeline_runs ORDER BY id")[1]["message"]
    )


def test_what_is_kept_long_enough_goes_with_an_audit_row(run_archive, old_letters, rows, folder):
    old_letters(2)
    assert run_archive() == 0
    rows("UPDATE archive_files SET archived_at = now() - interval '400 days'")
    assert run_archive(keep_days=365) == 0
    assert not list(folder.rglob("*.parquet"))
    assert rows("SELECT state FROM archive_files") == [{"state": "gone"}]
    (entry,) = rows("SELECT * FROM audit_log WHERE action = 'expire'")
    assert (entry["actor"], entry["detail"]["rows"]) == ("archive", 2)


def test_a_dry_run_changes_nothing(run_archive, old_letters, rows, folder, capsys):
    old_letters(4)
    assert run_archive(dry_run=True) == 0
    assert "4 dead letters of 1 day are older than 90 days; nothing was changed" in capsys.readouterr().out
    assert rows(LETTERS)[0]["n"] == 4
    assert not folder.exists()


def test_what_is_open_or_young_or_came_back_stays(run_archive, old_letters, rows):
    old_letters(3)
    old_letters(2, days=80)
    rows(OPEN)
    assert run_archive() == 0
    assert rows(LETTERS)[0]["n"] == 3
    assert run_archive(after_days=0) == 0
    assert rows(LETTERS)[0]["n"] == 3


def test_records_go_only_where_it_was_asked_for(run_archive, rows, folder):
    rows("""INSERT INTO enriched_events (event_type, source, source_key, occurred_at, record, created_at)
        SELECT 'e', 's', n::text, CASE n WHEN 1 THEN 'infinity'::timestamptz ELSE now() END, '{"n": 1.0}',
            now() - interval '400 days' FROM generate_series(1, 5) n""")
    assert run_archive() == 0
    assert rows("SELECT count(*)::int AS n FROM enriched_events")[0]["n"] == 5
    assert run_archive(records_after_days=365) == 0
    # what no reader of files can hold stays
    assert [row["source_key"] for row in rows("SELECT source_key FROM enriched_events")] == ["1"]
    (file,) = rows("SELECT kind, rows FROM archive_files")
    assert file == {"kind": "enriched_events", "rows": 4}
