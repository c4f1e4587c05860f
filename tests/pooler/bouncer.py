"""A real PgBouncer in transaction mode, before the tests' PostgreSQL; never as root."""

import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
from django.db import connection

from dlqconsole.running.ports import LOOPBACK, answers, free_port
from dlqconsole.system.processes import end_session, spawn, wait_for
from tools.postgres_account import ordinary_user, own
from tools.system_packages import PGBOUNCER, ensure

# Fewer than its clients: what one of them left behind in a session would be another's.
_INI = """
[databases]
* = host={HOST} port={PORT} user={USER} password={PASSWORD}
[pgbouncer]
listen_addr = {LOOPBACK}
listen_port = {listen}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 3
server_round_robin = 1
logfile = {log}
{more}
"""


@contextmanager
def bouncer(more: str = "") -> Iterator[str]:
    """Its URL for the tests' database. Raises RuntimeProblem where it cannot be installed."""
    program, home, port = ensure(PGBOUNCER), Path(tempfile.mkdtemp()), free_port()
    user = ordinary_user() if os.geteuid() == 0 else None
    known = connection.settings_dict
    ini = home / "pgbouncer.ini"
    ini.write_text(_INI.format(**known, LOOPBACK=LOOPBACK, listen=port, log=home / "said", more=more))
    if user is not None:
        own(home, user)
    with (home / "log").open("wb") as log:
        child = spawn(
            [str(program), str(ini)],
            env={"PATH": os.defpath},
            output=log,
            death_signal=signal.SIGKILL,
            user=user,
            cwd=Path("/"),
        )
    try:
        wait_for(lambda: answers(port) or child.poll() is not None, 30)
        assert child.poll() is None, (home / "log").read_text()
        yield f"postgresql://{known['USER']}:x@{LOOPBACK}:{port}/{known['NAME']}"
    finally:
        end_session(child.pid)
        shutil.rmtree(home, ignore_errors=True)


def left_behind(url: str) -> set[tuple[str, ...]]:
    """The limits of sessions behind it, for a client that sets none, and how many statements they keep."""
    asked = "SELECT current_setting('statement_timeout'), count(*) FROM pg_prepared_statements"
    with psycopg.connect(url, autocommit=True, prepare_threshold=None) as client:
        return {client.execute(asked).fetchone() for _ in range(12)}
