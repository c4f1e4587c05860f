"""`make test`: see that browser, MariaDB and Java are there, then hand over to pytest."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from dlqconsole.configuration.demo_environment import CHECKOUT

from .java import find_java
from .system_packages import CHROMIUM, MARIADB, ensure

# More processes than most machines have cores: many tests wait for other processes.
SPREAD = ["--numprocesses", "4", "--dist", "loadgroup"]
SLOWEST = ["--durations", "20"]


def run_tests(options: Sequence[str]) -> int:
    """Become pytest, with what the real parts under test need."""
    os.environ[CHROMIUM.variable] = str(ensure(CHROMIUM))
    os.environ[MARIADB.variable] = str(ensure(MARIADB))
    os.environ["JAVA_HOME"] = str(find_java(CHECKOUT / ".data" / "java"))
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    os.chdir(CHECKOUT)
    keep_bytecode()
    os.execv(sys.executable, [sys.executable, "-m", "pytest", *SPREAD, *SLOWEST, *options])  # noqa: S606 - no shell is wanted


def keep_bytecode() -> None:
    """Compile each module once, not in each process that tests start; where wished, away from the sources."""
    if os.environ.pop("PYTHONDONTWRITEBYTECODE", ""):
        sys.dont_write_bytecode = False
        sys.pycache_prefix = os.environ["PYTHONPYCACHEPREFIX"] = str(CHECKOUT / ".pytest_cache" / "bytecode")
