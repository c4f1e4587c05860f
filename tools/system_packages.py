"""Programs that tests need from the operating system, installed where we may, named where we may not."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from dlqconsole.system.errors import RuntimeProblem

# Debian's packages of PostgreSQL read this directory, and would make and start a database of their own.
_CLUSTERS = Path("/etc/postgresql-common/createcluster.d")
# Debian asks this program before it starts a service.
_SERVICES = Path("/usr/sbin/policy-rc.d")
_NO_CLUSTER = "create_main_cluster = false\n"


@contextmanager
def without_own_database() -> Iterator[None]:
    """Have Debian's package of PostgreSQL bring programs only, inside the block."""
    _CLUSTERS.mkdir(parents=True, exist_ok=True)
    setting = _CLUSTERS / "dlqconsole.conf"
    setting.write_text(_NO_CLUSTER)
    try:
        yield
    finally:
        setting.unlink()


@contextmanager
def without_services() -> Iterator[None]:
    """Have Debian's packages bring programs and start no service, inside the block."""
    if _SERVICES.exists():  # it says already that none is started, or somebody knows better
        yield
        return
    _SERVICES.write_text("#!/bin/sh\nexit 101\n")
    _SERVICES.chmod(0o755)
    try:
        yield
    finally:
        _SERVICES.unlink()


@dataclass(frozen=True)
class SystemProgram:
    """A program: the names it goes by, the packages that bring it, the variable that names another one.

    ``installing``: what surrounds their installation.
    """

    names: tuple[str, ...]
    packages: tuple[str, ...]
    variable: str
    installing: Callable[[], AbstractContextManager[None]] = nullcontext


# First the same engine without what draws windows: pages take a quarter less of the processors.
CHROMIUM = SystemProgram(
    ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"),
    ("chromium-headless-shell",),
    "DLQ_CHROMIUM",
)
# The server without the service: these packages hold programs only, no unit, no init script, no database.
# They are a part of mariadb-server. The second brings what mariadb-install-db calls.
MARIADB = SystemProgram(("mariadbd",), ("mariadb-server-core", "mariadb-client-core"), "DLQ_MARIADB")
# The oldest PostgreSQL that we support; beside the one from PyPI, which stays the one that runs the demo.
POSTGRESQL_15 = SystemProgram(
    ("/usr/lib/postgresql/15/bin/postgres",),
    ("postgresql-15",),
    "DLQ_TEST_POSTGRESQL_15",
    without_own_database,
)
# In transaction mode between us and PostgreSQL.
PGBOUNCER = SystemProgram(("pgbouncer",), ("pgbouncer",), "DLQ_TEST_PGBOUNCER", without_services)
RABBITMQ = SystemProgram(
    ("/usr/lib/rabbitmq/bin/rabbitmq-server",), ("rabbitmq-server",), "DLQ_TEST_RABBITMQ", without_services
)
# A worker in SQL, and one in Go with its driver from the same distribution.
PSQL = SystemProgram(("psql",), ("postgresql-client",), "DLQ_TEST_PSQL")
GO = SystemProgram(("go",), ("golang-go", "golang-github-lib-pq-dev"), "DLQ_TEST_GO")
NODE = SystemProgram(("node",), ("nodejs", "npm"), "DLQ_TEST_NODE")
# folders of servers, which an ordinary user's PATH often lacks
_SYSTEM_PATH = "/usr/local/sbin:/usr/sbin:/sbin"


def ensure(program: SystemProgram) -> Path:
    """Return the program's path, after installing its package if need be."""
    path = locate(program)
    if path is None and os.geteuid() == 0 and shutil.which("apt-get"):
        with _one_at_a_time():
            path = locate(program) or _install(program)
    if path is None:
        raise RuntimeProblem(
            f"The tests need {program.names[0]}: install it (apt-get install {' '.join(program.packages)}), "
            f"or set {program.variable} to one that is there"
        )
    return path


@contextmanager
def _one_at_a_time() -> Iterator[None]:
    """Keep other processes of a test run from installing, inside the block: apt refuses the second one."""
    with (Path(tempfile.gettempdir()) / "dlqconsole-packages.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _install(program: SystemProgram) -> Path | None:
    print(f"Installing {' '.join(program.packages)} ...", flush=True)
    with program.installing():
        apt_install(program.packages)
    return locate(program)


def locate(program: SystemProgram) -> Path | None:
    """The program that a variable names, else the first on PATH or where servers are."""
    other = os.environ.get(program.variable)
    for name in (other,) if other else program.names:
        path = shutil.which(name) or shutil.which(name, path=_SYSTEM_PATH)
        if path:
            return Path(path)
    return None


def apt_install(packages: Sequence[str]) -> None:
    """Install Debian packages without questions and without what they merely recommend."""
    install = ["apt-get", "install", "-y", "-q", "--no-install-recommends", *packages]
    for command in (["apt-get", "update", "-q"], install):
        process = subprocess.run(
            command, env=os.environ | {"DEBIAN_FRONTEND": "noninteractive"}, capture_output=True, text=True
        )
        if process.returncode:
            last = (process.stderr.strip().splitlines() or ["it said nothing"])[-1]
            raise RuntimeProblem(f"{' '.join(command)} failed: {last}")
