"""`make test`: see that browser, MariaDB and Java are there, then hand over to pytest."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from dlqconsole.configuration.demo_environment import CHECKOUT

from .java import find_java
from .system_packages import CHROMIUM, MARIADB, ensure


def run_tests(options: Sequence[str]) -> int:
    """Become pytest, with what the real parts under test need."""
    os.environ[CHROMIUM.variable] = str(ensure(CHROMIUM))
    os.environ[MARIADB.variable] = str(ensure(MARIADB))
    os.environ["JAVA_HOME"] = str(find_java(CHECKOUT / ".data" / "java"))
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    os.chdir(CHECKOUT)
    os.execv(sys.executable, [sys.executable, "-m", "pytest", *options])  # noqa: S606 - no shell is wanted
