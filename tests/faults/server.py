"""A PostgreSQL of our own that keeps its word (fsync is on) and may be crashed and started again."""

import os
import secrets
import shutil
import signal
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote

import psycopg

from dlqconsole.running.ports import free_port
from dlqconsole.system.processes import end_session, spawn, wait_for
from tools.postgres import USER, Postgres

SETTINGS = {"fsync": "on", "synchronous_commit": "on", "full_page_writes": "on", "max_connections": "80"}


class Server:
    """One server process; ``crash()`` is what a failing machine does to it."""

    def __init__(self, like: Path | None = None) -> None:
        """``like``: what another one has kept, which this one begins with."""
        self.home = Path(tempfile.mkdtemp(prefix="faults-", dir=os.environ["DLQ_TEST_DATABASES"]))
        password = (like / "password").read_text() if like else secrets.token_urlsafe(12)
        if like:
            shutil.copytree(like / "postgres", self.home / "postgres")
        self.postgres = Postgres(self.home, free_port(), password, SETTINGS)
        self.postgres.prepare()
        self.child = None

    def start(self) -> None:
        """Start it, and wait until it takes connections; after a crash it recovers first."""
        self.postgres.forget_stale_pid()
        account = self.postgres.account
        with (self.home / "postgresql.log").open("ab") as log:
            self.child = spawn(
                self.postgres.command(),
                env={"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"},
                output=log,
                death_signal=signal.SIGQUIT,
                user=account.user,
                before_exec=account.before_exec,
                cwd=Path("/"),
            )
        assert wait_for(self.postgres.is_ready, 60), (self.home / "postgresql.log").read_text()

    def crash(self) -> None:
        """What ``pg_ctl stop -m immediate`` does: every process ends at once, and nothing is saved."""
        self.child.send_signal(signal.SIGQUIT)
        self.child.wait(30)

    def keep(self, folder: Path) -> None:
        """End it in good order, and leave there what others begin with."""
        self.child.send_signal(signal.SIGINT)
        self.child.wait(60)
        folder.mkdir()
        shutil.copytree(self.postgres.account.data, folder / "postgres")
        (folder / "password").write_text(self.postgres.password)

    def close(self) -> None:
        """End it and remove its data."""
        with suppress(Exception):
            self.crash()
        if self.child is not None:
            end_session(self.child.pid)
        shutil.rmtree(self.home, ignore_errors=True)

    def url(self, database: str, port: int | None = None) -> str:
        """The address of one of its databases, on its own port or that of a proxy."""
        password = quote(self.postgres.password, safe="")
        return f"postgresql://{USER}:{password}@127.0.0.1:{port or self.postgres.port}/{database}"

    def connect(self, database: str = "postgres") -> psycopg.Connection:
        """A session that commits by itself. Waits while the server recovers."""
        deadline = time.monotonic() + 90
        while True:
            try:
                return psycopg.connect(self.url(database), autocommit=True)
            except psycopg.OperationalError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.1)
