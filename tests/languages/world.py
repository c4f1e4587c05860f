"""Queues that workers in other languages live on, seen with the owner's eyes."""

import json
import os
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from psycopg.rows import dict_row
from psycopg.sql import SQL

from tests.security.database_roles import Roles
from tests.starting import Popen
from tests.waiting import eventually

QUEUE = "orders"
# what the worker in Python reads
PYTHONS = {"DLQ_HANDLERS": "tests.languages.handlers.handle"}
LEFT_BY_OTHERS = (
    "handled, message_archive, handler_reports, queue_sleepers, queue_tokens, queue_activity, queue_topics,"
    " producer_queues"
)


class World:
    """``sql`` is the owner's session, ``consumer`` one of the role for consumers in SQL."""

    def __init__(self, roles: Roles, folder: Path) -> None:
        self.roles, self.folder = roles, folder
        self.processes: list[subprocess.Popen[bytes]] = []
        self.sql = roles.owner()
        self.consumer = roles.connect("consumer")
        roles.empty()
        self.sql.execute(f"TRUNCATE {LEFT_BY_OTHERS}")

    @staticmethod
    def prepare(roles: Roles) -> None:
        """Make what the handlers need: a table to write to, and the handler in SQL."""
        roles.owner().execute((Path(__file__).parent / "handlers" / "handle.sql").read_text())
        role = roles.role("consumer")
        roles.owner().execute(SQL("GRANT INSERT, SELECT ON handled TO {}").format(role))
        roles.owner().execute(SQL("GRANT USAGE ON SEQUENCE handled_id_seq TO {}").format(role))
        roles.owner().execute(SQL("GRANT EXECUTE ON FUNCTION handle TO {}").format(role))
        roles.owner().execute(SQL("GRANT INSERT ON handled TO {}").format(roles.role("app")))
        roles.owner().execute(SQL("GRANT USAGE ON SEQUENCE handled_id_seq TO {}").format(roles.role("app")))

    def policy(self, **columns: Any) -> None:
        """Set the queue's policy."""
        names, places = ", ".join(["name", *columns]), ", ".join(["%s"] * (len(columns) + 1))
        self.sql.execute("DELETE FROM queues WHERE name = %s", [QUEUE])
        self.sql.execute(f"INSERT INTO queues ({names}) VALUES ({places})", [QUEUE, *columns.values()])

    def send(self, *payloads: dict[str, Any], group: str | None = None) -> list[int]:
        """Send messages in one transaction; their ids."""
        return [
            self.value("SELECT queue_send(%s, %s, group_key => %s)", QUEUE, json.dumps(payload), group)
            for payload in payloads
        ]

    def start(self, command: Sequence[str], name: str, role: str = "consumer") -> subprocess.Popen[bytes]:
        """Start a worker; it is known by its program's name."""
        words = [word.replace("{queue}", QUEUE).replace("{address}", self.address(role)) for word in command]
        with (self.folder / f"{name} {len(self.processes)}").open("wb") as log:
            process = Popen(
                words,
                env=os.environ | {"DATABASE_URL": self.address(role), "PGAPPNAME": name, **PYTHONS},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        self.processes.append(process)
        return process

    def address(self, role: str = "consumer") -> str:
        """The database as a role, in the form that every language reads."""
        info = self.sql.info
        user, password = (quote(word, "") for word in (self.roles.prefix + role, self.roles.passwords[role]))
        place = urlencode({"host": info.host, "port": info.port, "sslmode": "disable"}, quote_via=quote)
        return f"postgresql://{user}:{password}@/{quote(self.roles.name)}?{place}"

    def value(self, query: str, *values: Any) -> Any:
        """The one value that a query asks for; None where it has no row."""
        row = self.sql.execute(query, values or None).fetchone()
        return row and row[0]

    def rows(self, query: str, *values: Any) -> list[dict[str, Any]]:
        with self.sql.cursor(row_factory=dict_row) as cursor:
            return cursor.execute(query, values or None).fetchall()

    def handled(self) -> list[int]:
        """The numbers that handlers were called with and kept, in that order."""
        return [number for (number,) in self.sql.execute("SELECT n FROM handled ORDER BY id")]

    def is_empty(self) -> bool:
        return not self.value("SELECT count(*) FROM message_queue WHERE queue = %s", QUEUE)

    def is_asleep(self, workers: int = 1) -> bool:
        """Whether so many workers have looked in vain: until a notice comes, or in a claim that waits."""
        return workers <= self.value(
            "SELECT (SELECT count(*) FROM queue_sleepers"
            " WHERE until > clock_timestamp() AND consumer ~ '[(](node|go)[)]')"
            " + (SELECT count(*) FROM pg_stat_activity"
            " WHERE application_name = 'sql' AND wait_event = 'PgSleep' AND usename = %s"
            " AND query ~ 'queue_claim')",
            self.roles.prefix + "consumer",
        )

    def until(self, condition: Any, seconds: float = 60) -> None:
        """Wait until something is so; else tell what the workers said."""
        try:
            eventually(condition, seconds)
        except AssertionError as error:
            said = "\n".join(
                f"{log.name}: {log.read_text()[-1500:]}" for log in self.folder.iterdir() if log.is_file()
            )
            raise AssertionError(f"{error}\n{said}") from None

    def end(self) -> None:
        """kill -9 for each worker that still runs."""
        for process in self.processes:
            if process.poll() is None:
                process.send_signal(signal.SIGKILL)
            process.wait()
        # what has lost its program would notice it only now and then
        self.end_sessions()

    def end_sessions(self, most: int | None = None) -> None:
        """End sessions of the workers, all or so many of them."""
        self.value(
            "SELECT count(pg_terminate_backend(pid, 5000)) FROM (SELECT pid FROM pg_stat_activity"
            " WHERE usename = ANY (%s) AND application_name = ANY (%s) ORDER BY random() LIMIT %s) workers",
            [self.roles.prefix + role for role in ("consumer", "app")],
            ["node", "go", "sql", "python"],
            most,
        )
