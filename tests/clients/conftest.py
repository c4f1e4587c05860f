"""The client in this process or in programs, before a console by HTTP or a database whose reporter it is."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import dlq
import pytest
from psycopg.conninfo import conninfo_to_dict
from psycopg.rows import dict_row

from tests.clients.peers import Console

PACKAGE = Path(__file__).parents[2] / "clients" / "python"


@pytest.fixture
def console() -> Iterator[Console]:
    console = Console()
    yield console
    console.close()


@pytest.fixture
def folder(tmp_path) -> Path:
    """Where the spools of a test are."""
    return tmp_path / "spool"


@pytest.fixture
def init(folder) -> Iterator[Callable[..., None]]:
    """``init(dsn)`` starts the client; it ends with the test, and waits for nobody."""

    def start(dsn: str, **options: Any) -> None:
        dlq.init(dsn, **{"source": "shop", "spool": str(folder), "exit_seconds": 0.0} | options)

    yield start
    if dlq._running:
        dlq._running[0].close(0)
        dlq._running = None


@pytest.fixture
def reporter_url(emptied) -> Callable[..., str]:
    """``reporter_url(port=…)`` is the URL of a role that may report failures, and nothing else."""

    def url(**more: Any) -> str:
        address = emptied.address("reporter")
        known = conninfo_to_dict(address.pop("conninfo")) | address | more
        wanted = {name: known[name] for name in ("host", "port", "dbname", "user", "password")}
        return f"postgresql://?{urlencode(wanted, quote_via=quote)}"

    return url


@pytest.fixture
def letters(emptied) -> Callable[[], list[dict[str, Any]]]:
    """``letters()`` are the dead letters, in order, as the owner sees them."""

    def read() -> list[dict[str, Any]]:
        with emptied.owner().cursor(row_factory=dict_row) as cursor:
            return cursor.execute("SELECT * FROM dlq_events ORDER BY id").fetchall()

    return read


@pytest.fixture
def run(folder) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """``run(dsn, code)`` is a program that begins with ``dlq.init``; what still runs is killed."""
    programs = []

    def start(dsn: str, code: str, python: str = sys.executable, **options: Any) -> subprocess.Popen[str]:
        options = {"source": "shop", "spool": str(folder), "exit_seconds": 0.0} | options
        begin = f"import dlq, os, sys, time\ndlq.init({dsn!r}, **{options!r})\n"
        program = subprocess.Popen(
            [python, "-W", "ignore", "-c", begin + code],
            env={**os.environ, "PYTHONPATH": str(PACKAGE)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        programs.append(program)
        return program

    yield start
    for program in programs:
        program.kill()
        program.communicate()
