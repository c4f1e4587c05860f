"""The policy of a queue, ours or attached, and checks of its name."""

from dlqconsole.core.lifecycle.failures import QueuePolicy
from dlqconsole.core.messages import queues
from dlqconsole.engine.queues.known import check_usable_name
from dlqconsole.engine.queues.policy import check_new_name
from dlqconsole.transports.attachments import find_attached
from dlqconsole.transports.registry import full_name, is_ours


def policy_of(name: str) -> QueuePolicy:
    """Return the policy of a queue, ours or attached. Raises UnknownQueue for one that is neither."""
    return queues.policy(name) if is_ours(name) else find_attached(name).policy


def check_to_send(name: str) -> str:
    """Return the queue's name as our tables have it, if somebody may take what is sent there.

    Raises UnknownQueue for another system's queue that is not attached, InvalidQueue for an impossible name.
    """
    if not is_ours(name):
        return find_attached(full_name(name)).name
    return check_new_name(name)


def check_to_claim(name: str) -> None:
    """Raise InvalidQueue for a name of ours under which no message will ever stand."""
    if is_ours(name):
        check_usable_name(name)
