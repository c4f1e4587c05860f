"""The environment that Spark's processes inherit: Java, Python and memory, checked before they start."""

import os
import subprocess
import sys
from pathlib import Path
from shutil import which

from dlqconsole.configuration.checks import read_memory
from dlqconsole.pipeline.errors import BadRequest
from dlqconsole.pipeline.settings import Settings
from dlqconsole.system.errors import RuntimeProblem
from dlqconsole.system.java import find_java
from dlqconsole.system.memory import whole_memory

_ASK = "import sys; print('%d.%d' % sys.version_info[:2])"
# Spark itself refuses to start below this
LEAST = 450 * 1024**2


def prepare_environment(settings: Settings) -> None:
    """Set what the Java process and its Python workers inherit."""
    check_memory(settings.spark_memory)
    try:
        os.environ["JAVA_HOME"] = str(find_java(settings.data / "java"))
    except RuntimeProblem as error:
        raise BadRequest(str(error)) from error
    os.environ["PYSPARK_PYTHON"] = _worker_python(is_local=is_local(settings))
    os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    # the user's modules are found by the workers where we found them
    folders = [str(Path(folder or ".").absolute()) for folder in sys.path]
    os.environ["PYTHONPATH"] = os.pathsep.join(dict.fromkeys(folders))
    # of the small Java that only puts the large one's command line together
    os.environ.setdefault("SPARK_LAUNCHER_OPTS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
    if is_local(settings):
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")


def is_local(settings: Settings) -> bool:
    return settings.spark_master.startswith("local")


def _worker_python(*, is_local: bool) -> str:
    """The program. Raises BadRequest, with both versions, where PYSPARK_PYTHON is another than this one.

    On a cluster its path is one of the workers' machines, and may not be here: then nobody can look.
    """
    other = os.environ.get("PYSPARK_PYTHON", "").strip()
    if not other or os.path.realpath(other) == os.path.realpath(sys.executable):
        # otherwise workers run whichever python3 is first on PATH
        return sys.executable
    if which(other) is None and not is_local:
        return other
    ours, theirs = "{}.{}".format(*sys.version_info[:2]), _version(other)
    if theirs != ours:
        is_what = f"is Python {theirs}" if theirs else "does not run"
        raise BadRequest(f"PYSPARK_PYTHON is {other}, which {is_what}; this is Python {ours}: name the same")
    return other


def _version(program: str) -> str:
    try:
        answer = subprocess.run([program, "-c", _ASK], capture_output=True, text=True, timeout=30, check=True)
    except (OSError, subprocess.SubprocessError):
        return ""
    return answer.stdout.strip()


def check_memory(setting: str) -> None:
    """Raise BadRequest for a SPARK_DRIVER_MEMORY that is too small, or is more than there is."""
    number, there = read_memory(setting), whole_memory()
    if number < LEAST:
        raise BadRequest(f"SPARK_DRIVER_MEMORY is {setting}: Spark needs at least {in_words(LEAST)}")
    if there and number > there:
        has = f"this machine has {in_words(there)}"
        raise BadRequest(f"SPARK_DRIVER_MEMORY is {setting}, and {has}: choose less; 1g is enough")


def in_words(number: int) -> str:
    """``3.8 GiB``, ``450 MiB``."""
    gibibytes = number / 1024**3
    return f"{gibibytes:,.1f} GiB" if gibibytes >= 1 else f"{number // 1024**2:,} MiB"
