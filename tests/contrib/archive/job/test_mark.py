"""A folder that is not the archive's: nothing is archived, deleted, restored or erased; nothing is lost."""

import os
from functools import partial
from uuid import uuid4

import pytest

from dlqconsole.contrib.archive.job import mark, taking
from dlqconsole.contrib.archive.job.layout import ArchiveAway
from dlqconsole.pipeline.database import connect
from dlqconsole.pipeline.errors import PipelineProblem
from dlqconsole.processing import crash_points
from tests.threads import at_once

LETTERS = "SELECT count(*)::int AS n FROM dlq_events"
FILES = "SELECT state, rows FROM archive_files ORDER BY id"


@pytest.fixture
def archived(run_archive, old_letters, folder):
    """Three dead letters in the archive, and two more that are to go there."""
    old_letters(3)
    assert run_archive() == 0
    assert mark.read(folder)
    old_letters(2)


@pytest.fixture
def unmount(folder):
    """unmount(): the folder is away; empty=True: an empty one is in its place. unmount.back() mounts it."""
    away = folder.with_name("away")

    def go(empty=False):
        folder.rename(away)
        if empty:
            folder.mkdir()

    def come_back():
        for path in sorted(folder.rglob("*"), reverse=True):
            path.rmdir() if path.is_dir() else path.unlink()
        folder.rmdir() if folder.exists() else None
        away.rename(folder)

    go.back = come_back
    return go


def take_one_out(url, folder, number):
    with connect(url, "test") as connection:
        file_id = connection.execute("SELECT min(id) FROM archive_files WHERE state = 'kept'").fetchone()[0]
        taking.take_out(connection, folder, file_id, [number], lambda _shape, _rows: None)


@pytest.mark.parametrize("empty", [True, False])
def test_nothing_is_deleted_into_a_mount_point(run_archive, archived, unmount, rows, folder, empty):
    unmount(empty)
    with pytest.raises(ArchiveAway, match=r"is not in it, and this database knows 1 file there.*Mount it"):
        run_archive(keep_days=0)
    assert rows(LETTERS)[0]["n"] == 2
    assert rows(FILES) == [{"state": "kept", "rows": 3}]
    assert not folder.exists() or list(folder.iterdir()) == []
    newest = rows("SELECT status, message FROM pipeline_runs ORDER BY id DESC LIMIT 1")[0]
    assert newest["status"] == "failed"
    assert "manage.py archive adopt" in newest["message"]
    unmount.back()
    assert run_archive() == 0
    assert rows(LETTERS)[0]["n"] == 0


def test_files_do_not_outlive_their_time_in_a_folder_that_is_not_theirs(run_archive, archived, unmount, rows):
    rows("UPDATE archive_files SET archived_at = now() - interval '400 days'")
    unmount(empty=True)
    with pytest.raises(ArchiveAway):
        run_archive(keep_days=365)
    assert rows(FILES) == [{"state": "kept", "rows": 3}]


def test_another_databases_folder_is_left_alone(run_archive, archived, rows, folder, database_url):
    path = folder / rows("SELECT path FROM archive_files")[0]["path"]
    (folder / mark.MARK).write_text(f'{{"database": "{uuid4()}"}}')
    with pytest.raises(ArchiveAway, match="another database's"):
        run_archive()
    number = rows("SELECT lower(ids) AS id FROM archive_files")[0]["id"]
    with pytest.raises(ArchiveAway, match="another database's"):
        take_one_out(database_url, folder, number)
    assert rows(FILES) == [{"state": "kept", "rows": 3}]
    assert rows(LETTERS)[0]["n"] == 2
    assert path.exists()


def test_a_database_that_knows_no_files_takes_no_folder_that_is_somebodys(
    run_archive, old_letters, rows, folder
):
    old_letters(1)
    theirs = folder / "dead_letters" / "day=2020-01-01" / "type=x" / "part-1.parquet"
    theirs.parent.mkdir(parents=True)
    theirs.write_bytes(b"of another database")
    with pytest.raises(ArchiveAway, match="is not in it"):
        run_archive()
    assert theirs.read_bytes() == b"of another database"
    assert rows(LETTERS)[0]["n"] == 1


@pytest.mark.parametrize("empty", [True, False])
@pytest.mark.parametrize("place", ["archive.writing", "archive.written", "archive.deleting"])
def test_a_folder_that_goes_in_the_middle_loses_nothing(
    run_archive, archived, unmount, rows, monkeypatch, place, empty
):
    gone = []

    def reach(name):
        if name == place and not gone:
            gone.append(name)
            unmount(empty)

    monkeypatch.setattr(crash_points, "reach", reach)
    with pytest.raises(PipelineProblem):
        run_archive()
    assert gone == [place]
    assert rows(LETTERS)[0]["n"] == 2
    assert {"state": "kept", "rows": 2} not in rows(FILES)
    unmount.back()
    assert run_archive() == 0
    assert rows(LETTERS)[0]["n"] == 0
    assert sorted(file["rows"] for file in rows(FILES)) == [2, 3]


def test_nothing_is_taken_out_of_a_folder_that_is_not_there(archived, unmount, rows, folder, database_url):
    number = rows("SELECT lower(ids) AS id FROM archive_files")[0]["id"]
    unmount(empty=True)
    with pytest.raises(ArchiveAway):
        take_one_out(database_url, folder, number)
    assert rows(FILES) == [{"state": "kept", "rows": 3}]
    assert list(folder.iterdir()) == []


def test_nothing_is_taken_out_of_a_folder_that_goes_meanwhile(
    archived, unmount, rows, folder, database_url, monkeypatch
):
    number = rows("SELECT lower(ids) AS id FROM archive_files")[0]["id"]
    monkeypatch.setattr(crash_points, "reach", lambda name: unmount() if name == "archive.taking" else None)
    with pytest.raises(PipelineProblem):
        take_one_out(database_url, folder, number)
    assert rows(FILES) == [{"state": "kept", "rows": 3}]
    unmount.back()
    monkeypatch.undo()
    take_one_out(database_url, folder, number)
    assert rows("SELECT rows FROM archive_files WHERE state = 'kept'") == [{"rows": 2}]


def test_a_file_that_could_not_be_removed_is_not_said_to_be_gone(
    run_archive, archived, unmount, rows, folder, database_url, monkeypatch
):
    old = folder / rows("SELECT path FROM archive_files")[0]["path"]
    number = rows("SELECT lower(ids) AS id FROM archive_files")[0]["id"]
    monkeypatch.setattr(crash_points, "reach", lambda name: unmount() if name == "archive.taken" else None)
    take_one_out(database_url, folder, number)
    assert [file["state"] for file in rows(FILES)] == ["leaving", "kept"]
    monkeypatch.undo()
    unmount.back()
    assert old.exists()
    assert run_archive() == 0
    assert not old.exists()
    assert rows(FILES)[0]["state"] == "gone"


def test_of_two_databases_that_come_at_once_one_has_the_folder(folder):
    folder.mkdir()
    ids = [uuid4() for _ in range(8)]
    at_once([partial(mark.write, folder, own) for own in ids])
    first = mark.read(folder)
    assert first in ids
    mark.write(folder, uuid4())
    assert mark.read(folder) == first
    assert [path.name for path in folder.iterdir()] == [mark.MARK]


def test_a_pipe_in_its_place_is_no_mark_and_is_not_waited_for(folder):
    folder.mkdir(parents=True, exist_ok=True)
    os.mkfifo(folder / mark.MARK)
    assert mark.read(folder) is None


def test_an_id_is_made_once(database_url):
    with connect(database_url, "a") as one, connect(database_url, "b") as other:
        assert mark.identity(one) == mark.identity(other) == mark.identity(one)
