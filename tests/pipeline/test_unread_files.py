"""A file that cannot be read is one dead letter, and never the end of the job; the others go on."""

import os

import pytest

from dlqconsole.pipeline.sources import files, survey
from dlqconsole.pipeline.sources.files import look_for_files, open_source

from .conftest import here
from .hostile import event

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "in"
    made.mkdir()
    (made / "good.jsonl").write_bytes(event("1") + b"\n")
    return made


@pytest.fixture
def unread(rows):
    """Of each dead letter of a file: who it is, and why."""

    def select() -> dict[str, str]:
        found = rows(
            "SELECT source, error_reason FROM dlq_events WHERE source_key LIKE 'file%%' AND %s", True
        )
        return {row["source"]: row["error_reason"].removeprefix("MalformedEvent: ") for row in found}

    return select


def then(what):
    """Does ``what`` when all files are looked through, before the first is read."""

    def compute(function, values):
        if hasattr(function, "func"):
            what()
        return here(function, values)

    return compute


def test_what_cannot_be_read_is_said_and_counted(ingest_folder, folder, unread, capfd):
    (folder / "gone.jsonl").symlink_to(folder / "nowhere")
    (folder / "link.jsonl").symlink_to(folder / "good.jsonl")
    (folder / "notes.txt").write_bytes(b"for people")
    (folder / "table.csv").write_bytes(b"a,b\n1,2\n")
    (folder / "cut.jsonl.gz").write_bytes(b"\x1f\x8b\x08\x00")
    os.mkfifo(folder / "pipe.jsonl")
    counts = ingest_folder(folder)
    assert unread() == {
        "file:gone.jsonl": "it is a symbolic link that leads nowhere",
        "file:cut.jsonl.gz": "truncated gzip: it ends early, 0 bytes into what it holds",
    }
    assert (counts["enriched"], counts["files_not_read"], counts["files_left_alone"]) == (1, 2, 4)
    for words in (
        "2 files not read (gone.jsonl: it is a symbolic link",
        "cut.jsonl.gz: truncated gzip: it ends early",
        "4 files left alone (link.jsonl is a symbolic link, notes.txt is not named as JSON lines are, ",
        "table.csv is CSV, which is read as a DataFrame (run_handlers)",
    ):
        assert words in counts["said"]
    printed = capfd.readouterr().out
    assert "ingest: left alone: pipe.jsonl is a named pipe\n" in printed
    assert "ingest: not read: gone.jsonl: it is a symbolic link that leads nowhere\n" in printed
    # once more: they are known, and said again
    again = ingest_folder(folder)
    assert (again["unchanged"], again["files_not_read"]) == (2, 2)


def test_a_file_and_a_folder_without_permission_are_a_dead_letter_each(
    ingest_folder, folder, unread, monkeypatch
):
    """Whoever runs this may be root, whom nothing is forbidden."""
    (folder / "closed.jsonl").write_bytes(event("2"))
    (folder / "cellar").mkdir()
    (folder / "cellar" / "a.jsonl").write_bytes(event("3"))
    look = files.open_beneath

    def opened_folder(root, path):
        if str(path).endswith("cellar"):
            raise PermissionError(13, "Permission denied", os.fspath(path))
        return look(root, path)

    def opened(file):
        if file.name == "closed.jsonl":
            raise PermissionError(13, "Permission denied", file.path)
        return open_source(file)

    monkeypatch.setattr(files, "open_beneath", opened_folder)
    monkeypatch.setattr(survey, "open_source", opened)
    assert ingest_folder(folder)["enriched"] == 1
    assert unread() == {
        "file:closed.jsonl": "no permission to read it",
        "file:cellar/": "cannot look into the folder: Permission denied",
    }


def test_a_file_that_vanishes_is_a_dead_letter(ingest_folder, folder, unread):
    (folder / "b.jsonl").write_bytes(event("2") + b"\n")
    (folder / "c.jsonl").write_bytes(event("3") + b"\n")

    def compute(function, values):
        if hasattr(function, "func"):
            (folder / "c.jsonl").unlink()
        else:
            (folder / "b.jsonl").unlink()
        return here(function, values)

    assert ingest_folder(folder, compute=compute)["enriched"] == 1
    assert unread() == {
        "file:b.jsonl": "it vanished before it was read",
        "file:c.jsonl": "it vanished before it was read, from line 1 on",
    }


def test_what_was_stored_of_a_file_that_became_shorter_stays(
    ingest_folder, folder, unread, monkeypatch, rows
):
    monkeypatch.setattr(survey, "PIECE_BYTES", 4096)
    lines = [event(str(n)) + b"\n" for n in range(100, 300)]
    (folder / "big.jsonl").write_bytes(b"".join(lines))
    size = sum(map(len, lines))
    whole_lines = 4096 // len(lines[0]) + 1
    counts = ingest_folder(
        folder, compute=then(lambda: os.truncate(folder / "big.jsonl", len(lines[0]) * (whole_lines + 5)))
    )
    assert counts["enriched"] == whole_lines + 1
    assert counts["files_not_read"] == 1
    [why] = unread().values()
    assert why.startswith(f"it became shorter while it was read, from line {whole_lines + 1} on: ")
    # nothing of it is written down as whole: all that is there now is read
    with (folder / "big.jsonl").open("ab") as opened:
        opened.write(b"".join(lines[whole_lines + 5 :]))
    assert (folder / "big.jsonl").stat().st_size == size
    assert ingest_folder(folder)["enriched"] == 200 - whole_lines
    assert rows("SELECT count(*) AS n FROM enriched_events") == [{"n": 201}]


def test_a_file_that_another_replaces_is_not_read_by_its_lines(ingest_folder, folder, unread):
    (folder / "a.jsonl").write_bytes(event("2") + b"\n")
    (folder / "new").write_bytes(b'{"other": "things, and more than before ' + b"x" * 99 + b'"}\n')
    ingest_folder(folder, compute=then(lambda: (folder / "new").replace(folder / "a.jsonl")))
    assert unread() == {"file:a.jsonl": "it was changed or replaced while it was read, from line 1 on"}
    assert ingest_folder(folder)["dead_lettered"] == 1


def test_a_file_that_grows_while_it_is_read_is_read_to_where_it_was(ingest_folder, folder, unread):
    def grow() -> None:
        with (folder / "good.jsonl").open("ab") as opened:
            opened.write(event("2") + b"\n")

    assert ingest_folder(folder, compute=then(grow))["enriched"] == 1
    assert unread() == {}
    assert ingest_folder(folder)["enriched"] == 1


def test_a_folder_of_many_names_is_read(ingest_folder, folder, rows):
    names = [
        b"new\nline.jsonl",
        b"caf\xe9.jsonl",
        b"caf\xe8.jsonl",
        b"\x1b[31m.jsonl",
        b"a b'\"\\.jsonl",
        b"x" * 249 + b".jsonl",
    ]
    for number, name in enumerate(names):
        with open(os.path.join(os.fsencode(folder), name), "wb") as opened:
            opened.write(b'{"order_id": %d}\n' % number)
    assert ingest_folder(folder)["dead_lettered"] == len(names)
    assert ingest_folder(folder).get("read") is None
    assert len(look_for_files(str(folder)).files) == len(names) + 1
