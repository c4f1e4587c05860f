"""Why what an operation does will wait: open breakers, paused queues, queues that nobody consumes."""

from collections.abc import Collection, Sequence

from dlqconsole.engine import breakers, known_handlers
from dlqconsole.engine.models import Queue
from dlqconsole.engine.named_sql import fetch_dicts
from dlqconsole.operations.kinds.base import Kind
from dlqconsole.operations.sql import sql
from dlqconsole.transports.queue_overview import is_attached, why_not_claimed
from dlqconsole.transports.registry import is_ours

_SHOWN = 5


def blockers(kind: Kind, event_types: Collection[str], queues: Sequence[str]) -> tuple[str, ...]:
    """A sentence for each; empty where nothing is in the way.

    ``queues``: to which it would move them.
    """
    found = _breakers(kind, event_types) if kind.runs_handlers or kind.feeds_queues else []
    if kind.feeds_queues:
        found += [*_paused(queues), *_unattached(queues), *_unconsumed(queues)]
    return tuple(found)


def idle(operation_id: int) -> list[str]:
    """Why messages of an operation are not handled, where that is known."""
    return [_idle(row) for row in fetch_dicts(sql("canary.idle_queues"), {"id": operation_id})]


def _idle(row: dict[str, str | bool]) -> str:
    if row["paused"]:
        return f"The queue {row['queue']} is paused."
    if row["reason"] is not None:
        return f"The consumers of {row['queue']} leave it alone after failures: {row['reason']}."
    return f"No consumer of {row['queue']} has a handler for {row['unhandled_type']}."


def _breakers(kind: Kind, event_types: Collection[str]) -> list[str]:
    stopped = [each for each in breakers.states() if each.blocks and {*each.event_types} & {*event_types}]
    waits = kind.stopped_words or "Revived, they wait on their queues and lose no try"
    return [f"{waits}: {breakers.describe(each)}" for each in stopped[:_SHOWN]]


def _paused(queues: Sequence[str]) -> list[str]:
    names = Queue.objects.filter(name__in=queues, paused=True).order_by("name").values_list("name", flat=True)
    return [
        f"The queue {name} is paused: they wait there until somebody resumes it." for name in names[:_SHOWN]
    ]


def _unattached(queues: Sequence[str]) -> list[str]:
    """Queues of other systems to which nothing is forwarded yet."""
    missing = [name for name in sorted({*queues}) if not is_ours(name) and not is_attached(name)]
    return [f"{name} is not attached: they wait here until it is." for name in missing[:_SHOWN]]


def _unconsumed(queues: Sequence[str]) -> list[str]:
    """Consumers say every ten seconds that they run."""
    consumed = {
        name
        for report in known_handlers.live()
        if report.role == known_handlers.CONSUMER
        for name in report.queues
    }
    return [
        f"Nobody consumes {name}. No consumer of it has been heard of in two minutes."
        for name in sorted({*queues} - consumed)[:_SHOWN]
        if is_ours(name) or not why_not_claimed(name)
    ]
