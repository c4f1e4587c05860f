"""The relay's steps for the project's tasks: enqueue what was revived, and see what becomes of it.

The tasks' database commits last. So a task is there once or, if all ends in between, not at all: then its
result is missing, and the dead letter returns.
"""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from django.db import connections
from django.db.models import BooleanField, ExpressionWrapper, Q
from django.db.models.functions import Now
from django.db.transaction import atomic

from dlqconsole.core.named_sql import fetch_column, fetch_dicts
from dlqconsole.hosting.database import transaction
from dlqconsole.transports.django_tasks import project
from dlqconsole.transports.models import AttachedQueue
from dlqconsole.transports.relay import steps
from dlqconsole.transports.sql import sql

# how long a worker's own report of a failure, which says more, may take
PATIENCE = timedelta(minutes=10)


class Steps:
    """The three steps."""

    def forward(self, queue: AttachedQueue, limit: int) -> int:
        """Enqueue the tasks of revived dead letters. Return how many messages left our queue."""
        project.require(queue.remote_name)
        with atomic(using=_database()):
            return steps.forward(queue, limit)

    def dead_letter_exhausted(self, queue: AttachedQueue, limit: int) -> int:
        """Nothing: the project's workers report what failed."""
        return 0

    def watch(self, queue: AttachedQueue, limit: int) -> int:
        """Mark REVIVED dead letters SUCCEEDED when their task has, and return those that nobody tells of."""
        project.require(queue.remote_name)
        _database()
        after = count = 0
        while page := fetch_dicts(sql("relay.watched"), {"name": queue.name, "limit": limit, "after": after}):
            count += _settle(page)
            after = page[-1]["id"]
        return count


def _database() -> str:
    """Return the tasks' database, rid of a connection that has ended since the last round."""
    alias = project.database()
    if not connections[alias].in_atomic_block:
        connections[alias].close_if_unusable_or_obsolete()
    return alias


def _settle(page: Sequence[dict[str, Any]]) -> int:
    results = {row["pk"]: row for row in _results([row["remote_id"] for row in page])}
    done, silent, gone = [], list[tuple[int, str]](), []
    for row in page:
        match results.get(row["remote_id"]):
            case None:
                gone.append(row["id"])
            case {"status": "SUCCESSFUL"}:
                done.append(row["id"])
            case {"status": "FAILED", "is_old": True, "exception_class_path": error}:
                silent.append((row["id"], error))
    with transaction.atomic():
        fetch_column(sql("relay.completed"), {"ids": done, "who": "workers of Django's tasks"})
        steps.lose(gone, "its task's result is no more there")
        for number, error in silent:
            steps.lose(
                [number], f"the task failed with {error}, and no worker reported it: is dlq.init there?"
            )
    return len(done) + len(gone) + len(silent)


def _results(ids: Sequence[str]) -> list[dict[str, Any]]:
    is_old = ExpressionWrapper(Q(finished_at__lt=Now() - PATIENCE), BooleanField())
    rows = project.results().objects.filter(pk__in=ids).annotate(is_old=is_old)
    values = rows.values("pk", "status", "exception_class_path", "is_old")
    return [row | {"pk": str(row["pk"])} for row in values]
