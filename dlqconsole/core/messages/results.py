"""The result of an event, for the program that sent it."""

import time
from dataclasses import dataclass

from dlqconsole.core.named_sql import fetch_dicts
from dlqconsole.core.sql import sql

# Seconds that one statement waits: less than any session's limit.
LONGEST_STATEMENT = 5.0
FINAL = ("succeeded", "dead_letter", "gone")


@dataclass(frozen=True, slots=True)
class EventResult:
    """``state``: ``queued``, ``running``, ``succeeded``, ``dead_letter``, ``gone`` or ``unknown``.

    ``record`` is JSON text, unmasked: what the handler returned. A dead letter may still succeed later.
    ``gone``: a message that left without a record or a dead letter, or never was. ``unknown``: a CloudEvent
    that has neither yet, wherever it is.
    """

    state: str
    record: str | None
    dead_letter_id: int | None
    dead_letter_status: str | None
    error_category: str | None


def wait_for_result(source: str, key: str | int, timeout: float = 30.0) -> EventResult:
    """Wait for the success or the dead letter of an event, ``timeout`` seconds at most; 0 only looks.

    A CloudEvent is known by its source and id, any other message by ``queue:<name>`` and its number. Commit
    what you sent before you wait.
    """
    until = time.monotonic() + timeout
    while True:
        wait = min(max(until - time.monotonic(), 0.0), LONGEST_STATEMENT)
        values = {"source": source, "key": str(key), "wait": wait}
        [row] = fetch_dicts(sql("messages.result"), values)
        result = EventResult(**row)
        if result.state in FINAL or time.monotonic() >= until:
            return result
