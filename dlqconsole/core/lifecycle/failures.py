"""The effect of a failed attempt on a queue: another one later, or a dead letter.

``dead_letter_becomes`` in the database decides the dead letter's next status, each time that it fails. Every
statement that writes a failure asks it.
"""

import random
from dataclasses import dataclass

from dlqconsole.core.lifecycle.states import DeadLetterStatus
from dlqconsole.core.named_sql import fetch_column
from dlqconsole.core.settings import settings
from dlqconsole.processing.backoff import delay
from dlqconsole.processing.categories import UNKNOWN
from dlqconsole.processing.isolation.deaths import MOST_DEATHS, MOST_TIMEOUTS
from dlqconsole.processing.outcomes import Failed
from dlqconsole.processing.time_limit import HandlerTimeout

# A consumer that dies this often on one message has been killed by it.
MAX_CRASHES = MOST_DEATHS
MAX_TIMEOUTS = MOST_TIMEOUTS
_TIMES_OUT = (
    "SELECT dead_letter_times_out(%(letter)s::bigint, %(message)s::text, %(reason)s::text, %(most)s::integer)"
)


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
    crashed_too_often = failure.fatal and crashes is not None and crashes + 1 >= MAX_CRASHES
    if crashed_too_often or _times_out(failure, message, revived_from):
        return DeadLetterStatus.QUARANTINED
    if failure.may_heal and attempts <= (policy.max_retries if max_retries is None else max_retries):
        return policy.backoff.seconds(attempts)
    return DeadLetterStatus(failure.status)


def crash_of_consumer(crashes: int) -> Failed:
    """Return the failure of a message that stopped its consumers so often."""
    reason = f"ConsumerCrashed: its consumer stopped {crashes} times while it held this message"
    return Failed(reason=reason, category=UNKNOWN, error_class="ConsumerCrashed", stacktrace="")


def _times_out(failure: Failed, message: str, revived_from: int | None) -> bool:
    """Tell whether a message, or its dead letter, has timed out too often now."""
    if failure.error_class != HandlerTimeout.__name__:
        return False
    values = {"letter": revived_from, "message": message, "reason": failure.reason, "most": MAX_TIMEOUTS}
    return bool(fetch_column(_TIMES_OUT, values)[0])
