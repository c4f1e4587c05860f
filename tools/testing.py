"""`make test`: see that browser, MariaDB and Java are there, then hand over to pytest."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence

from dlqconsole.configuration.demo_environment import CHECKOUT
from dlqconsole.system.java import find_java
from tools.near import changed_files, near_tests
from tools.system_packages import CHROMIUM, MARIADB, ensure
from tools.temporary_folders import check_room, remove_forsaken

# More than small machines have cores: many tests wait for processes of their own. With four a sixth
# of two cores was idle, with five a twelfth.
PROCESSES = max(5, min(os.cpu_count() or 1, 12))
SPREAD = ["--processes", str(PROCESSES)]
SLOWEST = ["--durations", "20"]
NEAR = ["-m", "not spark and not browser and not faults"]
QUICK = ["-m", f"{NEAR[1]} and not slow"]
SECURITY = ["-m", "security"]
LAST_FAILED = CHECKOUT / ".pytest_cache" / "v" / "cache" / "lastfailed"
# More failures than these are no accident.
FEW = 4
# the beginning of the folders of a run's servers and tests
FOLDERS = "dlqconsole-tests-"


def run_tests(options: Sequence[str]) -> int:
    """Become pytest, with what the real parts under test need."""
    _make_room()
    _find_browser_and_java()
    return become_pytest([*_spread(options), *options])


def run_failed_again() -> int:
    """Become pytest for the few tests that failed in a whole run, one after the other; 1 where they are many.

    A busy machine may fail a test that is right. A mistake fails twice.
    """
    failures = sorted(json.loads(LAST_FAILED.read_text()))
    if len(failures) > FEW:
        return 1
    print(
        "Run again, alone. What passes now depends on a clock or on another test: mend that, too.", *failures
    )
    _find_browser_and_java()
    return become_pytest(["--last-failed"])


def run_security_tests(options: Sequence[str]) -> int:
    """Become pytest for what tries to break in; it prints what was tried."""
    _make_room()
    _find_browser_and_java()
    return become_pytest([*SPREAD, *SECURITY, *options])


def run_quick_tests(options: Sequence[str]) -> int:
    """Become pytest for what needs neither Spark nor a browser, kills nothing and is not slow."""
    _make_room()
    return become_pytest([*SPREAD, *QUICK, *options])


def run_tests_near(options: Sequence[str]) -> int:
    """Become pytest for what is close to what has changed and needs neither Spark nor a browser."""
    near = near_tests(CHECKOUT, changed_files(CHECKOUT))
    if not near:
        print("Nothing has changed that has tests.")
        return 0
    _make_room()
    return become_pytest([*NEAR, *near, *options])


def become_pytest(options: Sequence[str]) -> int:
    """Become pytest, which never returns. MariaDB is installed if need be."""
    os.environ[MARIADB.variable] = str(ensure(MARIADB))
    os.chdir(CHECKOUT)
    keep_bytecode()
    os.execv(sys.executable, [sys.executable, "-m", "pytest", *SLOWEST, *options])  # noqa: S606 - no shell is wanted


def _make_room() -> None:
    """Make room before anything is installed or started. Raises RuntimeProblem where the disk is full."""
    remove_forsaken(FOLDERS)
    check_room()


def _find_browser_and_java() -> None:
    os.environ[CHROMIUM.variable] = str(ensure(CHROMIUM))
    os.environ["JAVA_HOME"] = str(find_java(CHECKOUT / ".data" / "java"))
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")


def _spread(options: Sequence[str]) -> list[str]:
    """Several processes, unless the options choose some tests."""
    is_choice = any(
        option in ("-k", "-m") or (CHECKOUT / option.partition("::")[0]).exists() for option in options
    )
    return [] if is_choice else SPREAD


def keep_bytecode() -> None:
    """Compile each module once, not in each process that tests start; where wished, away from the sources."""
    if os.environ.pop("PYTHONDONTWRITEBYTECODE", ""):
        sys.dont_write_bytecode = False
        sys.pycache_prefix = os.environ["PYTHONPYCACHEPREFIX"] = str(CHECKOUT / ".pytest_cache" / "bytecode")
