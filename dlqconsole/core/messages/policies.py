"""The queues' policies, read once a second by each process."""

import time

from dlqconsole.core import prepared
from dlqconsole.core.lifecycle.failures import Backoff, QueuePolicy
from dlqconsole.core.sql import sql

# A pause, a group's order and retention are read by the claim itself; only the rest may be this old.
SECONDS = 1.0

_policies: dict[str, tuple[float, QueuePolicy]] = {}


def policy(name: str) -> QueuePolicy:
    """Return the policy of a queue, at most a second old; the default one for a queue nobody created."""
    entry = _policies.get(name)
    if entry is not None and entry[0] > time.monotonic():
        return entry[1]
    fresh = _read(name)
    _policies[name] = (time.monotonic() + SECONDS, fresh)
    return fresh


def forget() -> None:
    """Read every policy anew: this process has just changed one."""
    _policies.clear()


def _read(name: str) -> QueuePolicy:
    rows = prepared.run(sql("messages.policy"), {"name": name})()
    if not rows:
        return QueuePolicy()
    max_retries, lease_seconds, *backoff, rate_limit, is_unlogged = rows[0]
    return QueuePolicy(max_retries, lease_seconds, Backoff(*backoff), rate_limit, is_unlogged)
