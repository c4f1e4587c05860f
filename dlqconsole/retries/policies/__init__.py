"""The retry policies of the schedule, by event type and group.

Runs use ``current()``; ``current().of(…)`` is the policy of a dead letter, ``.lanes(…)`` the lanes that may
run now.
"""

from dlqconsole.retries.policies.policy import BlockReason, Pause, Policy, RetryPartition, ValueSource
from dlqconsole.retries.policies.reading import current, forget, read
from dlqconsole.retries.policies.resolution import Policies
from dlqconsole.retries.policies.scopes import PolicyScope
from dlqconsole.retries.policies.windows import Window

__all__ = [
    "BlockReason",
    "Pause",
    "Policies",
    "Policy",
    "PolicyScope",
    "RetryPartition",
    "ValueSource",
    "Window",
    "current",
    "forget",
    "read",
]
