"""Attach queues of other systems, and let go of them. Nothing is made or changed over there."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count
from django.utils.translation import gettext as _

from dlqconsole.configuration.program import PROGRAM
from dlqconsole.core.errors import InvalidQueue, UnknownQueue
from dlqconsole.core.named_sql import fetch_column
from dlqconsole.engine import audit
from dlqconsole.engine.models import Message
from dlqconsole.engine.queues import metrics as queue_metrics
from dlqconsole.hosting.database import transaction
from dlqconsole.processing.inputs.fields import read_all
from dlqconsole.transports import remote_metrics
from dlqconsole.transports.actions import ATTACH
from dlqconsole.transports.models import AttachedQueue, ForwardedMessage
from dlqconsole.transports.registry import examples, full_name, is_ours, parts
from dlqconsole.transports.sql import sql
from dlqconsole.transports.system import System
from dlqconsole.transports.target import QueueMetrics, Transport


@dataclass(frozen=True, slots=True)
class Attachment:
    """An attached queue as it stands. ``problem`` says why it cannot be looked at; then it has no metrics.

    ``seen_at``: when its system last answered. ``ours``: what we know of it (``engine.queues.metrics``).
    ``waiting``: messages of ours that are still to be forwarded. ``on_their_way``: revived dead letters
    that it has not let go of.
    """

    queue: AttachedQueue
    metrics: QueueMetrics | None
    problem: str
    seen_at: datetime | None
    ours: queue_metrics.Row
    dead_letters: int
    waiting: int
    on_their_way: int


def attach(
    name: str,
    *,
    actor: str,
    because: str = "",
    **values: Any,
) -> AttachedQueue:
    """Attach an existing queue, or change how an attached one is treated. ``values``: of ``ATTACH.fields``.

    Raises InvalidInput, InvalidQueue, UnknownQueue and TransportUnavailable, each with one sentence.
    """
    if is_ours(name):
        raise InvalidQueue(
            _("{name!r} is not the name of another system's queue. Write {examples}.").format(
                name=name, examples=examples("<queue>")
            )
        )
    system, remote = parts(name)
    values = read_all(ATTACH.fields, values)
    if "columns" in values:
        values["columns"] = _check_columns(system, values["columns"])
    transport = system.open()
    _require_one_message_a_revival(transport, system.label)
    columns = {"transport": system.prefix, "remote_name": remote} | values
    with transaction.atomic():
        queue, _is_new = AttachedQueue.objects.update_or_create(name=full_name(name), defaults=columns)
        transport.check(remote)
        queue.refresh_from_db()
        remote_metrics.remember([queue.name])
        audit.record(
            actor,
            "attach",
            f"queue:{queue.name}",
            reason=because,
            detail={"max_deliveries": queue.max_deliveries, "lease_seconds": queue.lease_seconds}
            | ({"columns": queue.columns} if queue.columns else {}),
        )
    return queue


def detach(name: str, *, actor: str, because: str = "", take_back: bool = False) -> int:
    """Let go of a queue; its dead letters stay. Return how many revived ones were taken back.

    Refused while revived dead letters are on their way through it, since nobody would learn what became of
    them. ``take_back`` makes those EXHAUSTED instead: a person decides, knowing that their messages may
    still be on the queue.
    """
    queue_name = full_name(name)
    with transaction.atomic():
        # relays that forward hold this row too: they have ended, or will find it gone
        if not AttachedQueue.objects.select_for_update().filter(name=queue_name):
            raise _not_attached(name)
        if not take_back:
            _refuse_if_on_their_way(queue_name)
        taken_back = len(fetch_column(sql("relay.recall"), {"name": queue_name}))
        AttachedQueue.objects.filter(name=queue_name).delete()
        detail = {"taken_back": taken_back}
        audit.record(actor, "detach", f"queue:{queue_name}", reason=because, detail=detail)
    return taken_back


def note_handled(name: str, *, actor: str, because: str = "") -> int:
    """Mark SUCCEEDED what was handed over to a queue whose system does not say so itself. Count them."""
    queue_name = full_name(name)
    with transaction.atomic():
        if not AttachedQueue.objects.filter(name=queue_name).exists():
            raise _not_attached(name)
        ids = fetch_column(sql("relay.handed_over"), {"name": queue_name})
        count = len(fetch_column(sql("relay.completed"), {"ids": ids, "who": actor}))
        audit.record(actor, "handled", f"queue:{queue_name}", reason=because, detail={"succeeded": count})
    return count


def find_attached(name: str) -> AttachedQueue:
    """Return the attached queue of that name. Raises UnknownQueue."""
    queue = AttachedQueue.objects.filter(name=name).first()
    if queue is None:
        raise UnknownQueue(
            _("The queue {name!r} is not attached. Attach it first: {program} attach {name}").format(
                name=name, program=PROGRAM
            )
        )
    return queue


def attachments(names: Sequence[str] | None, seconds: float = remote_metrics.SECONDS) -> list[Attachment]:
    """Return these attached queues (None: all) by name, with their messages; in about so many seconds."""
    rows = AttachedQueue.objects.order_by("name")
    return _with_metrics(list(rows if names is None else rows.filter(name__in=names)), seconds)


def attachment(queue: AttachedQueue, seconds: float = remote_metrics.SECONDS) -> Attachment:
    """Return one attached queue with its messages."""
    return _with_metrics([queue], seconds)[0]


def _with_metrics(queues: Sequence[AttachedQueue], seconds: float) -> list[Attachment]:
    answers = remote_metrics.look(queues, seconds)
    names = [queue.name for queue in queues]
    ours = {row["name"]: row for row in queue_metrics.rows_of(names)}
    ways = ForwardedMessage.objects.filter(queue__in=names).values_list("queue").annotate(Count("pk"))
    on_their_way = dict(ways)
    # the look itself notes when a system answered
    answer_times = dict(AttachedQueue.objects.filter(pk__in=names).values_list("pk", "seen_at"))
    return [
        Attachment(
            queue,
            answer if isinstance(answer := answers[queue.name], QueueMetrics) else None,
            answer if isinstance(answer, str) else "",
            answer_times.get(queue.name),
            ours[queue.name],
            dead_letters=ours[queue.name]["dead_letters"],
            waiting=ours[queue.name]["length"],
            on_their_way=on_their_way.get(queue.name, 0),
        )
        for queue in queues
    ]


def _not_attached(name: str) -> UnknownQueue:
    return UnknownQueue(
        _("No queue {name!r} is attached. `{program} attach --list` shows those that are.").format(
            name=name, program=PROGRAM
        )
    )


def _refuse_if_on_their_way(name: str) -> None:
    remote = ForwardedMessage.objects.filter(queue=name).count()
    waiting = Message.objects.filter(queue=name, dlq_event_id__isnull=False).count()
    if remote + waiting:
        raise InvalidQueue(
            _(
                "{remote:,} revived dead letters are on their way through {name}. Wait until it has"
                " let go of them, or use --take-back: they wait for a person again, and what"
                " consumers there complete all the same may happen twice."
            ).format(remote=remote + waiting, name=name)
        )


def _require_one_message_a_revival(transport: Transport, label: str) -> None:
    """Raise InvalidQueue for a system that could get a revived message twice, unmarked."""
    if not (transport.commits_with_us or transport.deduplicates or transport.marks_repeats):
        raise InvalidQueue(
            _(
                "Queues of {label} cannot be attached: it neither commits with us nor recognises"
                " what is sent again, so a revived dead letter could come to it twice."
            ).format(label=label)
        )


def _check_columns(system: System, columns: Mapping[str, str]) -> dict[str, str]:
    if system.check_columns is None:
        raise InvalidQueue(
            _("Queues of {label} have no columns to map: only a table of your own has.").format(
                label=system.label
            )
        )
    return system.check_columns(columns)
