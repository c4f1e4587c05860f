"""The embedded PostgreSQL, started and stopped for real."""

import os
import shutil
import signal
import stat
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

from dlqconsole.running.ports import free_port
from dlqconsole.system.errors import RuntimeProblem
from dlqconsole.system.processes import ask_to_stop, end_session, processes_in, spawn, wait_for
from tools import postgres_account
from tools.postgres import Postgres, installed_programs

pytestmark = pytest.mark.faults

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root has to step down")


@contextmanager
def running(server):
    """The server's process, ready for questions; stopped as the demo stops it."""
    server.prepare()
    account = server.account
    child = spawn(
        server.command(),
        env={"PATH": os.defpath},
        output=subprocess.DEVNULL,
        user=account.user,
        before_exec=account.before_exec,
        cwd=Path("/"),
    )
    try:
        assert wait_for(server.is_ready, 30)
        yield child
    finally:
        ask_to_stop(child, server.stop_signal)
        wait_for(lambda: child.poll() is not None, 20)
        end_session(child.pid)


@pytest.fixture
def private(tmp_path):
    """A folder that nobody else may enter."""
    folder = tmp_path / "private"
    folder.mkdir(mode=0o700)
    return folder


def ask(server):
    """Return the server's name of our database, over TCP and with the password."""
    server.create_database()
    with psycopg.connect(server.url()) as connection:
        return connection.execute("SELECT current_database()").fetchone()[0]


def test_it_runs_in_a_private_folder_and_stops_cleanly(private):
    server = Postgres(private / "data", free_port(), "p@ss/word")
    with running(server) as child:
        assert ask(server) == "dlqconsole"
    assert child.returncode == 0
    assert processes_in(server.account.data) == []
    assert stat.S_IMODE(private.stat().st_mode) == 0o700


def test_a_second_start_finds_its_data_and_still_wants_the_password(private):
    first = Postgres(private, free_port(), "right")
    with running(first):
        first.ask("CREATE TABLE kept AS SELECT 42 AS answer")
    second = Postgres(private, free_port(), "right")
    with running(second):
        assert second.ask("SELECT answer FROM kept") == "42"
        wrong = Postgres(private, second.port, "wrong")
        with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
            psycopg.connect(wrong.url())


def test_after_a_kill_it_starts_again_on_the_same_data(private):
    server = Postgres(private, free_port(), "secret")
    with running(server) as child:
        server.ask("CREATE TABLE kept AS SELECT 42 AS answer")
        os.kill(child.pid, signal.SIGKILL)
        child.wait()
    with running(server):
        assert server.ask("SELECT answer FROM kept") == "42"


def test_a_stale_pid_that_is_somebody_elses_now_does_not_keep_it_from_starting(private):
    server = Postgres(private, free_port(), "secret")
    server.prepare()
    lines = [str(os.getpid()), str(server.account.data), "1", str(server.port), "", "127.0.0.1", "", "ready"]
    (server.account.data / "postmaster.pid").write_text("\n".join(lines))
    with running(server):
        assert server.ask("SELECT 1") == "1"


def test_a_cluster_that_somebody_else_made_is_left_alone(private):
    theirs = private / "postgres"
    theirs.mkdir(mode=0o700)
    (theirs / "PG_VERSION").write_text("18\n")
    (theirs / "base").mkdir()
    before = {path: path.stat() for path in (theirs, *theirs.iterdir())}
    with pytest.raises(RuntimeProblem, match="did not make, and is left alone: set DLQ_DATA_DIR"):
        Postgres(private, free_port(), "secret").prepare()
    assert {path: path.stat() for path in (theirs, *theirs.iterdir())} == before


@as_root
def test_where_root_has_no_namespace_it_steps_down_to_an_ordinary_account(monkeypatch):
    monkeypatch.setattr(postgres_account, "namespace_works", lambda programs: False)
    monkeypatch.setattr(postgres_account, "can_reach", lambda user, program, folder: True)
    programs = installed_programs()
    user = postgres_account.ordinary_user()
    with tempfile.TemporaryDirectory() as open_folder:
        os.chmod(open_folder, 0o755)  # noqa: S103 - open on purpose
        account = postgres_account.choose_account(programs, Path(open_folder, "data"))
        assert (account.programs, account.user) == (programs, user)
        assert account.data.stat().st_uid == user


@as_root
def test_where_root_has_no_namespace_it_moves_out_and_leaves_the_folder_closed(private, monkeypatch):
    monkeypatch.setattr(postgres_account, "namespace_works", lambda programs: False)
    server = Postgres(private / "data", free_port(), "secret")
    try:
        with running(server) as child:
            assert ask(server) == "dlqconsole"
            assert Path(f"/proc/{child.pid}").stat().st_uid != 0
    finally:
        outside = server.account.data.parent
        assert outside.parent == Path("/var/tmp")
        shutil.rmtree(outside)
    assert child.returncode == 0
    assert stat.S_IMODE(private.stat().st_mode) == 0o700
