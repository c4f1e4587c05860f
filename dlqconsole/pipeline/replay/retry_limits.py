"""The number of retries by the schedule, and the wait before each, as the policies say.

The same rule as ``retries.policies``: each value from the most specific policy that says it; what none says
comes from the settings.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from random import random
from typing import Any

import psycopg

from dlqconsole.pipeline.sql import sql
from dlqconsole.processing.backoff import delay
from dlqconsole.processing.outcomes import Failed

# category and failure group, as the rules of the database make them
type Class = tuple[str, int]


@dataclass(frozen=True, slots=True)
class RetryBounds:
    """``base`` and ``cap`` in seconds. ``max_retries``: for a dead letter without a number of its own."""

    max_retries: int
    base: float
    cap: float
    factor: float = 2.0
    is_drawn: bool = True

    def seconds(self, failures: int) -> float:
        """Return the wait after so many failed tries, 1 or more; a part of it is drawn by lot."""
        jitter = random() if self.is_drawn else 1.0  # noqa: S311  (not for secrets)
        return delay(max(failures, 1) - 1, self.base, self.cap, self.factor, jitter)


@dataclass(frozen=True, slots=True)
class PolicyValues:
    """The values of one policy. A scope of None is any; a value of None is not said here."""

    event_type: str | None
    group_id: int | None
    max_retries: int | None
    backoff: str | None
    base: float | None
    cap: float | None

    @property
    def order(self) -> tuple[bool, bool]:
        """The largest is the most specific."""
        return self.group_id is not None, self.event_type is not None

    def takes(self, event_type: str, failure_class: Class | None) -> bool:
        """Tell whether such a failure is in its scope; None: nobody has asked for its class."""
        group_id = failure_class[1] if failure_class else None
        return self.event_type in (None, event_type) and self.group_id in (None, group_id)

    def over(self, less: RetryBounds) -> RetryBounds:
        """Return the values of a less specific policy, with this one's in their place."""
        most = less.max_retries if self.max_retries is None else self.max_retries
        if self.backoff is None or self.base is None:
            return RetryBounds(most, less.base, less.cap, less.factor, less.is_drawn)
        if self.backoff == "exponential" and self.cap is not None:
            return RetryBounds(most, self.base, self.cap)
        return RetryBounds(most, self.base, self.base, 1.0, is_drawn=False)


def limits_of(
    connection: psycopg.Connection[Any], usual: RetryBounds, failures: Sequence[tuple[str, Failed]]
) -> list[RetryBounds]:
    """Return the limits of each failure. The rules are asked only where a policy tells groups apart."""
    policies = _policies(connection)
    apart = any(policy.group_id is not None for policy in policies)
    classes = _classes(connection, failures) if apart else [None] * len(failures)
    return [
        _resolve(policies, usual, event_type, failure_class)
        for (event_type, _failure), failure_class in zip(failures, classes, strict=True)
    ]


def _resolve(
    policies: Sequence[PolicyValues], usual: RetryBounds, event_type: str, failure_class: Class | None
) -> RetryBounds:
    for policy in policies:
        if policy.takes(event_type, failure_class):
            usual = policy.over(usual)
    return usual


def _policies(connection: psycopg.Connection[Any]) -> list[PolicyValues]:
    """The least specific first."""
    rows = connection.execute(sql("replay.policies")).fetchall()
    return sorted((PolicyValues(*row) for row in rows), key=lambda policy: policy.order)


def _classes(
    connection: psycopg.Connection[Any], failures: Sequence[tuple[str, Failed]]
) -> Sequence[Class | None]:
    values = {
        "event_types": [event_type for event_type, _ in failures],
        "categories": [failure.category for _, failure in failures],
        "reasons": [failure.reason for _, failure in failures],
        "traces": [failure.stacktrace for _, failure in failures],
    }
    return connection.execute(sql("replay.classes"), values).fetchall()
