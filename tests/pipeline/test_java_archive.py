"""The archive of classes that Spark's Java starts with is taken for what it was made of, and used."""

import os
from pathlib import Path

import pytest

from tests.java_archive import OPTIONS, _digest


def test_it_is_another_once_a_jar_is_another(tmp_path, monkeypatch):
    java, jar = tmp_path / "lib/server/libjvm.so", tmp_path / "spark.jar"
    java.parent.mkdir(parents=True)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    seen = set()
    for file, content in [(java, b"17"), (jar, b"4.2"), (jar, b"4.3.0"), (java, b"25.0")]:
        file.write_bytes(content)
        jar.touch(exist_ok=True)
        seen.add(_digest([jar]))
    assert len(seen) == 4


@pytest.mark.spark
def test_java_reads_it(spark):
    _, option, archive = os.environ[OPTIONS].partition("-XX:SharedArchiveFile=")
    if not option:
        pytest.skip("none was made: make soak has not run here, or Java has no archive of its own")
    assert archive in Path(f"/proc/{spark._gateway.proc.pid}/maps").read_text()
