"""A dead letter's retry limit, and its delay after a failure.

The settings say it, unless a room above keeps policies and makes itself known with ``decided_by``.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from django.conf import settings

from dlqconsole.engine.database import prepared
from dlqconsole.engine.lifecycle.failures import Backoff, schedule_backoff
from dlqconsole.engine.sql import sql
from dlqconsole.processing.outcomes import Failed

EVENT_TYPE_LIMIT = 255

# a category, and a failure group where there is one
type Class = tuple[str, int | None]


@dataclass(frozen=True, slots=True)
class RetryLimits:
    """The limits of retries. ``max_retries``: for a dead letter without a number of its own."""

    max_retries: int
    backoff: Backoff


class Decides(Protocol):
    """A function that decides limits. ``of_class`` returns category and group; it may cost a query."""

    def __call__(self, event_type: str, of_class: Callable[[], Class]) -> RetryLimits: ...


def _by_the_settings(event_type: str, of_class: Callable[[], Class]) -> RetryLimits:
    return RetryLimits(settings.DLQ_RETRY_MAX_RETRIES, schedule_backoff())


_decides: Decides = _by_the_settings


def decided_by(decides: Decides) -> None:
    """Let a room above decide from now on."""
    global _decides
    _decides = decides


def limits_for_failure(event_type: str, failure: Failed) -> RetryLimits:
    """Return the limits of a dead letter with this failure: its category and group are the rules'."""
    return _decides(event_type, lambda: class_of(event_type, failure))


def limits_for_class(event_type: str, category: str, group_id: int | None) -> RetryLimits:
    """Return the limits of a dead letter that has its category and group already."""
    return _decides(event_type, lambda: (category, group_id))


def class_of(event_type: str, failure: Failed) -> Class:
    """Return a failure's category and group: by the rules, else by the error itself.

    A dead letter gets the same from the database when it is written.
    """
    values = {
        "event_type": event_type[:EVENT_TYPE_LIMIT],
        "category": failure.category,
        "reason": failure.reason,
        "stacktrace": failure.stacktrace,
    }
    rows = prepared.run(sql("classification.ruled"), values)()
    return (str(rows[0][0]), int(rows[0][1])) if rows else (failure.category, None)
