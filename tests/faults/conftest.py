"""One private server for the session, and a fresh database of it for each test."""

import os
import sys
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from tests.engine.database.locking import locks_are_forgotten  # noqa: F401 - a fixture
from tests.faults.handlers import TABLES
from tests.faults.server import Server
from tests.faults.world import World
from tests.once import once
from tests.servers import hash_password_once
from tests.starting import Popen

TEMPLATE = "template_of_faults"
_numbers = count(1)


@pytest.fixture(scope="session")
def private_server() -> Iterator[Server]:
    """A PostgreSQL that tests may crash. It has a database with our tables, to be copied."""
    server = Server(like=once("private-server", _keep_one))
    try:
        server.start()
        yield server
    finally:
        server.close()


def _keep_one(folder: Path) -> None:
    """Our tables are migrated once for all processes of a run."""
    server = Server()
    try:
        server.start()
        hash_password_once(server.postgres)
        with server.connect() as session:
            session.execute(f"CREATE DATABASE {TEMPLATE}")
        environment = os.environ | {"DATABASE_URL": server.url(TEMPLATE)}
        with Popen([sys.executable, "manage.py", "migrate", "--verbosity", "0"], env=environment) as process:
            assert process.wait() == 0
        with server.connect(TEMPLATE) as session:
            session.execute(TABLES)
        server.keep(folder)
    finally:
        server.close()


@pytest.fixture
def world(private_server: Server, tmp_path: Path) -> Iterator[World]:
    """A database of its own, with one queue whose leases last two seconds."""
    database = f"faults_{next(_numbers)}"
    with private_server.connect() as session:
        session.execute(f"CREATE DATABASE {database} TEMPLATE {TEMPLATE}")
    world = World(private_server, database, tmp_path)
    yield world
    world.close()
    with private_server.connect() as session:
        session.execute(f"DROP DATABASE {database} WITH (FORCE)")
