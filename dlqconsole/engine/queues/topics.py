"""Topics: which queues get what is sent to a routing key, by its patterns."""

from django.db import IntegrityError

from dlqconsole.core.errors import MalformedQueue
from dlqconsole.core.messages.queues import refusal_to_send
from dlqconsole.core.named_sql import fetch_column
from dlqconsole.hosting.database import transaction


def bind(name: str, pattern: str, *, actor: str, reason: str) -> bool:
    """Let a queue get what is sent to routing keys of the pattern. False: it did already."""
    if why := refusal_to_send(name):
        raise MalformedQueue(why)
    return _set(name, pattern, True, actor, reason)


def unbind(name: str, pattern: str, *, actor: str, reason: str) -> bool:
    """End that; what was sent stays on the queue. False: it was not so."""
    return _set(name, pattern, False, actor, reason)


def patterns(name: str) -> list[str]:
    """Return the patterns that a queue is bound to."""
    query = "SELECT pattern FROM queue_topics WHERE queue = %(queue)s ORDER BY pattern"
    return fetch_column(query, {"queue": name})


def _set(name: str, pattern: str, is_bound: bool, actor: str, reason: str) -> bool:
    values = {"pattern": pattern, "queue": name, "bound": is_bound, "actor": actor, "reason": reason}
    try:
        with transaction.atomic():
            [is_new] = fetch_column(
                "SELECT topic_set(%(pattern)s, %(queue)s, %(bound)s, %(actor)s, %(reason)s)", values
            )
    except IntegrityError as error:
        raise MalformedQueue(str(error).partition("\n")[0]) from error
    return bool(is_new)
