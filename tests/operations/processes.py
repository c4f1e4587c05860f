"""Python programs as processes of their own on the test's database, for tests that kill or stop them."""

import os
import subprocess
import sys
from typing import Any, Self
from urllib.parse import quote

from django.db import connection

from tests.starting import Popen


class Processes:
    """Starts programs; those that are left at the end of the block are killed."""

    def __init__(self, **environment: str) -> None:
        self.environment = os.environ | environment_here() | environment
        self._started: list[subprocess.Popen[str]] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        for process in self._started:
            process.kill()
            process.wait()

    def begin(self, *arguments: str, stdin: Any = None, **environment: str) -> subprocess.Popen[str]:
        """Start a program, such as ("manage.py", "relay")."""
        process = Popen(
            [sys.executable, *arguments],
            env=self.environment | environment,
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self._started.append(process)
        return process

    def start(self, module: str, **environment: str) -> subprocess.Popen[str]:
        """Start a module that prints "ready", and wait until it is."""
        process = self.begin("-m", module, **environment)
        assert process.stdout.readline() == "ready\n", f"{module} did not start"
        return process


def address_here() -> str:
    """Where this test's database is."""
    given = connection.get_connection_params()
    user, password = given.get("user", ""), quote(given.get("password") or "", safe="")
    return f"postgres://{user}:{password}@{given['host']}:{given['port']}/{given['dbname']}"


def environment_here() -> dict[str, str]:
    """What a process needs to find this test's database."""
    return {
        "DATABASE_URL": address_here(),
        "DJANGO_SETTINGS_MODULE": os.environ["DJANGO_SETTINGS_MODULE"],
        "DLQ_HANDLERS": "tests.sample_handlers",
    }
