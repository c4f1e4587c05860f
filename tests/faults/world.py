"""One database on the private server, and the consumers and producers that work on it as real processes."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tests.faults.server import Server
from tests.starting import Popen

QUEUE = "chaos"
# seconds between two looks, at first and after a second
SHORTEST, LONGEST = 0.02, 0.06
POLICY = {"lease_seconds": 2, "max_retries": 20, "backoff_base_seconds": 0.05, "backoff_cap_seconds": 0.5}


class World:
    """A fresh database with one queue of short leases, and everything that runs on it."""

    def __init__(self, server: Server, database: str, folder: Path) -> None:
        self.server = server
        self.database = database
        self.folder = folder
        self.sql = server.connect(database)
        self.processes: list[subprocess.Popen[bytes]] = []
        self.set_policy()

    def set_policy(self, queue: str = QUEUE, **changed: Any) -> None:
        """Make or change a queue's policy."""
        policy = POLICY | changed
        names, places = ", ".join(policy), ", ".join(["%s"] * len(policy))
        self.sql.execute(
            f"INSERT INTO queues (name, {names}) VALUES (%s, {places}) ON CONFLICT (name)"
            f" DO UPDATE SET ({names}) = ROW ({places})",
            [queue, *policy.values(), *policy.values()],
        )

    def environment(self, port: int | None = None) -> dict[str, str]:
        """What a process needs; with a ``port`` the engine, not the handler, goes through a proxy there."""
        return os.environ | {
            "DATABASE_URL": self.server.url(self.database, port),
            "FAULTS_EFFECTS_URL": self.server.url(self.database),
            "DLQ_HANDLERS": "tests.faults.handlers",
        }

    def consume(
        self, *options: str, queues: Sequence[str] = (QUEUE,), port: int | None = None, **environment: str
    ) -> subprocess.Popen[bytes]:
        """Start a consumer. What it says goes to a file named by its number."""
        command = [sys.executable, "manage.py", "consume", *queues, *options]
        return self.start(command, self.environment(port) | environment)

    def run(self, module: str, *arguments: str, **environment: str) -> subprocess.Popen[bytes]:
        """Start a module of ours as a program."""
        return self.start([sys.executable, "-m", module, *arguments], self.environment() | environment)

    def said(self, process: subprocess.Popen[bytes]) -> str:
        """What a process has printed."""
        return self.log(process).read_text(errors="replace")

    def send(self, count: int = 1, **data: Any) -> list[int]:
        """Put messages on the queue by plain SQL; their ids."""
        group = data.get("group")
        rows = [json.dumps(data | {"key": f"{time.monotonic_ns()}-{n}", "place": n}) for n in range(count)]
        return [
            row[0]
            for row in self.sql.execute(
                "INSERT INTO message_queue (queue, payload, group_key)"
                " SELECT %s, p::jsonb, %s FROM unnest(%s::text[]) WITH ORDINALITY u (p, n)"
                " ORDER BY n RETURNING id",
                [QUEUE, group, rows],
            )
        ]

    def put(self, data: dict[str, Any]) -> None:
        """Send one message with just this data, in the group that it names."""
        self.sql.execute(
            "INSERT INTO message_queue (queue, payload, group_key) VALUES (%s, %s, %s)",
            [QUEUE, json.dumps(data), data.get("group")],
        )

    def count(self, query: str, *values: Any) -> Any:
        """The one value that a query asks for."""
        return self.sql.execute(query, values or None).fetchone()[0]

    def waiting(self) -> int:
        """How many messages are on the queue."""
        return self.count("SELECT count(*) FROM message_queue")

    def until(self, condition: Callable[[], object], seconds: float = 120, process: Any = None) -> None:
        """Wait until something is so; with a process, fail at once when that ends.

        It is looked for the less often the longer it takes: a look costs.
        """
        begun = time.monotonic()
        while not condition():
            waited = time.monotonic() - begun
            if process is not None and process.poll() is not None:
                raise AssertionError(
                    f"the consumer ended ({process.returncode}):\n{self.said(process)[-4000:]}"
                )
            if waited > seconds:
                logs = "\n".join(self.said(one)[-2000:] for one in self.processes)
                raise AssertionError(f"it did not happen within {seconds:g} s\n{logs}")
            time.sleep(min(LONGEST, max(SHORTEST, waited / 20)))

    def drain(self, seconds: float = 30, process: Any = None) -> None:
        """Wait until no message is left."""
        self.until(lambda: self.waiting() == 0, seconds, process)

    def terminate_backends(self, condition: str = "true") -> int:
        """End the sessions of this database that a condition on pg_stat_activity names, but ours."""
        return self.count(
            "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
            f" AND datname = current_database() AND backend_type = 'client backend' AND ({condition})"
        )

    def reconnect(self) -> None:
        """After the server was crashed."""
        self.sql.close()
        self.sql = self.server.connect(self.database)

    def close(self) -> None:
        """kill -9 for what still runs."""
        for process in self.processes:
            if process.poll() is None:
                process.send_signal(signal.SIGKILL)
                process.wait()
        self.sql.close()

    def log(self, process: subprocess.Popen) -> Path:
        """The file that gets what one of our processes prints."""
        return self._log(self.processes.index(process))

    def start(
        self, command: list[str], environment: dict[str, str], in_its_own_session: bool = False
    ) -> subprocess.Popen[bytes]:
        """Start any program; what it says goes to a file."""
        with self._log(len(self.processes)).open("wb") as log:
            process = Popen(
                command,
                env=environment,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=in_its_own_session,
            )
        self.processes.append(process)
        return process

    def _log(self, number: int) -> Path:
        return self.folder / f"process-{number}.log"
