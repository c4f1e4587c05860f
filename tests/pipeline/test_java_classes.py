"""Java's classes are written down by the first job of a sort, and read by those that follow."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from dlqconsole.pipeline.running.java import JavaClasses
from tests.sizes import SOAK

JOB = """
import sys
from pathlib import Path
from dataclasses import replace
from dlqconsole.pipeline.running.session import spark_context
from dlqconsole.pipeline.settings import read_settings
settings = replace(read_settings(), data=Path(sys.argv[1]), spark_master="local[1]")
with spark_context(settings, "ingest", has_sql=False) as context:
    assert context.parallelize([1, 2], 2).map(lambda number: number + 1).collect() == [2, 3]
    print(Path(f"/proc/{context._gateway.proc.pid}/maps").read_text())
"""


@pytest.fixture
def classes(tmp_path):
    return lambda: JavaClasses.of(tmp_path / "java", "rows", made_of="this Java, this Spark")


def written(folder: Path) -> list[Path]:
    return [path for path in (folder / "java").iterdir() if path.suffix != ".lock"]


def java_writes(some: JavaClasses) -> None:
    path = some.options.partition("ArchiveClassesAtExit=")[2].split()[0]
    Path(path).write_bytes(b"classes")


def test_the_first_job_writes_them_and_the_next_reads_them(classes, tmp_path):
    first = classes()
    assert first.are_written
    java_writes(first)
    first.keep(whole=True, had_time=True)
    [file] = written(tmp_path)
    following = classes()
    assert not following.are_written
    assert following.options.startswith(f"-XX:SharedArchiveFile={file} ")
    following.keep(whole=True, had_time=True)
    assert written(tmp_path) == [file]


def test_of_two_at_once_one_writes_them(classes):
    first, beside = classes(), classes()
    assert first.are_written
    assert not beside.are_written
    assert beside.options == ""


def test_what_a_job_that_was_stopped_leaves_is_nothing_and_the_next_tries_again(classes, tmp_path):
    stopped = classes()
    java_writes(stopped)
    stopped.keep(whole=False, had_time=False)
    assert written(tmp_path) == []
    assert classes().are_written


def test_a_java_that_cannot_do_it_is_not_asked_at_each_start(classes, tmp_path):
    slow = classes()
    java_writes(slow)
    slow.keep(whole=False, had_time=True)
    assert written(tmp_path) == []
    assert classes().options == ""


def test_a_folder_that_cannot_be_written_costs_nothing(tmp_path):
    (tmp_path / "java").write_bytes(b"a file")
    assert JavaClasses.of(tmp_path / "java", "rows", made_of="").options == ""


def test_other_javas_and_sorts_have_files_of_their_own(tmp_path):
    options = {
        JavaClasses.of(tmp_path, sort, made_of=made_of).options
        for sort in ("rows", "queries")
        for made_of in ("17", "21")
    }
    assert len(options) == 4


if SOAK:

    @pytest.mark.spark
    def test_a_real_java_does_so(tmp_path):
        environment = {name: value for name, value in os.environ.items() if name != "SPARK_SUBMIT_OPTS"}
        said = [
            subprocess.run(
                [sys.executable, "-c", JOB, tmp_path],
                env=environment, capture_output=True, text=True, timeout=300, check=True,
            ).stdout
            for _ in range(2)
        ]  # fmt: skip
        [file] = written(tmp_path)
        assert [str(file) in maps for maps in said] == [False, True]
