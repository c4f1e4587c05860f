"""Lines come back byte for byte, with their numbers, and none is held in memory beyond a limit."""

import io
import random
from hashlib import sha256

import pytest

from dlqconsole.pipeline.sources import lines as module
from dlqconsole.pipeline.sources.files import SourceFile
from dlqconsole.pipeline.sources.lines import FileLine, is_blank, read_lines
from dlqconsole.pipeline.sources.scan import Bookmark
from dlqconsole.pipeline.sources.survey import Request


def contents(data: bytes) -> list[tuple[int, bytes]]:
    return [(line.number, line.content) for line in read_lines(io.BytesIO(data), 0, None, 1)]


def test_keeps_bytes_as_they_are():
    assert contents(b"a\n\x00\xff\xfe\n \r\nlast") == [
        (1, b"a"),
        (2, b"\x00\xff\xfe"),
        (3, b" "),
        (4, b"last"),
    ]


def test_takes_away_one_line_end_only():
    assert contents(b"a\r\r\nb\r") == [(1, b"a\r"), (2, b"b\r")]


@pytest.mark.parametrize(
    ("content", "blank"), [(b"", True), (b" \t\r", True), (b"\xef\xbb\xbf", True), (b"0", False)]
)
def test_blank_lines_are_no_events(content, blank):
    assert is_blank(FileLine(1, content, len(content))) is blank


def test_a_line_too_long_to_keep_is_its_head_and_its_hash(monkeypatch):
    monkeypatch.setattr(module, "KEEP_BYTES", 100)
    monkeypatch.setattr(module, "HEAD_BYTES", 10)
    monkeypatch.setattr(module, "_BLOCK", 7)
    long = bytes(range(32, 127)) * 20
    first, second, third = read_lines(io.BytesIO(b"a\n" + long + b"\nb\n"), 0, None, 1)
    assert (second.content, second.size, second.sha256) == (long[:10], len(long), sha256(long).hexdigest())
    assert (first.content, third.content, third.number) == (b"a", b"b", 3)


@pytest.mark.parametrize("length", range(95, 106))
def test_lines_about_as_long_as_the_limit_lose_nothing(monkeypatch, length):
    monkeypatch.setattr(module, "KEEP_BYTES", 100)
    _, long, after = read_lines(io.BytesIO(b"a\n" + b"x" * length + b"\nb"), 0, None, 1)
    assert (long.size, after.content) == (length, b"b")
    assert long.sha256 in (None, sha256(b"x" * length).hexdigest())


@pytest.mark.parametrize("seed", range(30))
def test_pieces_together_are_the_file(tmp_path, seed):
    """Wherever a file is cut, each line is read once, under its own number."""
    dice = random.Random(seed)
    data = b"\n".join(b"x" * dice.choice((0, 1, 5, 40, 300)) for _ in range(dice.randrange(60)))
    data += dice.choice((b"", b"\n", b"\n\n"))
    path = tmp_path / "events.jsonl"
    path.write_bytes(data)
    pieces = Request(SourceFile(str(path), path.name)).look(dice.choice((1, 7, 64, 1000))).pieces
    read = []
    for piece in pieces:
        with path.open("rb") as opened:
            found = list(read_lines(opened, piece.start, piece.end, piece.first_line))
        assert len(found) == piece.lines
        read += [(line.number, line.content) for line in found]
    assert read == contents(data)


def test_a_grown_file_is_read_from_its_bookmark(tmp_path):
    path = tmp_path / "events.jsonl"
    path.write_bytes(b"one\ntwo\nthr")
    file = SourceFile(str(path), path.name)
    (first,) = Request(file, may_grow=True).look().pieces
    assert (first.end, first.lines) == (8, 2)
    path.write_bytes(b"one\ntwo\nthree\nfour")
    (second,) = Request(file, Bookmark(first.end, 2, first.start, first.check)).look().pieces
    assert (second.start, second.first_line, second.lines) == (8, 3, 2)
