"""How a queue treats its messages, wherever it is."""

from dlqconsole.engine.lifecycle.failures import QueuePolicy
from dlqconsole.engine.messages import policies
from dlqconsole.transports.attachments import attached
from dlqconsole.transports.registry import is_ours


def policy_of(name: str) -> QueuePolicy:
    """The policy of a queue of ours, or of an attached one. Raises UnknownQueue for one that is neither."""
    return policies.policy(name) if is_ours(name) else attached(name).policy
