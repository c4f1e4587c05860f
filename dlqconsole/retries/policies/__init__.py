"""How the schedule treats what it retries: policies by event type, category and group.

``current()`` is what runs ask; ``current().of(…)`` is the policy of a dead letter, ``.lanes(…)`` what
may run now.
"""

from dlqconsole.retries.policies.reading import current, forget, read
from dlqconsole.retries.policies.resolution import Held, Lane, Pause, Policies, Policy, Source
from dlqconsole.retries.policies.scopes import Scope
from dlqconsole.retries.policies.windows import Window

__all__ = [
    "Held",
    "Lane",
    "Pause",
    "Policies",
    "Policy",
    "Scope",
    "Source",
    "Window",
    "current",
    "forget",
    "read",
]
