"""Queues as they stand, ours and attached ones, in one shape: that of ``engine.queues.metrics``."""

from collections.abc import Iterator, Sequence
from typing import Any

from django.utils.translation import gettext as _

from dlqconsole.engine.access_scope import current_access
from dlqconsole.engine.database.memoized import memoized
from dlqconsole.engine.moments import moment
from dlqconsole.engine.queues import known
from dlqconsole.engine.queues import metrics as queue_metrics
from dlqconsole.engine.queues import warnings as queue_warnings
from dlqconsole.engine.queues.metrics import STATES, Row
from dlqconsole.processing.inputs.plain_text import is_storable
from dlqconsole.transports import attachments
from dlqconsole.transports.attachments import Attachment
from dlqconsole.transports.errors import TransportUnavailable
from dlqconsole.transports.models import AttachedQueue
from dlqconsole.transports.registry import systems, transport_of
from dlqconsole.transports.remote_metrics import SECONDS

# No figures of these are known where only another system has the messages.
_OURS_ALONE = {"waiting": 0, "held": 0, "first_seconds": None, "newest_age_seconds": None, "arrived": 0}


def page(first: str = "", size: int = known.SIZE) -> known.QueuePage:
    """Return queues of ours from a name on, and the name where the next page begins."""
    if not current_access().is_limited:
        return known.page(first, size, without=_attached_names())
    names = [name for name in _ours_within() if name >= first]
    following = names[size] if len(names) > size else ""
    return known.QueuePage(queue_metrics.rows_of(names[:size]), following)


def ours() -> Iterator[Row]:
    """Return every queue of ours, by name."""
    if not current_access().is_limited:
        return known.metrics(without=_attached_names())
    return iter(queue_metrics.rows_of(_ours_within()))


def elsewhere(seconds: float = SECONDS, most: int | None = None) -> list[Row]:
    """Return the attached queues by name, the first ``most``, in about so many seconds.

    To a row of ``engine.queues.metrics`` come ``attached``, the system's name, ``problem``, a sentence where
    its figures are None because nobody knows them, ``seen_at``, when its system last answered, and
    ``on_the_way``: messages that are still to be sent there, or that it has not let go of. Visible, in
    flight, scheduled and the oldest's age are its system's; pace and dead letters are ours.
    """
    return [_row(each) for each in attachments.attachments(attached_names()[:most], seconds)]


def attached_names() -> list[str]:
    """Return the names of the attached queues within the scope."""
    return [name for name in _attached_names() if current_access().sees_queue(name)]


def standing(name: str) -> Row:
    """Return one queue: a row of ours, or of ``elsewhere``."""
    queue = AttachedQueue.objects.filter(name=name).first()
    return queue_metrics.metrics_of(name) if queue is None else _row(attachments.attachment(queue))


def is_attached(name: str) -> bool:
    """Tell whether it is a queue of another system that is attached now."""
    return is_storable(name) and AttachedQueue.objects.filter(name=name).exists()


def why_not_claimed(name: str) -> str:
    """Return why nobody can claim from a queue that is only sent to; empty where claims work."""
    try:
        return transport_of(name)[0].not_claimed
    except TransportUnavailable:
        return ""


def why_never(name: str) -> str:
    """Return why nothing can ever be sent to a queue of another system; empty where it may be attached."""
    try:
        transport, remote = transport_of(name)
        return transport.why_never(remote)
    except TransportUnavailable:
        return ""


def number_elsewhere() -> int:
    """Return the number of attached queues."""
    return len(attached_names())


@memoized
def _attached_names() -> list[str]:
    return list(AttachedQueue.objects.order_by("name").values_list("name", flat=True))


def _ours_within() -> list[str]:
    """Return our queues within the scope. A message has no type: a queue is seen whole or not at all."""
    others = set(_attached_names())
    return [name for name in known.names() if current_access().sees_queue(name) and name not in others]


def _row(attachment: Attachment) -> Row:
    queue, system = attachment.queue, systems().get(attachment.queue.transport)
    row = attachment.ours | _OURS_ALONE | _figures(attachment)
    row |= {
        "attached": queue.transport if system is None else system.label,
        "not_claimed": why_not_claimed(queue.name),
        "takes_over": _takes_over(queue.name),
        "problem": attachment.problem,
        "seen_at": attachment.seen_at,
        "on_the_way": attachment.waiting + attachment.on_their_way,
        "exists": True,
        "paused": queue.paused,
        "policy": {"max_deliveries": queue.max_deliveries, "lease_seconds": queue.lease_seconds},
    }
    return row | {"warnings": _warnings(row)}


def _takes_over(name: str) -> bool:
    try:
        return transport_of(name)[0].takes_over
    except TransportUnavailable:
        return False


def _figures(attachment: Attachment) -> dict[str, Any]:
    metrics = attachment.metrics
    if metrics is None:
        nothing: Sequence[str] = ("visible", "in_flight", "scheduled", "length", "oldest_due_seconds")
        return dict.fromkeys(nothing) | {"at_least": [], "capped": False}
    live = {state: getattr(metrics, state) for state in STATES[:3]}
    return live | {
        "length": sum(live.values()),
        "oldest_due_seconds": metrics.oldest_due_seconds,
        "at_least": list(metrics.at_least),
        "capped": bool(metrics.at_least),
    }


def _warnings(row: Row) -> list[str]:
    if not row["problem"]:
        return queue_warnings.warnings(row)
    return [
        _("Its messages are not known: {problem} {row}").format(problem=row["problem"], row=_last_seen(row)),
        *queue_warnings.of_pace(row),
    ]


def _last_seen(row: Row) -> str:
    if row["seen_at"] is None:
        return _("It has not been seen yet.")
    return _("It was last seen {seen_at}.").format(seen_at=moment(row["seen_at"]))
