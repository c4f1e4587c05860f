"""A pytest plugin: one real PostgreSQL and one real Valkey for the whole run, in a temporary folder.

Loaded by `-p tests.servers`, before pytest-django reads the settings. DATABASE_URL and REDIS_URL name other
servers to use instead. The servers end with pytest, however it ends (the kernel sees to that on Linux).

With pytest-xdist, all its processes share the two servers: each has a database of its own in both.
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

from dlqconsole.runtime.ports import free_port
from dlqconsole.runtime.postgres import USER, Postgres
from dlqconsole.runtime.processes import Child, ask_to_stop, end_session, spawn, wait_for
from dlqconsole.runtime.testing import keep_bytecode
from dlqconsole.runtime.valkey import Valkey

CARELESS = {
    # the data is thrown away at the end, so nothing needs to reach the disk
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "max_wal_size": "8GB",
    "checkpoint_timeout": "1h",
    # every process has a database, and starts workers on it
    "max_connections": "400",
    "shared_buffers": "512MB",
    # a plan is made from what its test wrote and analysed, never from when somebody came by
    "autovacuum": "off",
    "jit": "off",
}


# Java with its quick compiler alone: no test is long enough for the slow one to pay for itself.
QUICK_JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


class Servers:
    """The servers of one test run."""

    def __init__(self) -> None:
        self.home = Path(tempfile.mkdtemp(prefix="dlqconsole-tests-"))
        self.children: list[Child] = []

    def start_postgres(self) -> str:
        """A fresh PostgreSQL; the URL of its database."""
        server = Postgres(self.home, free_port(), secrets.token_urlsafe(12), CARELESS)
        server.prepare()
        account = server.account
        child = self._spawn("postgresql", server.command(), account.user, account.before_exec)
        self._wait(child, server.is_ready, "PostgreSQL")
        hash_password_once(server)
        server.create_database()
        return server.url()

    def start_valkey(self) -> str:
        """A fresh Valkey; its URL."""
        server = Valkey(self.home / "valkey", free_port(), secrets.token_urlsafe(12))
        server.prepare()
        # SIGQUIT is ignored by what a shell began in the background, and Valkey leaves it so
        child = self._spawn("valkey", server.command(), death_signal=signal.SIGKILL)
        self._wait(child, server.is_ready, "Valkey")
        return server.url()

    def stop(self) -> None:
        """End the servers at once and remove their data."""
        for child in self.children:
            ask_to_stop(child, signal.SIGQUIT)  # for PostgreSQL: at once, without saving anything
            wait_for(lambda child=child: child.poll() is not None, 5)
            end_session(child.pid)
        shutil.rmtree(self.home, ignore_errors=True)

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
        "DATABASE_URL": os.environ.get("DATABASE_URL") or servers.start_postgres(),
        "REDIS_URL": os.environ.get("REDIS_URL") or servers.start_valkey(),
        "SECRET_KEY": os.environ.get("SECRET_KEY") or secrets.token_urlsafe(50),
        "DLQ_HTTPS": "false",
        "DLQ_DATA_DIR": str(servers.home),
        "DLQ_TEST_GROUPS": str(servers.home / "groups.json"),
        "SPARK_LAUNCHER_OPTS": os.environ.get("SPARK_LAUNCHER_OPTS", QUICK_JAVA),
        "SPARK_SUBMIT_OPTS": os.environ.get("SPARK_SUBMIT_OPTS", QUICK_JAVA),
        # what asks for a second person lowers it
        "DLQ_FOUR_EYES_ABOVE": os.environ.get("DLQ_FOUR_EYES_ABOVE", "1000000000"),
    }


def environment_of_worker(worker: str) -> dict[str, str]:
    """What a process of pytest-xdist has for itself: "gw3" has Valkey's database 4 and a folder."""
    own = int(worker.removeprefix("gw")) + 1
    data = Path(os.environ["DLQ_DATA_DIR"], worker)
    data.mkdir()
    return {
        "REDIS_URL": urlsplit(os.environ["REDIS_URL"])._replace(path=f"/{own}").geturl(),
        "DLQ_DATA_DIR": str(data),
    }


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> Iterator[None]:
    """Start the servers around, and so before, what pytest-django does in this hook."""
    keep_bytecode()
    worker = os.environ.get("PYTEST_XDIST_WORKER")
    if worker:
        os.environ.update(environment_of_worker(worker))
    else:
        servers = Servers()
        early_config.add_cleanup(servers.stop)
        os.environ.update(environment_for_tests(servers))
    return (yield)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> object:
    """Keep together what shares a server, whatever `--dist` says."""
    from tests.spreading import GroupScheduling

    return GroupScheduling(config, log)
