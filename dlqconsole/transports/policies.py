"""The policy of a queue, ours or attached, with checks of its name; and pausing it, with the audit row."""

from dlqconsole.core.lifecycle.failures import QueuePolicy
from dlqconsole.core.messages import queues
from dlqconsole.engine import audit
from dlqconsole.engine.queues import changes
from dlqconsole.engine.queues.known import check_usable_name, is_known
from dlqconsole.engine.queues.policy import check_new_name
from dlqconsole.hosting.database import transaction
from dlqconsole.transports.attachments import find_attached
from dlqconsole.transports.models import AttachedQueue
from dlqconsole.transports.queue_overview import is_attached
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


def pause(name: str, *, actor: str, reason: str) -> bool:
    """Let no consumer of ours claim from the queue. False: it was paused already.

    Nothing is sent to an attached queue meanwhile. Consumers of its own system go on.
    """
    if is_attached(name):
        return _set_paused(name, True, "pause", actor, reason)
    return changes.pause(name, actor=actor, reason=reason)


def resume(name: str, *, actor: str, reason: str) -> bool:
    """Let consumers go on, also where they leave it alone by themselves. False: nothing held them up."""
    if not is_attached(name):
        return changes.resume(name, actor=actor, reason=reason)
    with transaction.atomic():
        was_paused = _set_paused(name, False, "resume", actor, reason)
        was_left_alone = is_known(name) and changes.resume(name, actor=actor, reason=reason)
    return was_paused or was_left_alone


def _set_paused(name: str, is_paused: bool, action: str, actor: str, reason: str) -> bool:
    with transaction.atomic():
        count = AttachedQueue.objects.filter(pk=name, paused=not is_paused).update(paused=is_paused)
        if count:
            audit.record(actor, action, f"queue:{name}", reason=reason)
    return bool(count)
