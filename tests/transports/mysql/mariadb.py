"""A real MariaDB for the tests: a server of our own in a temporary folder, on loopback, never as root."""

import os
import secrets
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pymysql
import pytest
from pymysql.connections import Connection

from dlqconsole.running.ports import LOOPBACK, answers, free_port
from dlqconsole.system.processes import Child, end_session, spawn, user_group, wait_for
from dlqconsole.transports.mysql.source import MysqlSource
from tools.postgres_account import ordinary_user, own
from tools.system_packages import MARIADB, ensure

# The data is thrown away at the end: it has to outlive the server's process, not the machine.
CARELESS = ["--innodb-flush-log-at-trx-commit=2", "--innodb-buffer-pool-size=64M", "--skip-name-resolve"]
USER = DATABASE = "dlqconsole"


class MariaDB:
    """One server, which ends with pytest, however that ends."""

    def __init__(self) -> None:
        self.home = Path(tempfile.mkdtemp(prefix="dlqconsole-mariadb-"))
        self.programs = ensure(MARIADB)
        self.user = ordinary_user() if os.geteuid() == 0 else None
        self.port = free_port()
        self.password = secrets.token_urlsafe(12) + "#/@%"  # a URL must survive what passwords hold
        # a server that starts empties its folder for temporary tables: two must not share one
        self.environment = {"PATH": os.defpath, "TMPDIR": str(self.home / "temporary")}
        self.child: Child | None = None
        self.clients: dict[str, pymysql.connections.Connection] = {}

    def create(self) -> None:
        """Its data, and an account and a database for the tests."""
        data = self.home / "data"
        data.mkdir()
        (self.home / "temporary").mkdir()
        if self.user is not None:
            own(self.home, self.user)
        install = shutil.which("mariadb-install-db", path=f"{os.environ['PATH']}:/usr/bin")
        done = subprocess.run(
            [str(install), "--no-defaults", f"--datadir={data}", "--skip-test-db"],
            user=self.user,
            group=None if self.user is None else user_group(self.user),
            extra_groups=None if self.user is None else [],
            capture_output=True,
            text=True,
            env=self.environment,
            cwd="/",
        )
        assert done.returncode == 0, done.stdout + done.stderr
        (self.home / "first.sql").write_text(
            f"CREATE DATABASE {DATABASE};\n"
            f"CREATE USER '{USER}'@'%' IDENTIFIED BY '{self.password}';\n"
            f"GRANT ALL ON *.* TO '{USER}'@'%';\n"
        )
        (self.home / "first.sql").chmod(0o644)

    def start(self, *options: str) -> None:
        """Run it until it answers."""
        command = [str(self.programs), "--no-defaults", f"--datadir={self.home / 'data'}"]
        where = [f"--bind-address={LOOPBACK}", f"--port={self.port}", f"--socket={self.home / 'socket'}"]
        with (self.home / "log").open("ab") as log:
            self.child = spawn(
                [*command, *where, *CARELESS, *options],
                env=self.environment,
                output=log,
                death_signal=signal.SIGKILL,
                user=self.user,
                cwd=Path("/"),
            )
        child = self.child
        wait_for(lambda: answers(self.port) or child.poll() is not None, 60)
        assert child.poll() is None, (self.home / "log").read_text(errors="replace")

    def kill(self) -> None:
        """End it at once, as a power cut does."""
        self.clients.clear()
        if self.child is not None:
            end_session(self.child.pid)
            self.child.wait()

    def url(self, **other: str) -> str:
        """What goes into DLQ_MYSQL_URL."""
        password = other.get("password", self.password)
        encoded = "".join(f"%{byte:02X}" for byte in password.encode())
        return f"mysql://{USER}:{encoded}@{LOOPBACK}:{self.port}/{other.get('database', DATABASE)}"

    def ask(self, statement: str, values: tuple[object, ...] = (), *, zone: str = "+00:00") -> list[tuple]:
        """Run one statement as any other client would, in a session of that time zone; its rows."""
        if zone not in self.clients:
            self.clients[zone] = pymysql.connect(
                host=LOOPBACK,
                port=self.port,
                user=USER,
                password=self.password,
                database=DATABASE,
                autocommit=True,
                init_command=f"SET time_zone = '{zone}'",
            )
        with self.clients[zone].cursor() as cursor:
            cursor.execute(statement, values)
            return list(cursor.fetchall())

    def put(
        self, message: str | bytes = '{"order_id": 1}', *, queue: str = "orders", **columns: object
    ) -> str:
        """Insert a message as a producer with plain SQL does; its id."""
        values = {"queue": queue, "message": message} | columns
        places = ", ".join(["%s"] * len(values))
        statement = f"INSERT INTO dlq_message_queue ({', '.join(values)}) VALUES ({places}) RETURNING id"
        return str(self.ask(statement, tuple(values.values()))[0][0])

    def let_time_pass(self) -> None:
        """Every lease and every delay is over now."""
        self.ask(
            "UPDATE dlq_message_queue SET available_at = UTC_TIMESTAMP(6) WHERE available_at IS NOT NULL"
        )


@contextmanager
def unverified_tls_prepared_once() -> Iterator[None]:
    """PyMySQL reads all certificates of the machine for each connection, also where it verifies none."""
    prepare = Connection._create_ssl_ctx
    unverified = cache(lambda: prepare(None, {}))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            Connection, "_create_ssl_ctx", lambda self, tls: prepare(self, tls) if tls else unverified()
        )
        yield


@pytest.fixture(scope="session")
def mariadb() -> Iterator[MariaDB]:
    """The server of this test run, with the queue's tables."""
    server = MariaDB()
    try:
        server.create()
        server.start(f"--init-file={server.home / 'first.sql'}")
        with unverified_tls_prepared_once():
            transport = MysqlSource(server.url())
            transport.create_tables()
            transport.close()
            yield server
    finally:
        server.kill()
        shutil.rmtree(server.home, ignore_errors=True)


@pytest.fixture
def mysql_transport(mariadb, settings) -> Iterator[MysqlSource]:
    """A transport whose queues are all empty."""
    settings.DLQ_MYSQL_URL = mariadb.url()
    mariadb.ask("DELETE FROM dlq_message_queue")
    mariadb.ask("DELETE FROM dlq_message_keys")
    transport = MysqlSource(mariadb.url())
    yield transport
    transport.close()
