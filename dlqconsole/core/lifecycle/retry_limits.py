"""A dead letter's retry limit, and its delay after a failure.

The settings say it, unless a room above keeps policies and makes itself known with ``decided_by``.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from dlqconsole.core.lifecycle.failures import Backoff, schedule_backoff
from dlqconsole.core.lifecycle.rules import Class, class_of
from dlqconsole.core.settings import settings
from dlqconsole.processing.outcomes import Failed


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
