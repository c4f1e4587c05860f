"""What cannot be is one sentence, and nothing is started."""

import os
import socket
import subprocess
import sys

import pytest

from dlqconsole import __version__
from dlqconsole.configuration.demo_environment import CHECKOUT

pytestmark = pytest.mark.slow
AWAY = "postgres://nobody@127.0.0.1:1/none"


def dlqconsole(data, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
    unset = dict.fromkeys(("DATABASE_URL", "REDIS_URL", "SECRET_KEY"), "")
    return subprocess.run(
        [sys.executable, "-m", "dlqconsole", *words],
        env=os.environ | unset | {"DLQ_DATA_DIR": str(data)} | more,
        cwd=CHECKOUT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )


def test_a_port_in_use(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ended = dlqconsole(tmp_path, "up", "--port", str(port), "--database-url", AWAY)
    assert ended.returncode == 2
    assert ended.stderr == (
        f"Cannot listen on 127.0.0.1, port {port} (address already in use): choose another by --port\n"
    )


def test_no_database(tmp_path):
    ended = dlqconsole(tmp_path, "up", "--port", "54999")
    assert ended.returncode == 2
    assert ended.stderr == ("Give the database: dlqconsole up --database-url postgres://user@host/database\n")


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        (AWAY, "CommandError: The database of DATABASE_URL does not answer: "),
        ("mysql://a@b/c", "dlqconsole cannot start: DATABASE_URL: It must be a URL like "),
    ],
    ids=["away", "no URL of PostgreSQL"],
)
def test_a_wrong_database(tmp_path, url, sentence):
    ended = dlqconsole(tmp_path, "up", "--port", "54999", "--database-url", url)
    assert ended.returncode == 1
    assert ended.stderr.startswith(sentence)
    assert len(ended.stderr.splitlines()) == 1


def test_a_command_that_is_none(tmp_path):
    ended = dlqconsole(tmp_path, "nonsense", DATABASE_URL=AWAY, SECRET_KEY=os.environ["SECRET_KEY"])
    assert ended.returncode == 1
    assert ended.stderr == "Unknown command: 'nonsense'\nType 'dlqconsole help' for usage.\n"


def test_the_version_and_the_commands_need_no_setting(tmp_path):
    assert dlqconsole(tmp_path, "--version").stdout == f"dlqconsole {__version__}\n"
    listed = dlqconsole(tmp_path, "help").stdout
    assert {"deadletters", "consume", "migrate", "work", "remove"} <= set(listed.split())
