"""What the core's tests share: the sample handlers, and empty databases on the server of the tests."""

import os
import secrets
from collections.abc import Callable, Iterator

import psycopg
import pytest
from psycopg.sql import SQL, Identifier

from tests.engine.conftest import send  # noqa: F401 - a fixture
from tests.with_sample_handlers import sample_handlers, started_with  # noqa: F401 - fixtures


@pytest.fixture
def new_database(test_database) -> Iterator[Callable[[], psycopg.Connection]]:
    """Make an empty database, and connect to it."""
    names: list[str] = []
    connections: list[psycopg.Connection] = []
    with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as server:

        def make() -> psycopg.Connection:
            name = f"test_schema_{secrets.token_hex(4)}"
            server.execute(SQL("CREATE DATABASE {} TEMPLATE template0").format(Identifier(name)))
            names.append(name)
            connections.append(psycopg.connect(os.environ["DATABASE_URL"], dbname=name))
            return connections[-1]

        yield make
        for connection in connections:
            connection.close()
        for name in names:
            server.execute(SQL("DROP DATABASE {} WITH (FORCE)").format(Identifier(name)))
