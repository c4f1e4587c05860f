"""A report's files: a reader sees one version, whole; the manifest names what is there, and nothing else."""

import os
from datetime import UTC, date, datetime

import pyarrow
import pytest

from dlqconsole.pipeline.errors import BadRequest, PipelineProblem
from dlqconsole.pipeline.reports import manifest
from dlqconsole.pipeline.reports.days import ReportPlan
from dlqconsole.pipeline.reports.files import Files
from dlqconsole.pipeline.reports.manifest import ReportOrigin, verify
from dlqconsole.processing.reports import DailyReport

REPORT = DailyReport("r", "R", ("k",), {"n": "count"}, lambda events: events, "occurred_at")
JANUARY, FEBRUARY = date(2026, 1, 31), date(2026, 2, 1)


def table(*rows):
    schema = pyarrow.schema([("day", pyarrow.date32()), ("k", pyarrow.string()), ("n", pyarrow.int64())])
    return pyarrow.Table.from_pylist(
        [dict(zip(schema.names, row, strict=True)) for row in rows], schema=schema
    )


@pytest.fixture
def write(tmp_path):
    """write(rows, days=…) shows a version; its manifest."""
    runs = iter(range(1, 100))

    def replace(*rows, days=None, kept=()):
        origin = ReportOrigin(datetime(2026, 3, 1, tzinfo=UTC), "100:105:101", next(runs))
        Files(tmp_path, REPORT, ReportPlan(days, kept), origin).replace(table(*rows))
        return manifest.read(tmp_path / "r")

    return replace


def read(folder) -> list[tuple]:
    import pyarrow.parquet as parquet

    found = [parquet.read_table(file, partitioning=None) for file in sorted(folder.glob("month=*/*.parquet"))]
    return [tuple(row.values()) for part in found for row in part.to_pylist()]


def test_the_manifest_says_what_is_there_and_where_it_came_from(write, tmp_path):
    told = write((JANUARY, "a", 1), (FEBRUARY, "a", 2), (FEBRUARY, "b", 3))
    assert [(file["path"], file["rows"]) for file in told["files"]] == [
        ("month=2026-01/rows.parquet", 1),
        ("month=2026-02/rows.parquet", 2),
    ]
    assert (told["rows"], told["horizon"], told["filter"]["days"]) == (3, "100", "all")
    assert told["schema"][0] == {"name": "day", "type": "date32[day]"}
    assert verify(str(tmp_path)) == verify(str(tmp_path / "r")) == 0


def test_one_day_is_replaced_and_other_months_are_not_even_copied(write, tmp_path):
    write((JANUARY, "a", 1), (FEBRUARY, "a", 2), (date(2026, 2, 2), "a", 5))
    before = (tmp_path / "r/month=2026-01/rows.parquet").stat().st_ino
    told = write((FEBRUARY, "b", 7), (JANUARY, "not asked", 9), days=(FEBRUARY,))
    assert read(tmp_path / "r") == [(JANUARY, "a", 1), (FEBRUARY, "b", 7), (date(2026, 2, 2), "a", 5)]
    assert (tmp_path / "r/month=2026-01/rows.parquet").stat().st_ino == before
    assert (told["filter"]["days"], verify(str(tmp_path / "r"))) == (["2026-02-01"], 0)


def test_days_that_stay_as_they_were_stay_in_the_files(write, tmp_path):
    write((JANUARY, "a", 1), (FEBRUARY, "a", 2))
    write((JANUARY, "a", 0), (FEBRUARY, "a", 3), kept=(JANUARY,))
    assert read(tmp_path / "r") == [(JANUARY, "a", 1), (FEBRUARY, "a", 3)]


def test_a_day_without_rows_leaves_no_file(write, tmp_path):
    write((JANUARY, "a", 1), (FEBRUARY, "a", 2))
    told = write(days=(JANUARY,))
    assert [file["path"] for file in told["files"]] == ["month=2026-02/rows.parquet"]
    assert write()["files"] == []
    assert verify(str(tmp_path / "r")) == 0


def test_who_reads_the_old_version_finishes_it(write, tmp_path):
    write((JANUARY, "a", 1))
    open_folder = (tmp_path / "r").resolve()
    write((JANUARY, "a", 2))
    assert (read(open_folder), read(tmp_path / "r")) == ([(JANUARY, "a", 1)], [(JANUARY, "a", 2)])
    write((JANUARY, "a", 3))
    assert not open_folder.exists()
    assert len(list(tmp_path.iterdir())) == 3


def test_a_writer_that_dies_at_any_step_leaves_the_old_version(write, tmp_path, monkeypatch):
    write((JANUARY, "a", 1))
    steps = ("mkdir", "write_bytes", "symlink_to", "replace")
    for step in steps:

        def die(*_args, **_named):
            raise KeyboardInterrupt

        with monkeypatch.context() as patch:
            patch.setattr(f"pathlib.Path.{step}", die)
            with pytest.raises(KeyboardInterrupt):
                write((JANUARY, "a", 2))
        assert (read(tmp_path / "r"), verify(str(tmp_path / "r"))) == ([(JANUARY, "a", 1)], 0), step
    write((JANUARY, "a", 3))
    assert read(tmp_path / "r") == [(JANUARY, "a", 3)]


def test_files_that_were_touched_are_named(write, tmp_path, capsys):
    write((JANUARY, "a", 1), (FEBRUARY, "a", 2))
    folder = tmp_path / "r"
    january = folder / "month=2026-01/rows.parquet"
    january.write_bytes(january.read_bytes()[:-1] + b"x")
    (folder / "month=2026-02/rows.parquet").unlink()
    (folder / "month=2026-02/other.parquet").write_bytes(b"")
    with pytest.raises(PipelineProblem, match="3 things are not as the manifest says"):
        verify(str(folder))
    told = capsys.readouterr().out
    assert "month=2026-01/rows.parquet has another SHA-256" in told
    assert "month=2026-02/rows.parquet cannot be read: No such file" in told
    assert "month=2026-02/other.parquet is there, and the manifest does not name it" in told


def test_a_manifest_that_counts_other_rows_is_told(write, tmp_path, capsys):
    told = write((JANUARY, "a", 1), (FEBRUARY, "a", 2))
    manifest.write(tmp_path / "r", told | {"rows": 99_999})
    with pytest.raises(PipelineProblem, match="1 thing is not as the manifest says"):
        verify(str(tmp_path / "r"))
    assert capsys.readouterr().out == "r: its files have 2 rows together, and the manifest says 99,999\n"


@pytest.mark.parametrize("way", ["up", "absolute", "link"])
def test_a_file_out_of_the_folder_is_not_opened(write, tmp_path, capsys, way):
    told, secret = write((JANUARY, "a", 1)), tmp_path / "secret"
    secret.write_text("12")
    if way == "link":
        (tmp_path / "r/month=2026-02").mkdir()
        (tmp_path / "r/month=2026-02/rows.parquet").symlink_to(secret)
    path = {"up": "../secret", "absolute": str(secret), "link": "month=2026-02/rows.parquet"}[way]
    other = told["files"][0] | {"path": path, "rows": 0, "bytes": 0}
    manifest.write(tmp_path / "r", told | {"files": [*told["files"], other]})
    with pytest.raises(PipelineProblem, match="1 thing is not as the manifest says"):
        verify(str(tmp_path / "r"))
    assert capsys.readouterr().out == f"r: {path} leads out of the folder, and is not opened\n"


@pytest.mark.parametrize(
    "broken",
    [{"rows": "many"}, {"files": [{"path": 7}]}, {"files": ["a"]}, {"files": {"a": 1}}, {"files": None}],
)
def test_a_manifest_of_another_form_is_a_sentence(write, tmp_path, broken):
    manifest.write(tmp_path / "r", write((JANUARY, "a", 1)) | broken)
    with pytest.raises(BadRequest, match=r"manifest\.json is no manifest of version 1"):
        verify(str(tmp_path / "r"))


def test_a_folder_that_is_not_ours_is_kept(write, tmp_path):
    (tmp_path / "r").mkdir()
    (tmp_path / "r" / "mine").write_bytes(b"x")
    with pytest.raises(BadRequest, match="is no report of ours: it is kept"):
        write((JANUARY, "a", 1))
    assert os.listdir(tmp_path / "r") == ["mine"]
