"""kill -9 at each step of the archive job: no row is lost, none is in two places unknown to the database."""

import os
import signal
import subprocess
import sys

import pytest

from dlqconsole.processing import crash_points

pytestmark = pytest.mark.faults

PLACES = [name for name in crash_points.NAMES if name.startswith("archive.") and "tak" not in name]
IN_FILES = "SELECT coalesce(sum(rows), 0)::int AS n FROM archive_files WHERE state = 'kept'"


@pytest.mark.parametrize("place", PLACES)
def test_a_death_here_loses_and_doubles_nothing(command, run_archive, old_letters, rows, folder, place):
    old_letters(30)
    old_letters(10, event_type="other")
    ids = {row["id"] for row in rows("SELECT id FROM dlq_events")}
    # the second time: what comes before is done already
    process = command("archive", DLQ_CRASH_POINT=f"{place}:2", DLQ_ARCHIVE_DIR=str(folder))
    process.communicate(timeout=60)
    assert process.returncode == -signal.SIGKILL

    left = rows("SELECT count(*)::int AS n FROM dlq_events")[0]["n"]
    assert left + rows(IN_FILES)[0]["n"] == len(ids)
    known = {row["path"] for row in rows("SELECT path FROM archive_files")}
    there = {path.relative_to(folder).with_suffix("").as_posix() for path in folder.rglob("part-*")}
    assert there <= {path.removesuffix(".parquet") for path in known}

    assert run_archive() == 0
    assert rows("SELECT * FROM dlq_events") == []
    files = rows("SELECT * FROM archive_files")
    assert {file["state"] for file in files} == {"kept"}
    assert sum(file["rows"] for file in files) == len(ids)
    assert len(list(folder.rglob("part-*"))) == len(files)
    audited = rows("SELECT sum((detail ->> 'rows')::int)::int AS n FROM audit_log WHERE action = 'archive'")
    assert audited[0]["n"] == len(ids)


@pytest.mark.parametrize(("place", "is_back"), [("archive.taking", False), ("archive.taken", True)])
def test_a_death_while_one_comes_back(run_archive, old_letters, rows, folder, database_url, place, is_back):
    old_letters(5)
    number = rows("SELECT min(id) AS id FROM dlq_events")[0]["id"]
    assert run_archive() == 0
    line = [sys.executable, "-m", "tests.contrib.archive.job.a_taker", database_url, str(folder), str(number)]
    done = subprocess.run(line, env={**os.environ, "DLQ_CRASH_POINT": place}, timeout=60, check=False)
    assert done.returncode == -signal.SIGKILL

    assert (rows("SELECT id FROM dlq_events") == [{"id": number}]) is is_back
    assert rows(IN_FILES)[0]["n"] == 5 - is_back
    assert len(list(folder.rglob("*.parquet"))) == 2
    assert run_archive() == 0
    (kept,) = rows("SELECT path, rows FROM archive_files WHERE state = 'kept'")
    assert [path.relative_to(folder).as_posix() for path in folder.rglob("part-*")] == [kept["path"]]
    assert kept["rows"] == 5 - is_back
    assert rows("SELECT sum(rows)::int AS n FROM archive_counts")[0]["n"] == 5 - is_back
