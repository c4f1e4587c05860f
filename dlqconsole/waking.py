"""Wake-ups for workers: through Redis, or without it through PostgreSQL. Losing one costs a tick.

A wake-up by PostgreSQL is a notice with a task's name, for its numbered work a number, and seconds to wait.
"""

import re
from dataclasses import dataclass

from django.conf import settings

from dlqconsole.configuration.program import PROGRAM
from dlqconsole.engine.known_handlers import TICKS, WORK
from dlqconsole.hosting.database import connection

CHANNEL = "dlq_wake"
# An older wake-up is worthless: the tick has seen what there is to do by then.
EXPIRES_SECONDS = 60
# Anybody with an account may send a notice: these alone do what a tick would do anyway.
TASKS = ("operations.run", "retries.retry_due", "runs.start")
_NOTICE = re.compile(r"([a-z_.]+) (\d{1,18})? (\d{1,5}(?:\.\d{1,3})?)", re.ASCII)


@dataclass(frozen=True, slots=True)
class WakeNotice:
    """A wake-up as a notice of PostgreSQL. ``after``: seconds to wait."""

    task: str
    number: int | None = None
    after: float = 0.0

    def __str__(self) -> str:
        return f"{self.task} {'' if self.number is None else self.number} {self.after:.3f}"

    @classmethod
    def read(cls, text: str) -> "WakeNotice | None":
        """Read a notice; None for a text that none of ours has sent."""
        match = _NOTICE.fullmatch(text)
        if match is None or match[1] not in TASKS:
            return None
        return cls(match[1], int(match[2]) if match[2] else None, float(match[3]))

    @property
    def arguments(self) -> list[int]:
        """The arguments of its task."""
        return [] if self.number is None else [self.number]


def wake(task: str, number: int | None = None, after: float = 0.0) -> None:
    """Wake a worker for a task, now or a little later. Raises what the server's client does."""
    notice = WakeNotice(task, number, after)
    if not settings.REDIS_URL:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_notify(%s, %s)", [CHANNEL, str(notice)])
        return
    # the import takes a tenth of a command's start, and most commands wake nobody
    from dlqconsole.celery import app

    app.send_task(task, args=notice.arguments, countdown=after or None, expires=EXPIRES_SECONDS)


def worker_command(queue: str) -> str:
    """Return the command that starts a worker on a queue, for a sentence."""
    if not settings.REDIS_URL:
        return f"{PROGRAM} work"
    queues = f"{WORK},{TICKS}" if queue == WORK else queue
    return f"celery -A dlqconsole.celery worker --queues {queues}"
