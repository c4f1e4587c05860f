"""What the policies make of a failure: how often its dead letter is retried, and how long it waits."""

from collections.abc import Callable

from dlqconsole.engine.lifecycle.patience import Class, Patience
from dlqconsole.processing.categories import UNKNOWN
from dlqconsole.retries.policies.reading import current


def patience(event_type: str, of_class: Callable[[], Class]) -> Patience:
    """Category and group are asked for only where a policy tells them apart."""
    policies = current()
    category, group_id = of_class() if policies.patience_differs(event_type) else (UNKNOWN, None)
    policy = policies.of(event_type, category, group_id)
    return Patience(policy.max_retries, policy.backoff)
