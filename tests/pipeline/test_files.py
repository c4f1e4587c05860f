"""The files that are read, and what is known of them before an event is."""

import gzip
import os
import time

import pytest

from dlqconsole.pipeline.errors import BadRequest
from dlqconsole.pipeline.sources.files import SourceFile, look_for_files
from dlqconsole.pipeline.sources.folder import QUIET_SECONDS, Folder
from dlqconsole.pipeline.sources.survey import Request

from .hostile import event


def test_finds_events_in_folders_and_leaves_the_rest(tmp_path):
    for name in (
        "b.jsonl",
        "a.json",
        "in/c.ndjson",
        "in/d.jsonl.gz",
        "e.txt",
        "_f.jsonl",
        ".g.jsonl",
        ".h/i.jsonl",
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"{}")
    assert [file.name for file in look_for_files(str(tmp_path)).files] == [
        "a.json",
        "b.jsonl",
        "in/c.ndjson",
        "in/d.jsonl.gz",
    ]


def test_takes_a_file_that_is_named_whatever_its_ending(tmp_path):
    (tmp_path / "dump.log").write_bytes(b"{}")
    assert [file.name for file in look_for_files(str(tmp_path / "dump.log")).files] == ["dump.log"]


def test_a_missing_path_is_a_sentence(tmp_path):
    with pytest.raises(BadRequest, match="there is no file or folder"):
        look_for_files(str(tmp_path / "nowhere"))


def test_a_name_that_is_not_utf8_can_still_be_read(tmp_path):
    path = os.path.join(os.fsencode(tmp_path), b"caf\xe9.jsonl")
    with open(path, "wb") as opened:
        opened.write(event("1"))
    (file,) = look_for_files(str(tmp_path)).files
    assert file.source == r"file:caf\xe9.jsonl"
    assert Request(file).look().pieces[0].lines == 1


def test_a_long_path_still_makes_a_key():
    assert len(SourceFile("/x", "y" * 3000).source) < 512


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (gzip.compress(event("1") * 99)[:-12], "truncated gzip"),
        (gzip.compress(b"{}") + b"tail", "broken gzip"),
        (b"\x1f\x8b\x08\x00 and then nothing like it", "broken gzip"),
        (b"plain text", "is not gzip"),
    ],
    ids=["cut", "with a tail", "only begun", "plain"],  # gzip writes the time: bytes would name another test
)
def test_a_broken_gzip_is_one_problem(tmp_path, content, sentence):
    (tmp_path / "x.gz").write_bytes(content)
    (piece,) = Request(look_for_files(str(tmp_path)).files[0]).look().pieces
    assert sentence in piece.problem


def test_gzip_is_known_by_its_bytes_not_its_name(tmp_path):
    (tmp_path / "x.jsonl").write_bytes(gzip.compress(b"{}\n{}"))
    (piece,) = Request(look_for_files(str(tmp_path)).files[0]).look().pieces
    assert (piece.is_compressed, piece.lines, piece.problem) == (True, 2, None)


class TestWatching:
    def look(self, folder, now=None):
        found = folder.news(now or time.time())
        looked = [request.look() for request in found]
        for request, one in zip(found, looked, strict=True):
            folder.remember(request, one)
        return [(piece.first_line, piece.lines) for one in looked for piece in one.pieces]

    def test_reads_what_is_there_then_only_what_comes(self, tmp_path):
        (tmp_path / "a.jsonl").write_bytes(b"1\n2\n")
        folder = Folder(str(tmp_path))
        assert self.look(folder) == [(1, 2)]
        assert self.look(folder) == []
        with (tmp_path / "a.jsonl").open("ab") as opened:
            opened.write(b"3\n")
        (tmp_path / "b.jsonl").write_bytes(b"1\n")
        assert self.look(folder) == [(3, 1), (1, 1)]

    def test_waits_for_the_end_of_a_line_and_not_for_ever(self, tmp_path):
        (tmp_path / "a.jsonl").write_bytes(b'1\n{"half')
        folder = Folder(str(tmp_path))
        assert self.look(folder) == [(1, 1)]
        assert self.look(folder) == []
        assert self.look(folder, time.time() + QUIET_SECONDS + 1) == [(2, 1)]
        assert self.look(folder, time.time() + QUIET_SECONDS + 2) == []

    def test_waits_for_a_gzip_to_be_whole(self, tmp_path):
        whole = gzip.compress(event("1"))
        (tmp_path / "a.gz").write_bytes(whole[:20])
        folder = Folder(str(tmp_path))
        assert self.look(folder) == []
        (tmp_path / "a.gz").write_bytes(whole)
        assert self.look(folder, time.time() + QUIET_SECONDS + 1) == [(1, 1)]

    def test_reads_a_replaced_file_from_its_start(self, tmp_path):
        (tmp_path / "a.jsonl").write_bytes(b"1\n2\n3\n")
        folder = Folder(str(tmp_path))
        self.look(folder)
        (tmp_path / "new").write_bytes(b"4\n5\n6\n7\n")
        (tmp_path / "new").replace(tmp_path / "a.jsonl")
        assert self.look(folder) == [(1, 4)]
