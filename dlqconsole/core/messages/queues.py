"""The queues: the names that they may have, and their policies, read once a second by each process."""

import re
import time

from dlqconsole.core import prepared
from dlqconsole.core.lifecycle.failures import Backoff, QueuePolicy
from dlqconsole.core.sql import sql
from dlqconsole.processing.inputs.plain_text import is_storable, quoted
from dlqconsole.processing.inputs.sentences import Sentence

# A pause, a group's order and retention are read by the claim itself; only the rest may be this old.
SECONDS = 1.0

_policies: dict[str, tuple[float, QueuePolicy]] = {}

LONGEST_NAME = 255
# <system>:<its own name for the queue>; messages wait here for the relay
_ATTACHED = re.compile(r"[a-z]+:[^\0]{1,200}")


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


def refusal(name: str) -> str:
    """Return why no queue of ours can have this name; empty if one can."""
    if ":" in name:
        why = Sentence("a colon names a queue of another system, which is attached, not created.")
    elif not 1 <= len(name) <= LONGEST_NAME or not is_storable(name):
        why = Sentence("a name has 1 to {longest_name} characters, and no NUL.", longest_name=LONGEST_NAME)
    else:
        return ""
    return Sentence("A queue cannot be called {name}: {why}", name=quoted(name, 60), why=why)


def refusal_to_send(name: str) -> str:
    """Return why nothing can be sent to this name; empty for a queue of ours or an attached one."""
    return "" if _ATTACHED.fullmatch(name) else refusal(name)
