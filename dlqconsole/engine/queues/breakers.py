"""The circuit breaker: when everything on a queue fails in ways that may heal, its messages are left alone.

Without it an outage of an hour uses up the retries of every message and makes a dead letter of each. The
breaker stands in the database, so all consumers see it and one message at a time tries whether it is over.
"""

import logging
import time
from collections.abc import Sequence
from typing import Any

from django.conf import settings

from dlqconsole.engine.database import prepared
from dlqconsole.engine.named_sql import fetch_column, fetch_dicts
from dlqconsole.engine.sql import sql
from dlqconsole.processing.outcomes import Failed, Outcome

log = logging.getLogger(__name__)

FIRST_PAUSE = 5.0
LONGEST_PAUSE = 60.0
LOOK_EVERY = 1.0


class Breaker:
    """One consumer's view of a queue's breaker. One thread's."""

    def __init__(self, queue: str) -> None:
        self.queue = queue
        self.is_open = False
        # this consumer is the one that tries a message
        self.is_probing = False
        self._in_a_row = 0
        self._look_at = 0.0

    def allows(self, wanted: int) -> int:
        """How many messages may be claimed now: as many as wanted, one to try with, or none."""
        if time.monotonic() >= self._look_at:
            self._look()
        if not self.is_open:
            return wanted
        self.is_probing = bool(self._run("probe"))
        return int(self.is_probing)

    def found_nothing(self) -> None:
        """There was no message to try with."""
        if self.is_probing:
            self.is_probing = False
            self._run("nothing_to_try")

    def note(self, outcome: Outcome) -> None:
        """Learn from an outcome; ``is_open`` says whether to go on.

        A success, or an error that only a person can mend, shows that the handler can do its work.
        """
        if isinstance(outcome, Failed) and outcome.may_heal:
            self._in_a_row += 1
            if 0 < settings.DLQ_BREAKER_FAILURES <= self._in_a_row and not self.is_open:
                self._trip(outcome)
            return
        self._in_a_row = 0
        if self.is_open:
            self._close()

    def _trip(self, failure: Failed) -> None:
        if self._run("open", failures=self._in_a_row, reason=failure.reason):
            log.warning(
                "%s failures in a row on %s, leaving it alone for a while: %s",
                self._in_a_row,
                self.queue,
                failure.reason,
            )
        self.is_open, self.is_probing = True, False

    def _close(self) -> None:
        if self._run("close"):
            log.warning("the queue %s is handled again", self.queue)
        self.is_open = False

    def _look(self) -> None:
        self._look_at = time.monotonic() + LOOK_EVERY
        was_open, self.is_open = self.is_open, bool(self._run("state"))
        if was_open and not self.is_open:
            self._in_a_row = 0  # closed by somebody else

    def _run(self, name: str, **values: object) -> list[tuple[object, ...]]:
        more = {"queue": self.queue, "seconds": FIRST_PAUSE, "longest": LONGEST_PAUSE}
        return prepared.run(sql(f"queue_breakers.{name}"), more | values)()


def open_ones(names: Sequence[str]) -> dict[str, dict[str, Any]]:
    """The open breakers by queue: ``failures``, ``reason``, ``probes``, ``opened_at``, ``next_seconds``."""
    return {
        row.pop("queue"): row for row in fetch_dicts(sql("queue_breakers.open_ones"), {"names": list(names)})
    }


def close(queue: str) -> bool:
    """Let consumers go on within a second, because a person says so; whether it was open."""
    return bool(fetch_column(sql("queue_breakers.close"), {"queue": queue}))
