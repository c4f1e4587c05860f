"""The effect of a failed attempt on a queue: another one later, or a dead letter.

``failed_message_step`` in the database decides it for every queue, and ``dead_letter_becomes`` the dead
letter's next status, each time that it fails.
"""

import random
from dataclasses import dataclass, replace
from typing import Any

from dlqconsole.core import prepared
from dlqconsole.core.handling.events import HandlerResult
from dlqconsole.core.lifecycle.states import DeadLetterStatus
from dlqconsole.core.named_sql import fetch_dicts
from dlqconsole.core.settings import settings
from dlqconsole.core.sql import sql
from dlqconsole.processing.backoff import delay
from dlqconsole.processing.categories import UNKNOWN
from dlqconsole.processing.isolation.deaths import MOST_DEATHS, MOST_TIMEOUTS
from dlqconsole.processing.outcomes import Failed

# A consumer that dies this often on one message has been killed by it.
MAX_CRASHES = MOST_DEATHS
MAX_TIMEOUTS = MOST_TIMEOUTS
_STEP = (
    "SELECT * FROM failed_message_step(%(reason)s::text, %(category)s::text, %(fatal)s::boolean,"
    " %(crashes)s::integer, %(letter)s::bigint, %(message)s::text, %(attempts)s::integer,"
    " %(max_retries)s::integer, %(base)s::float8, %(factor)s::float8, %(cap)s::float8, %(jitter)s::float8)"
)

EVENT_TYPE_LIMIT = 255

# a category, and a failure group where there is one
type Class = tuple[str, int | None]


@dataclass(frozen=True, slots=True)
class Backoff:
    """Delays in seconds: the first, and the longest. ``jitter`` is the share of a delay drawn by lot."""

    base: float
    cap: float
    factor: float = 2.0
    jitter: float = 1.0

    @classmethod
    def of_policy(cls, kind: str | None, base: float | None, cap: float | None) -> "Backoff | None":
        """Return what a retry policy's columns say; None: it says nothing of waits."""
        if kind is None or base is None:
            return None
        if kind == "exponential" and cap is not None:
            return cls(base, cap)
        return cls(base, base, factor=1.0, jitter=0.0)

    def seconds(self, attempts: int) -> float:
        """Return a jittered delay after ``attempts`` failed attempts (1 or more)."""
        share = 1.0 - self.jitter + self.jitter * random.random()  # noqa: S311
        return delay(max(attempts, 1) - 1, self.base, self.cap, self.factor, share)


@dataclass(frozen=True, slots=True)
class QueuePolicy:
    """A queue's rules for its messages. ``rate_limit``: claims a second, None for no limit.

    ``paused``: whoever claims from another system asks here; claims from our own look by themselves.
    """

    max_retries: int = 3
    lease_seconds: int = 60
    backoff: Backoff = Backoff(5.0, 3600.0)
    rate_limit: float | None = None
    unlogged: bool = False
    paused: bool = False


def schedule_backoff() -> Backoff:
    """Return the backoff of the scheduled retries, from the settings."""
    return Backoff(settings.DLQ_RETRY_BACKOFF_BASE, settings.DLQ_RETRY_BACKOFF_CAP)


def step_after(
    failure: Failed,
    policy: QueuePolicy,
    *,
    message: str,
    revived_from: int | None,
    attempts: int,
    max_retries: int | None,
    crashes: int | None,
) -> float | DeadLetterStatus:
    """Return the seconds until another try, or the status of the dead letter that a message becomes.

    ``message``: queue/id. ``attempts``: begun so far. ``max_retries``: the message's own, if it has one.
    ``crashes``: earlier ones; None where its system counts none.
    """
    backoff = policy.backoff
    values = {
        "reason": failure.reason,
        "category": failure.ruled_category or failure.category,
        "fatal": failure.fatal,
        "crashes": crashes,
        "letter": revived_from,
        "message": message,
        "attempts": attempts,
        "max_retries": policy.max_retries if max_retries is None else max_retries,
        **{name: getattr(backoff, name) for name in ("base", "factor", "cap", "jitter")},
    }
    row = fetch_dicts(_STEP, values)[0]
    status: str | None = row["status"]
    seconds: float = row["delay_seconds"]
    return seconds if status is None else DeadLetterStatus(status)


def crash_of_consumer(crashes: int) -> Failed:
    """Return the failure of a message that stopped its consumers so often."""
    reason = f"ConsumerCrashed: its consumer stopped {crashes} times while it held this message"
    return Failed(reason=reason, category=UNKNOWN, error_class="ConsumerCrashed", stacktrace="")


def ruled_category(event_type: str, failure: Failed) -> str:
    """Return the category that counts for a failure: by the rules, else by the error itself.

    A dead letter gets the same from the database when it is written.
    """
    rows = prepared.run(sql("rules.ruled_category"), _values(event_type, failure))()
    return str(rows[0][0]) if rows else failure.category


def with_ruled_category(result: HandlerResult) -> HandlerResult:
    """Return the result; a failure gets the category of the failure rules, which are asked once."""
    outcome = result.outcome
    if not isinstance(outcome, Failed) or outcome.ruled_category is not None:
        return result
    category = ruled_category(result.identity.event_type, outcome)
    return HandlerResult(result.identity, replace(outcome, ruled_category=category))


def class_of(event_type: str, failure: Failed) -> Class:
    """Return a failure's category and group: by the rules, else by the error itself.

    A dead letter gets the same from the database when it is written.
    """
    rows = prepared.run(sql("rules.ruled"), _values(event_type, failure))()
    return (str(rows[0][0]), int(rows[0][1])) if rows else (failure.category, None)


def _values(event_type: str, failure: Failed) -> dict[str, Any]:
    return {
        "event_type": event_type[:EVENT_TYPE_LIMIT],
        "category": failure.category,
        "reason": failure.reason,
        "stacktrace": failure.stacktrace,
    }
