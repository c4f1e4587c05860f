"""A person at the console, as a process of its own: a line of JSON asks it, a line of JSON is its answer.

Whoever loses the connection to the database does what a person does who sees an error page: the same again.
"""

import json
import subprocess
import sys
import time
from typing import Any
from uuid import uuid4

from tests.starting import Popen

PATIENCE = 30.0


class Person:
    """Asks the operations service for things, in words that survive a lost connection."""

    def __init__(self, world, name: str, **environment: str) -> None:
        self.process = Popen(
            [sys.executable, "-m", "tests.faults.person", name],
            env=world.environment() | environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        world.processes.append(self.process)
        world.log(self.process).touch()

    def request(self, kind: str, **given: Any) -> int:
        """Ask for an operation; its number."""
        return self._ask("request", kind=kind, request_key=str(uuid4()), **given)

    def cancel(self, operation_id: int) -> bool:
        return self._ask("cancel", operation_id=operation_id)

    def undo(self, operation_id: int) -> int:
        """Ask for the operation that takes this one back; its number."""
        return self._ask("undo", operation_id=operation_id, request_key=str(uuid4()))

    def later_arrivals(self, operation_id: int) -> int:
        """What the receipt says of those that came too late."""
        return self._ask("later_arrivals", operation_id=operation_id)

    def rollups(self) -> list[Any]:
        """Where the figures of dead letters differ from the truth."""
        return self._ask("rollups")

    def _ask(self, verb: str, **given: Any) -> Any:
        self.process.stdin.write(json.dumps({"verb": verb, **given}) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())


def main(name: str) -> None:
    for line in sys.stdin:
        asked = json.loads(line)
        verb = globals()["_" + asked.pop("verb")]
        print(
            json.dumps(_steadily(lambda verb=verb, asked=asked: verb(name, **asked)), default=str), flush=True
        )


def _steadily(step) -> Any:
    from django.db import InterfaceError, OperationalError, connection

    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            return step()
        except (OperationalError, InterfaceError):
            if time.monotonic() > deadline:
                raise
            connection.close()
            time.sleep(0.1)


def _request(name: str, kind: str, filter: dict[str, str] | None = None, **given: Any) -> int:
    from dlqconsole.engine.dead_letters.filters import DeadLetterFilter
    from tests.asking import ask_for

    scope = {} if filter is None else {"filter": DeadLetterFilter.parse(filter)}
    values = {"actor": name, "reason": "the deploy has mended it", "expected_exact": False}
    return ask_for(kind, **(values | scope | given)).pk


def _cancel(name: str, operation_id: int) -> bool:
    from dlqconsole.operations.requests import service

    return service.cancel(operation_id, name)


def _undo(name: str, operation_id: int, request_key: str) -> int:
    from dlqconsole.operations.requests import controls

    return controls.undo(operation_id, name, "a mistake", request_key).pk


def _later_arrivals(_name: str, operation_id: int) -> int:
    from dlqconsole.operations.models import Operation
    from dlqconsole.operations.receipts import receipt

    return receipt.later_arrivals(Operation.objects.get(pk=operation_id))


def _rollups(_name: str) -> list[Any]:
    from dlqconsole.engine.counts import rollups

    return rollups.check()


if __name__ == "__main__":
    import django

    django.setup()

    from dlqconsole.engine.access_scope import EVERYTHING, asking_as

    with asking_as(EVERYTHING):
        main(sys.argv[1])
