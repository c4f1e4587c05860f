"""A pytest plugin: one real PostgreSQL and one real Valkey for the whole run, in a temporary folder.

The databases are in memory where there is plenty: of what PostgreSQL works for tests, a third is making files
on a disk and removing them.

Loaded by `-p tests.servers`, before pytest-django reads the settings. DATABASE_URL and REDIS_URL name other
servers to use instead. The servers end with pytest, however it ends (the kernel sees to that on Linux).

Where several processes run the tests, all share the two servers: each has a database of its own in both.
"""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from dlqconsole.running.ports import free_port
from dlqconsole.system.processes import Child, ask_to_stop, end_session, spawn, wait_for
from tests.sizes import SOAK
from tools.postgres import USER, Postgres
from tools.temporary_folders import memory_folder, temporary_folder
from tools.testing import FOLDERS, keep_bytecode
from tools.valkey import Valkey

CARELESS = {
    # the data is thrown away at the end, so nothing needs to reach the disk
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    # this much of it at most is in memory
    "max_wal_size": "1GB",
    "checkpoint_timeout": "1h",
    # every process has a database, and starts workers on it
    "max_connections": "400",
    "shared_buffers": "512MB",
    # a plan is made from what its test wrote and analysed, never from when somebody came by
    "autovacuum": "off",
    "jit": "off",
    # a server that is ended at once leaves no memory that nobody would give back
    "dynamic_shared_memory_type": "mmap",
    # nobody asks what all these statements cost
    "shared_preload_libraries": "",
}


# Java with its quick compiler alone: no test is long enough for the slow one to pay for itself. And it takes
# Spark's classes as they are: to verify them is an eighth of what each start takes of the processors.
QUICK_JAVA = (
    "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
    " -XX:+IgnoreUnrecognizedVMOptions -XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote"
)
# Nor is a query's own Java worth compiling for a few rows; `make soak` has it as production has.
if not SOAK:
    QUICK_JAVA += " -Dspark.sql.codegen.wholeStage=false -Dspark.sql.codegen.factoryMode=NO_CODEGEN"
# where each test's tmp_path is
PATHS = pytest.StashKey[Path]()


class Servers:
    """The servers of one test run."""

    def __init__(self) -> None:
        self.home = temporary_folder(FOLDERS)
        self.children: list[Child] = []
        # for what everybody leaves behind: Java, browsers, and whoever is killed
        self.temporary = self.home / "tmp"
        self.temporary.mkdir()
        self.databases = temporary_folder(FOLDERS, memory_folder() or self.home)
        for folder in (self.home, self.temporary, self.databases):
            # a server that runs as another user has its own folder below
            folder.chmod(0o711)

    def java(self, given: str | None) -> str:
        """Options for Spark's Java, which does not look at TMPDIR."""
        return f"{QUICK_JAVA if given is None else given} -Djava.io.tmpdir={self.temporary}"

    def start_postgres(self) -> str:
        """A fresh PostgreSQL; the URL of its database."""
        server = Postgres(self.databases, free_port(), secrets.token_urlsafe(12), CARELESS)
        server.prepare()
        account = server.account
        child = self._spawn("postgresql", server.command(), account.user, account.before_exec)
        self._wait(child, server.is_ready, "PostgreSQL")
        hash_password_once(server)
        server.create_database()
        return server.url()

    def start_valkey(self) -> str:
        """A fresh Valkey; the URL of who may do anything there, as tests do."""
        server = Valkey(
            self.home / "valkey", free_port(), secrets.token_urlsafe(12), secrets.token_urlsafe(12)
        )
        server.prepare()
        # SIGQUIT is ignored by what a shell began in the background, and Valkey leaves it so
        child = self._spawn("valkey", server.command(), death_signal=signal.SIGKILL)
        self._wait(child, server.is_ready, "Valkey")
        return server.admin_url()

    def stop(self) -> None:
        """End the servers at once and remove their data."""
        for child in self.children:
            ask_to_stop(child, signal.SIGQUIT)  # for PostgreSQL: at once, without saving anything
            wait_for(lambda child=child: child.poll() is not None, 5)
            end_session(child.pid)
        for folder in (self.databases, self.home):
            shutil.rmtree(folder, ignore_errors=True)

    def _spawn(self, name, command, user=None, before_exec=None, death_signal=signal.SIGQUIT) -> Child:
        with (self.home / f"{name}.log").open("wb") as log:
            environment = {"PATH": os.defpath, "LANG": "C.UTF-8"}
            child = spawn(
                command,
                env=environment,
                output=log,
                death_signal=death_signal,
                user=user,
                before_exec=before_exec,
                cwd=Path("/"),
            )
        self.children.append(child)
        return child

    def _wait(self, child, ready, name: str) -> None:
        wait_for(lambda: ready() or child.poll() is not None, 60)
        if not ready():
            logs = [file.read_text(errors="replace") for file in self.home.glob("*.log")]
            raise pytest.UsageError(f"{name} did not start for the tests:\n" + "\n".join(logs))


def hash_password_once(server: Postgres) -> None:
    """Not 4,096 times, at each of the thousands of logins of a run: nobody guesses this password."""
    if server.ask("SELECT current_setting('scram_iterations', true)"):  # PostgreSQL 16 or newer
        quoted = server.password.replace("'", "''")
        server.ask(f"SET scram_iterations = 1; ALTER ROLE {USER} PASSWORD '{quoted}'")


def environment_for_tests(servers: Servers) -> dict[str, str]:
    """What the settings read, pointing at this run's servers."""
    return {
        "DLQ_TEST_RUN": secrets.token_hex(4),
        "DLQ_TEST_PROCESS": "alone",
        "DATABASE_URL": os.environ.get("DATABASE_URL") or servers.start_postgres(),
        "REDIS_URL": os.environ.get("REDIS_URL") or servers.start_valkey(),
        "SECRET_KEY": os.environ.get("SECRET_KEY") or secrets.token_urlsafe(50),
        "DLQ_HTTPS": "false",
        "DLQ_DATA_DIR": str(servers.home),
        "DLQ_TEST_HOME": str(servers.home),
        "DLQ_TEST_DATABASES": str(servers.databases),
        "TMPDIR": str(servers.temporary),
        "SPARK_LAUNCHER_OPTS": servers.java(os.environ.get("SPARK_LAUNCHER_OPTS")),
        "SPARK_SUBMIT_OPTS": servers.java(os.environ.get("SPARK_SUBMIT_OPTS")),
        # what asks for a second person lowers it
        "DLQ_FOUR_EYES_ABOVE": os.environ.get("DLQ_FOUR_EYES_ABOVE", "1000000000"),
    }


def environment_of_process(name: str) -> dict[str, str]:
    """What one of several processes has for itself: "process3" has Valkey's database 4 and a folder."""
    own = int(name.removeprefix("process")) + 1
    data = Path(os.environ["DLQ_DATA_DIR"], name)
    data.mkdir()
    return {
        "DLQ_TEST_PROCESS": name,
        "REDIS_URL": urlsplit(os.environ["REDIS_URL"])._replace(path=f"/{own}").geturl(),
        "DLQ_DATA_DIR": str(data),
    }


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> Iterator[None]:
    """Start the servers around, and so before, what pytest-django does in this hook."""
    keep_bytecode()
    servers, paths = Servers(), temporary_folder(f"{FOLDERS}paths-")
    early_config.stash[PATHS] = paths
    early_config.add_cleanup(servers.stop)
    os.environ.update(environment_for_tests(servers))
    tempfile.tempdir = None  # where TMPDIR says, from here on
    return (yield)


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Tests write into a folder of this run, unless another one was asked for."""
    if config.option.basetemp is None:
        config.option.basetemp = str(config.stash[PATHS] / "paths")


def pytest_sessionstart(session: pytest.Session) -> None:
    """Begin that folder before there are several processes, each of which would begin it anew."""
    session.config._tmp_path_factory.getbasetemp()


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """What tests that failed have written stays until the next run begins."""
    if exitstatus == pytest.ExitCode.OK:
        shutil.rmtree(session.config.stash[PATHS], ignore_errors=True)
