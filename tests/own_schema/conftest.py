"""Programs on an empty database of their own, with their tables in a schema."""

import os
import subprocess
import sys
from collections.abc import Callable

import psycopg
import pytest

from tests.core.conftest import new_database  # noqa: F401 - a fixture

Run = Callable[..., subprocess.CompletedProcess[str]]


def url(connection: psycopg.Connection, user: str = "") -> str:
    server, _, place = os.environ["DATABASE_URL"].rpartition("/")[0].rpartition("@")
    account = f"postgresql://{user}" if user else server
    return f"{account}@{place}/{connection.info.dbname}"


@pytest.fixture
def database(new_database) -> psycopg.Connection:  # noqa: F811
    made = new_database()
    made.autocommit = True
    return made


@pytest.fixture
def run(database) -> Run:
    """run("dlq", "manage.py", "migrate") runs a program on that database; it must end with that status."""

    def start(
        schema: str, *arguments: str, given: str = "", status: int = 0, **more: str
    ) -> subprocess.CompletedProcess[str]:
        settings = {"DATABASE_URL": url(database), "DLQ_HANDLERS": "tests.sample_handlers"}
        done = subprocess.run(
            [sys.executable, *arguments],
            env=os.environ | settings | {"DLQ_SCHEMA": schema} | more,
            input=given,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert done.returncode == status, done.stderr
        return done

    return start
