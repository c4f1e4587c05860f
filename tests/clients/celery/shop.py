"""The shop of ``project``: its worker as a real process, and what others do with it."""

import importlib
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import redis
from django.conf import settings

from dlqconsole.transports import attachments, relay
from tests.accounts import ALICE
from tests.asking import ask_for
from tests.clients.peers import Door
from tests.operations.conftest import work
from tests.security.database_roles import Roles
from tests.starting import Popen
from tests.waiting import eventually

CHECKOUT = Path(__file__).parents[3]
PATHS = [str(CHECKOUT / "clients/python"), str(Path(__file__).parent / "project")]
QUEUES = ("shop-mail", "shop-parcels")
WORKER = ("-c", "2", "-Q", ",".join(QUEUES), "--without-gossip", "--without-mingle", "--loglevel=INFO")


class Shop:
    """A worker with two processes, its application to send tasks by, and the console that it reports to."""

    def __init__(self, roles: Roles, folder: Path) -> None:
        self.roles, self.folder = roles, folder
        self.broken = folder / "broken"
        self.door = Door(self.roles.owner().info.port)
        self.door.open()
        self.environment = {
            "SHOP_BROKER": settings.REDIS_URL,
            "SHOP_CONSOLE": self._address(),
            "SHOP_FOLDER": str(folder),
            "SHOP_SPOOL": str(folder / "spool"),
            "PYTHONPATH": os.pathsep.join(PATHS),
            # Celery asks for it where a superuser's worker takes pickled messages
            "C_FORCE_ROOT": "1",
        }
        self.workers: list[Popen] = []
        self.start()

    def start(self, *options: str) -> Popen:
        """Start a worker."""
        name = f"w{len(self.workers)}@shop"
        with (self.folder / "log").open("ab") as log:
            worker = Popen(
                [sys.executable, "-m", "celery", "-A", "shop", "worker", *WORKER, "-n", name, *options],
                # it is no worker of the console's
                env={**os.environ, **self.environment, "DJANGO_SETTINGS_MODULE": ""},
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self.workers.append(worker)
        return worker

    def pool(self) -> list[int]:
        """The processes of the newest worker's pool, as soon as there are two."""
        pid = self.workers[-1].pid
        children = Path(f"/proc/{pid}/task/{pid}/children")
        self.until(lambda: len(children.read_text().split()) == 2)
        return [int(child) for child in children.read_text().split()]

    def end(self) -> None:
        """kill -9 for each worker that still runs, and what they have left in the broker goes."""
        for worker in self.workers:
            if worker.poll() is None:
                os.killpg(worker.pid, signal.SIGKILL)
                worker.wait()
        self.door.close()
        keys = [*QUEUES, "unacked", "unacked_index", *(f"_kombu.binding.{queue}" for queue in QUEUES)]
        redis.from_url(settings.REDIS_URL).delete(*keys)

    def value(self, query: str, *values: Any) -> Any:
        row = self.roles.owner().execute(query, values or None).fetchone()
        return row and (row[0] if len(row) == 1 else row)

    def letters(self, where: str = "true", *values: Any) -> list[dict[str, Any]]:
        """The dead letters, oldest first."""
        cursor = self.roles.owner().execute(
            f"SELECT row_to_json(d) FROM dlq_events d WHERE {where} ORDER BY id", values or None
        )
        return [row for (row,) in cursor]

    def letter(self, key: str) -> dict[str, Any]:
        """The one of a task, as soon as it is there."""
        self.until(lambda: self.letters("source_key = %s", key))
        [found] = self.letters("source_key = %s", key)
        return found

    def attempts(self, letter: dict[str, Any]) -> list[tuple[str, str]]:
        rows = self.roles.owner().execute(
            "SELECT kind, outcome FROM dlq_attempts WHERE dlq_event_id = %s ORDER BY id", [letter["id"]]
        )
        return rows.fetchall()

    def done(self) -> list[str]:
        """What the worker has done, a line each."""
        file = self.folder / "done"
        return file.read_text().splitlines() if file.exists() else []

    def until(self, condition: Callable[[], object], seconds: float = 20) -> None:
        """Wait until something is so; else tell what the worker said."""
        try:
            eventually(lambda: condition() or self.workers[-1].poll() is not None, seconds)
            assert condition(), "the worker has ended"
        except AssertionError as error:
            said = (self.folder / "log").read_text()[-4000:]
            raise AssertionError(f"{error}\n{self.letters()}\n{self.done()}\n{said}") from None

    def is_closed(self, letter: dict[str, Any], status: str = "SUCCEEDED") -> Callable[[], bool]:
        return lambda: self.value("SELECT status FROM dlq_events WHERE id = %s", letter["id"]) == status

    def revive(self, *letters: dict[str, Any]) -> None:
        """Revive them as a person does at the console; its relay sends them to the broker."""
        with self.roles.as_role(None):
            attachments.attach("celery:shop", actor="test")
            ask_for("revive", actor=ALICE, ids=[letter["id"] for letter in letters])
            work()
            self.relay()

    @contextmanager
    def database_away(self, how: str = "closed") -> Iterator[None]:
        """Nobody who reports gets to the console's database: refused at once, or left without an answer."""
        if how == "closed":
            self.door.close()
        else:
            self.door.be_silent()
        try:
            yield
        finally:
            self.door.open()
            if how == "hanging up":
                self.door.hang_up()

    def relay(self) -> dict[str, int]:
        """Let the relay go round."""
        with self.roles.as_role(None):
            return relay.run_once()

    def _address(self) -> str:
        """The console's database, as the role that reports."""
        user = quote(self.roles.prefix + "reporter", "")
        password = quote(self.roles.passwords["reporter"], "")
        place = urlencode(
            {"host": "127.0.0.1", "port": self.door.port, "sslmode": "disable"}, quote_via=quote
        )
        return f"postgresql://{user}:{password}@/{quote(self.roles.name)}?{place}"


def application(shop: Shop) -> Any:
    """The shop's application in this process, to send tasks by; it reports nothing from here."""
    os.environ.update({name: value for name, value in shop.environment.items() if name != "PYTHONPATH"})
    sys.path[:0] = PATHS
    return importlib.import_module("shop")
