"""Ours: an operation as people ask for it and as the worker does it, in one process."""

import time
from typing import Any
from uuid import uuid4

import django

django.setup()

from django.db import connection  # noqa: E402

from dlqconsole.engine.access_scope import EVERYTHING, ask_as  # noqa: E402
from dlqconsole.engine.counts import rollups  # noqa: E402
from dlqconsole.operations.models import Operation  # noqa: E402
from dlqconsole.operations.requests import controls, service  # noqa: E402
from dlqconsole.operations.work import leases, run  # noqa: E402
from dlqconsole.operations.work.freezing import freeze  # noqa: E402
from tests.accounts import ALICE  # noqa: E402
from tests.asking import ask_for  # noqa: E402

ask_as(EVERYTHING)
# we are the worker: there is nobody to wake
service.wake = controls.wake = run.wake = lambda *_: None


class Peer:
    def __init__(self, url: str) -> None:
        connection.ensure_connection()
        rollups.fold()

    def freeze(self, kind: str, number: int, parameters: dict[str, Any]) -> dict[str, float]:
        """Ask for an operation over all dead letters, and make its selection."""
        operation = ask_for(
            kind,
            actor=ALICE,
            reason="to measure it",
            expected=number,
            typed_count=number,
            parameters=parameters,
        )
        return {"operation": operation.pk, "seconds": self._freeze(operation.pk)}

    def work(self, operation: int) -> float:
        """Work on it until it is over, slice by slice; the seconds that took."""
        begun = time.monotonic()
        while (found := Operation.objects.get(pk=operation)).is_live:
            run.run(operation)
        seconds = time.monotonic() - begun
        if found.done != found.selected or found.status != "completed":
            raise RuntimeError(f"Of {found.selected} items {found.done} are done: {found.note}")
        return seconds

    def undo(self, operation: int) -> float:
        """Take it back; the seconds that took, without making the selection."""
        undoing = controls.undo(operation, "bench", "to measure it", uuid4())
        self._freeze(undoing.pk)
        return self.work(undoing.pk)

    def _freeze(self, operation: int) -> float:
        begun = time.monotonic()
        held = leases.adopt(operation, "bench")
        assert freeze(held, deadline=float("inf"))
        seconds = time.monotonic() - begun
        leases.put_down(held)
        return seconds
