"""The words of `make demo` when it cannot start: one line, and an exit status."""

import fcntl
import os
import socket
import subprocess
import sys

import pytest

from dlqconsole.configuration.demo_environment import CHECKOUT
from dlqconsole.running.ports import free_port


def demo(data, port, **more):
    """Run the real command, which has to give up before it starts anything."""
    env = os.environ | {"DLQ_DATA_DIR": str(data), "PORT": str(port)} | more
    command = [sys.executable, "-m", "tools", "demo"]
    return subprocess.run(command, env=env, cwd=CHECKOUT, capture_output=True, text=True, timeout=30)


@pytest.fixture
def taken_port():
    """A port that somebody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def test_a_taken_port_is_named_in_one_line_with_exit_status_2(tmp_path, taken_port):
    ended = demo(tmp_path, taken_port)
    assert ended.returncode == 2
    (line,) = ended.stderr.splitlines()
    assert line.startswith(f"Port {taken_port} is taken")
    assert line.endswith(f"PORT={taken_port + 1} make demo")


@pytest.mark.parametrize("port", ["http", "0", "65536", "-1"])
def test_a_port_that_is_none_is_named_in_one_line(tmp_path, port):
    ended = demo(tmp_path, port)
    assert ended.returncode == 2
    assert ended.stderr.startswith(f"PORT={port} is not a port")
    assert len(ended.stderr.splitlines()) == 1


def test_a_second_demo_on_the_same_data_says_that_one_runs(tmp_path, taken_port):
    with (tmp_path / "lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        ended = demo(tmp_path, taken_port)
    assert ended.returncode == 1
    assert ended.stderr.splitlines() == [
        f"The console is already running on {tmp_path}: use that one, or set DLQ_DATA_DIR"
    ]


def test_a_data_directory_that_cannot_be_is_one_line(tmp_path):
    (tmp_path / "file").write_text("")
    ended = demo(tmp_path / "file" / "data", 1)
    assert ended.returncode == 2
    assert "set DLQ_DATA_DIR to a folder of yours" in ended.stderr
    assert len(ended.stderr.splitlines()) == 1


def test_somebody_elses_postgresql_is_left_alone_with_all_around_it(tmp_path):
    (tmp_path / "postgres").mkdir()
    (tmp_path / "postgres" / "PG_VERSION").write_text("18\n")
    ended = demo(tmp_path, free_port(20_000))
    assert ended.returncode == 2
    assert ended.stdout == ""
    (line,) = ended.stderr.splitlines()
    assert line.startswith(f"{tmp_path / 'postgres'} is a PostgreSQL that we did not make, and is left alone")
    assert [*tmp_path.rglob("*")] == [tmp_path / "postgres", tmp_path / "postgres" / "PG_VERSION"]


@pytest.mark.parametrize(
    ("name", "words"),
    [("DLQ_PG_HOME", "is the folder that has bin/postgres"), ("DLQ_VALKEY_SERVER", "cannot be run")],
)
def test_a_server_that_is_not_there_is_one_line(tmp_path, name, words):
    own_servers = {"DATABASE_URL": "", "REDIS_URL": ""}
    for wrong in ("/nonexistent", "/", "nothing/here"):
        ended = demo(tmp_path, free_port(20_000), **own_servers, **{name: wrong})
        assert ended.returncode == 2
        (line,) = ended.stderr.splitlines()
        assert line.startswith(name)
        assert words in line
    assert not (tmp_path / "postgres").exists()


def test_an_unknown_command_shows_the_usage_and_starts_nothing():
    for words in (["dance"], ["demo", "--help"]):
        command = [sys.executable, "-m", "tools", *words]
        ended = subprocess.run(command, cwd=CHECKOUT, capture_output=True, text=True, timeout=30)
        assert ended.returncode == 2
        assert ended.stderr.startswith("usage:")
