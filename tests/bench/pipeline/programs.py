"""Programs that work on a database of their own, timed from their start to their end."""

import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Any, Self

import psycopg

from dlqconsole.configuration.demo_environment import CHECKOUT
from tests.bench.crew import Crew
from tests.bench.server import FOLDERS
from tools.temporary_folders import temporary_folder

from .events import environment, lay_out
from .limit import TABLE

DATABASE = "pipeline"


class Programs(AbstractContextManager["Programs"]):
    """A database that is empty for each program unless it is told to go on, and events in folders."""

    def __init__(self, crew: Crew) -> None:
        self._crew = crew
        self.home = temporary_folder(f"{FOLDERS}pipeline-")
        self.url = crew.url

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._crew.server.drop(DATABASE)
        shutil.rmtree(self.home, ignore_errors=True)

    def folder(self, number: int) -> str:
        """Where so many events are."""
        return str(lay_out(self.home, number))

    def fresh(self) -> None:
        """An empty database."""
        self.url = self._crew.server.database(DATABASE)
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute(TABLE)

    def seconds(self, *commands: Sequence[str]) -> float:
        """All of them at once; until the last has ended. Raises CalledProcessError."""
        begun = time.monotonic()
        started = [self._start(command) for command in commands]
        for child in started:
            if child.wait():
                raise subprocess.CalledProcessError(child.returncode, child.args)
        return time.monotonic() - begun

    def ask(self, query: str) -> Any:
        """The one value that a query gives."""
        with psycopg.connect(self.url, autocommit=True) as connection:
            row = connection.execute(query).fetchone()
        return row and row[0]

    def _start(self, command: Sequence[str]) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-m", *command],
            cwd=CHECKOUT,
            env=environment(self.home, self.url),
            stdout=subprocess.DEVNULL,
            start_new_session=True,
        )
