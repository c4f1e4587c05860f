"""Packed files, known by their bytes: whole ones are read, of broken ones nobody takes a part."""

import pytest

from dlqconsole.pipeline.ingest.reading import NotRead, rows_of
from dlqconsole.pipeline.sources.files import SourceFile
from dlqconsole.pipeline.sources.survey import Request

from .packed import PACKERS, zstd

LINES = b"".join(b'{"n": %d}\n' % n for n in range(90_000))


def read(path) -> list[bytes] | str:
    """The lines of a file, or why it is not read; each look and each reading as workers do it."""
    found = []
    for piece in Request(SourceFile(str(path), path.name)).look().pieces:
        rows = list(rows_of(piece, 0))
        assert piece.problem or len(rows) == piece.lines
        found += rows
    if found and isinstance(found[-1], NotRead):
        assert len(found) == 1
        return found[0].problem
    assert [row.number for row in found] == list(range(1, len(found) + 1))
    return b"\n".join(row.content for row in found)


@pytest.mark.parametrize("kind", PACKERS)
def test_a_packed_file_gives_its_lines_whatever_it_is_called(kind, tmp_path):
    pack = PACKERS[kind]
    for name in (f"a.jsonl.{kind}", "b.jsonl", "c.jsonl.gz"):
        (tmp_path / name).write_bytes(pack(LINES))
        assert read(tmp_path / name) == LINES[:-1]


@pytest.mark.parametrize("kind", PACKERS)
def test_packed_files_that_were_put_together_are_all_read(kind, tmp_path):
    half = len(LINES) // 2 + 3
    (tmp_path / "a.jsonl").write_bytes(PACKERS[kind](LINES[:half]) + PACKERS[kind](LINES[half:]))
    assert read(tmp_path / "a.jsonl") == LINES[:-1]


@pytest.mark.parametrize("kind", PACKERS)
def test_of_a_broken_one_no_line_is_read(kind, tmp_path):
    packed = PACKERS[kind](LINES)
    middle = len(packed) // 2
    for name, content in {
        "cut in the middle": packed[:middle],
        "cut at its end": packed[:-3],
        "only begun": packed[:6],
        "a second one that is cut": packed + packed[:middle],
        "something else behind it": packed + b'{"n": 1}\n',
        "changed inside": packed[:middle] + bytes(64) + packed[middle + 64 :],
    }.items():
        path = tmp_path / f"{name}.jsonl"
        path.write_bytes(content)
        problem = read(path)
        assert isinstance(problem, str), name
        assert problem.startswith(("truncated ", "broken ")), (name, problem)


def test_layers_are_taken_off_one_by_one(tmp_path):
    (tmp_path / "a.jsonl").write_bytes(zstd(PACKERS["gz"](PACKERS["bz2"](LINES))))
    assert read(tmp_path / "a.jsonl") == LINES[:-1]
    (tmp_path / "b.jsonl").write_bytes(zstd(PACKERS["gz"](LINES)[:-5]))
    assert "truncated gzip" in read(tmp_path / "b.jsonl")
    deep = LINES
    for _ in range(5):
        deep = zstd(deep)
    (tmp_path / "c.jsonl").write_bytes(deep)
    assert read(tmp_path / "c.jsonl") == "it is packed more than 4 times"


def test_what_holds_no_lines_is_one_problem(tmp_path):
    for content, problem in {
        b"PK\x03\x04" + bytes(40): "it is a zip archive, and no file of lines",
        b"PAR1\x15\x04": "it is Parquet, and no file of lines",
        b"\xfd7zXZ\x00\x00": "it is xz, and no file of lines",
        '{"a": 1}\n'.encode("utf-16"): "it is UTF-16, and only UTF-8 is read",
        zstd(bytes(257) + b"ustar\x0000" + bytes(300)): "it is a tar archive, and no file of lines",
    }.items():
        (tmp_path / "a.jsonl").write_bytes(content)
        assert read(tmp_path / "a.jsonl") == problem


def test_nothing_in_it_is_no_line(tmp_path):
    for name, content in {
        "a.gz": b"",
        "b.zst": zstd(b""),
        "c.jsonl": b"",
        "d.jsonl": b"\xef\xbb\xbf",
    }.items():
        (tmp_path / name).write_bytes(content)
        assert read(tmp_path / name) in (b"", b"\xef\xbb\xbf")
