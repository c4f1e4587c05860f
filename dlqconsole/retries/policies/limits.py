"""The retry limits that the policies set for a failure: the number of retries and the waits."""

from collections.abc import Callable

from dlqconsole.core.lifecycle.retry_limits import RetryLimits
from dlqconsole.core.lifecycle.rules import Class
from dlqconsole.processing.categories import UNKNOWN
from dlqconsole.retries.policies.reading import current


def limits(event_type: str, of_class: Callable[[], Class]) -> RetryLimits:
    """Return the limits; look up the group only if a policy depends on it."""
    policies = current()
    category, group_id = of_class() if policies.limits_differ() else (UNKNOWN, None)
    policy = policies.of(event_type, category, group_id)
    return RetryLimits(policy.max_retries, policy.backoff)
