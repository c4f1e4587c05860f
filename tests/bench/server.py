"""The private PostgreSQL of one measurement: it ends with us.

What is committed is on the disk. Where the bench is only tried, all is in memory, if there is plenty.
"""

import asyncio
import os
import secrets
import shutil
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib.resources import files
from pathlib import Path

import asyncpg
import procrastinate
import psycopg
from pgqueuer.db import AsyncpgDriver
from pgqueuer.queries import Queries

from dlqconsole.configuration.demo_environment import CHECKOUT
from dlqconsole.running.ports import LOOPBACK, free_port
from dlqconsole.system.processes import Child, ask_to_stop, end_session, spawn, wait_for
from tools.postgres import USER, Postgres
from tools.temporary_folders import memory_folder, temporary_folder

DURABLE = {
    "fsync": "on",
    "synchronous_commit": "on",
    "full_page_writes": "on",
    "autovacuum": "on",
    "shared_buffers": "1GB",
    "max_wal_size": "8GB",
    "checkpoint_timeout": "30min",
}
TRIED = DURABLE | {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}
TEMPLATE = "dlqconsole"
FOLDERS = "dlqconsole-bench-"


class Server:
    """One server; ``database`` makes fresh databases in which every system is installed."""

    def __init__(self, *, durable: bool = True) -> None:
        self.home = temporary_folder(FOLDERS, None if durable else memory_folder())
        options = DURABLE if durable else TRIED
        self.postgres = Postgres(self.home, free_port(), secrets.token_urlsafe(12), options)
        self.child: Child | None = None

    def start(self) -> None:
        """Bring it up and install everybody's tables into the template."""
        self.postgres.prepare()
        account = self.postgres.account
        with (self.home / "postgresql.log").open("wb") as log:
            self.child = spawn(
                self.postgres.command(),
                env={"PATH": os.defpath, "LANG": "C.UTF-8"},
                output=log,
                death_signal=signal.SIGQUIT,
                user=account.user,
                before_exec=account.before_exec,
                cwd=Path("/"),
            )
        wait_for(lambda: self.postgres.is_ready() or self.child.poll() is not None, 60)
        if not self.postgres.is_ready():
            raise RuntimeError((self.home / "postgresql.log").read_text(errors="replace"))
        self.postgres.create_database()
        install(self.url(TEMPLATE))

    def stop(self) -> None:
        """End it at once and remove its data."""
        if self.child is not None:
            ask_to_stop(self.child, signal.SIGQUIT)
            wait_for(lambda: self.child.poll() is not None, 10)
            end_session(self.child.pid)
        shutil.rmtree(self.home, ignore_errors=True)

    def url(self, database: str) -> str:
        """Where one of its databases is."""
        return f"postgresql://{USER}:{self.postgres.password}@{LOOPBACK}:{self.postgres.port}/{database}"

    def database(self, name: str, template: str = TEMPLATE) -> str:
        """A fresh database, made anew if it was there; its URL. A large template is copied file by file."""
        self.drop(name)
        strategy = "" if template == TEMPLATE else "STRATEGY file_copy"
        self._execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}" {strategy}')
        return self.url(name)

    def drop(self, name: str) -> None:
        """Remove a database and end its sessions."""
        self._execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')

    def has(self, name: str) -> bool:
        """Whether there is such a database."""
        with psycopg.connect(self.url("postgres")) as connection:
            return connection.execute("SELECT FROM pg_database WHERE datname = %s", (name,)).rowcount > 0

    def program(self, name: str) -> str:
        """A client program that came with the server."""
        return str(self.postgres.account.programs / "bin" / name)

    def _execute(self, statement: str) -> None:
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(statement)


def install(url: str) -> None:
    """Our migrated tables, and each peer's by its own means."""
    subprocess.run(
        [sys.executable, "manage.py", "migrate", "--skip-checks", "--verbosity", "0"],
        cwd=CHECKOUT,
        env=environment(url),
        check=True,
    )
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(files("pgmq").joinpath("sql/pgmq.sql").read_text())
        connection.execute("SELECT pgmq.create('bench')")
        connection.execute(files(__package__).joinpath("bare.sql").read_text())
        connection.execute("INSERT INTO queues (name, notify) VALUES ('bench-off', 'off')")
    with procrastinate.App(connector=procrastinate.SyncPsycopgConnector(conninfo=url)).open() as app:
        app.schema_manager.apply_schema()
    # in a thread of its own: a browser test before this one leaves its event loop in ours
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, _install_pgqueuer(url)).result()


async def _install_pgqueuer(url: str) -> None:
    connection = await asyncpg.connect(url)
    await Queries(AsyncpgDriver(connection)).install()
    await connection.close()


def environment(url: str) -> dict[str, str]:
    """What our own processes need to know."""
    return os.environ | {
        "DATABASE_URL": url,
        "SECRET_KEY": secrets.token_urlsafe(50),
        "DLQ_HTTPS": "false",
        "DLQ_HANDLERS": "tests.bench.handlers",
        "DJANGO_SETTINGS_MODULE": "dlqconsole.settings",
        "LOG_LEVEL": "ERROR",
        "PYTHONWARNINGS": "ignore",
    }
