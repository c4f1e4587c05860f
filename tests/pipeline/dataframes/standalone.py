"""A Spark cluster: a master and two workers as processes, which know nothing of our environment."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyspark

from dlqconsole.running.ports import free_port
from dlqconsole.system.java import find_java

HOME = Path(pyspark.__file__).parent
JARS = str(HOME / "jars" / "*")
ROOT = str(Path(__file__).parents[3])


class Cluster:
    """``url``: its master's address."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._port = folder, free_port()
        self.url = f"spark://127.0.0.1:{self._port}"
        self.processes: list[subprocess.Popen] = []

    def start(self) -> None:
        self._run("master.Master", "--port", self._port, "--webui-port", free_port())
        for number in range(2):
            work = self._folder / f"worker-{number}"
            self._run("worker.Worker", "--webui-port", free_port(), "-c", 1, "-m", "1g", "-d", work, self.url)

    def executors(self) -> list[int]:
        """The processes of the executors that run now."""
        ours = {process.pid for process in self.processes}
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
                line = (folder / "cmdline").read_bytes()
            except OSError:
                continue
            if parent in ours and b"CoarseGrainedExecutorBackend" in line:
                found.append(int(folder.name))
        return found

    def stop(self) -> None:
        for process in reversed(self.processes):
            process.terminate()
        for process in self.processes:
            process.wait(30)

    def _run(self, name: str, *arguments: object) -> None:
        java = find_java(self._folder / "java")
        line = [java / "bin" / "java", "-Xmx256m", "-cp", JARS, "--add-modules=jdk.incubator.vector"]
        line += [f"org.apache.spark.deploy.{name}", "--host", "127.0.0.1", *arguments]
        kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
        log = (self._folder / f"{name}-{len(self.processes)}.log").open("wb")
        # what is installed on a cluster's machines: this package, and nothing of what we set
        given = {**kept, "PYTHONPATH": ROOT, "SPARK_LOCAL_IP": "127.0.0.1"}
        given |= {"SPARK_HOME": str(HOME), "SPARK_SCALA_VERSION": "2.13", "JAVA_HOME": str(java)}
        line = [str(word) for word in line]
        self.processes.append(subprocess.Popen(line, env=given, stdout=log, stderr=log))


@contextmanager
def standalone(folder: Path) -> Iterator[Cluster]:
    """A cluster for the block."""
    cluster = Cluster(folder)
    try:
        cluster.start()
        time.sleep(5)  # workers make themselves known; a job would wait for them anyway
        yield cluster
    finally:
        cluster.stop()


def job(
    master: str, events: int, partitions: int = 8, poison: int = -1, **environment: str
) -> subprocess.Popen:
    """The user's program, running."""
    line = [sys.executable, "-m", "tests.pipeline.dataframes.own_session", master]
    line += [str(number) for number in (events, partitions, poison)]
    given = {
        **os.environ,
        "PYTHONPATH": ROOT,
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_LOCAL_IP": "127.0.0.1",
        "JAVA_HOME": str(find_java(Path(ROOT) / "java")),
        **environment,
    }
    return subprocess.Popen(
        line, env=given, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT
    )
