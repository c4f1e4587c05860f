"""Reports how many workers run operations."""

from collections.abc import Iterator

from dlqconsole.engine import known_handlers
from dlqconsole.engine.worker_queues import WORK
from dlqconsole.operations.requests import workers


def check() -> Iterator[str]:
    number = len(known_handlers.serving(WORK))
    yield f"workers for operations: {number or f'none, {workers.NOBODY}: nothing is done'}"
