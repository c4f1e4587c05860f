"""The reasons why an operation's work will wait: open breakers, paused queues, queues without consumers."""

from collections.abc import Collection, Sequence

from django.utils.translation import gettext as _

from dlqconsole.core.named_sql import fetch_dicts
from dlqconsole.engine import breakers, known_handlers
from dlqconsole.engine.models import Queue
from dlqconsole.operations.kinds.base import Kind
from dlqconsole.operations.sql import sql
from dlqconsole.processing.inputs.sentences import stored
from dlqconsole.transports.queue_overview import is_attached, why_never, why_not_claimed
from dlqconsole.transports.registry import is_ours

_SHOWN = 5


def blockers(kind: Kind, event_types: Collection[str], queues: Sequence[str]) -> tuple[str, ...]:
    """Return a sentence for each blocker; empty where nothing blocks.

    ``queues``: those to which the operation would move its items.
    """
    sentences = _breakers(kind, event_types) if kind.runs_handlers or kind.feeds_queues else []
    if kind.feeds_queues:
        sentences += [*_paused(queues), *_unattached(queues), *_unconsumed(queues)]
    return tuple(sentences)


def idle_queues(operation_id: int) -> list[str]:
    """The sentences why messages of an operation are not handled, as far as known."""
    return [_idle_sentence(row) for row in fetch_dicts(sql("canary.idle_queues"), {"id": operation_id})]


def _idle_sentence(row: dict[str, str | bool]) -> str:
    if row["paused"]:
        return _(stored("The queue {queue} is paused.")).format(queue=row["queue"])
    if row["reason"] is not None:
        words = _(stored("The consumers of {queue} leave it alone after failures: {reason}."))
        return words.format(queue=row["queue"], reason=row["reason"])
    words = _(stored("No consumer of {queue} has a handler for {unhandled_type}."))
    return words.format(queue=row["queue"], unhandled_type=row["unhandled_type"])


def _breakers(kind: Kind, event_types: Collection[str]) -> list[str]:
    types = {*event_types}
    open_breakers = [each for each in breakers.states() if each.blocks and types & {*each.event_types}]
    waits = kind.stopped_words or _("Revived, they wait on their queues and lose no try")
    return [f"{waits}: {breakers.describe(each)}" for each in open_breakers[:_SHOWN]]


def _paused(queues: Sequence[str]) -> list[str]:
    names = Queue.objects.filter(name__in=queues, paused=True).order_by("name").values_list("name", flat=True)
    return [
        _("The queue {name} is paused: they wait there until somebody resumes it.").format(name=name)
        for name in names[:_SHOWN]
    ]


def _unattached(queues: Sequence[str]) -> list[str]:
    """A sentence for each queue of another system that nothing is forwarded to yet."""
    missing = [name for name in sorted({*queues}) if not is_ours(name) and not is_attached(name)]
    return [
        why_never(name) or _("{name} is not attached: they wait here until it is.").format(name=name)
        for name in missing[:_SHOWN]
    ]


def _unconsumed(queues: Sequence[str]) -> list[str]:
    """A sentence for each queue without a live consumer: consumers report every ten seconds."""
    with_consumer = {name for report in known_handlers.live() if report.is_consumer for name in report.queues}
    return [
        _("Nobody consumes {name}. No consumer of it has been heard of in two minutes.").format(name=name)
        for name in sorted({*queues} - with_consumer)[:_SHOWN]
        if is_ours(name) or not why_not_claimed(name)
    ]
