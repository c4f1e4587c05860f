"""The queues' policies, read once a second by each process."""

import time

from dlqconsole.engine.database import prepared
from dlqconsole.engine.lifecycle.failures import Backoff, QueuePolicy
from dlqconsole.engine.sql import sql

# A pause, a group's order and retention are read by the claim itself; only the rest may be this old.
SECONDS = 1.0

_known: dict[str, tuple[float, QueuePolicy]] = {}


def policy(name: str) -> QueuePolicy:
    """Return the policy of a queue, at most a second old; the default one for a queue nobody created."""
    known = _known.get(name)
    if known is not None and known[0] > time.monotonic():
        return known[1]
    found = _read(name)
    _known[name] = (time.monotonic() + SECONDS, found)
    return found


def forget() -> None:
    """Read every policy anew: this process has just changed one."""
    _known.clear()


def _read(name: str) -> QueuePolicy:
    rows = prepared.run(sql("queues.policy"), {"name": name})()
    if not rows:
        return QueuePolicy()
    max_retries, lease_seconds, *backoff, rate_limit, unlogged = rows[0]
    return QueuePolicy(max_retries, lease_seconds, Backoff(*backoff), rate_limit, unlogged)
