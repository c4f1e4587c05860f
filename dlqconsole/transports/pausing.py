"""Pausing and resuming a queue, ours or attached. Each is one transaction with its audit row."""

from dlqconsole.engine import audit
from dlqconsole.engine.queues import changes
from dlqconsole.engine.queues.known import is_known
from dlqconsole.hosting.database import transaction
from dlqconsole.transports.models import AttachedQueue
from dlqconsole.transports.queue_overview import is_attached


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
