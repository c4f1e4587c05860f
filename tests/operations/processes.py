"""Python modules as processes of their own on the test's database, for tests that kill or stop them."""

import os
import subprocess
import sys
from urllib.parse import quote

from django.db import connection

from tests.starting import Popen


class Processes:
    """Starts modules that print "ready" once they are."""

    def __init__(self, **environment: str) -> None:
        self.environment = os.environ | environment_here() | environment
        self._started: list[subprocess.Popen[str]] = []

    def start(self, module: str, **environment: str) -> subprocess.Popen[str]:
        """Start one and wait until it is ready."""
        process = Popen(
            [sys.executable, "-m", module],
            env=self.environment | environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self._started.append(process)
        assert process.stdout.readline() == "ready\n", f"{module} did not start"
        return process

    def kill_all(self) -> None:
        """kill -9 for what is left."""
        for process in self._started:
            process.kill()
            process.wait()


def environment_here() -> dict[str, str]:
    """What a process needs to find this test's database."""
    given = connection.get_connection_params()
    user, password = given.get("user", ""), quote(given.get("password") or "", safe="")
    return {
        "DATABASE_URL": f"postgres://{user}:{password}@{given['host']}:{given['port']}/{given['dbname']}",
        "DJANGO_SETTINGS_MODULE": os.environ["DJANGO_SETTINGS_MODULE"],
        "DLQ_HANDLERS": "tests.sample_handlers",
    }
