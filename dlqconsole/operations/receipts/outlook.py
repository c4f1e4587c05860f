"""The outlook of a handed-over operation: its messages to come, their consumers and the time they take."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from dlqconsole.engine import known_handlers
from dlqconsole.engine.breakers import describe
from dlqconsole.engine.models import Queue
from dlqconsole.engine.moments import duration_in_two, moment
from dlqconsole.engine.queues import metrics as queue_metrics
from dlqconsole.engine.queues.known import holds_messages
from dlqconsole.engine.queues.obstacles import blocked_by_breaker, unhandled_messages
from dlqconsole.operations.models import Operation, OperationPart
from dlqconsole.operations.requests.pace import slowed_groups
from dlqconsole.processing.texts import visible
from dlqconsole.retries.clock import database_now
from dlqconsole.transports.models import ForwardedMessage
from dlqconsole.transports.registry import is_ours

_SHOWN = 3
# in minutes
LATELY = 5


@dataclass(frozen=True, slots=True)
class Outlook:
    """The messages to come: ``under_way`` of ``done`` are still to be handled.

    ``times``: obstacles that pass by themselves; ``people``: obstacles that a person has to remove.
    ``consumers`` of their queues run now; ``seconds``: the time that they take, if known.
    """

    under_way: int
    done: int
    times: tuple[str, ...] = ()
    people: tuple[str, ...] = ()
    consumers: int = 0
    seconds: float | None = None

    @property
    def goes_on(self) -> bool:
        """Tell whether they become fewer by themselves."""
        return bool(self.times) or not self.people

    @property
    def sentence(self) -> str:
        """``2,778 of 3,008 still to be handled, by 4 consumers, about 3 min.``"""
        number = _("{n:,} of {total:,} still to be handled").format(n=self.under_way, total=self.done)
        if waits := (*self.times, *self.people):
            return _("{number}: {waits}.").format(number=number, waits=_("; ").join(waits))
        parts = [number]
        if self.consumers:
            by = ngettext("by {number:,} consumer", "by {number:,} consumers", self.consumers)
            parts.append(by.format(number=self.consumers))
        if self.seconds is not None:
            parts.append(_("about {time}").format(time=duration_in_two(max(self.seconds, 1))))
        return _("{sentence}.").format(sentence=_(", ").join(parts))


def outlook(operation: Operation) -> Outlook | None:
    """Return the outlook of an operation whose ``under_way`` is set; None where nothing is to come."""
    if not operation.under_way or operation.finished_at is None:
        return None
    if operation.is_part:
        return Outlook(operation.under_way, operation.done)
    queues = _queues(operation)
    consumers = _consumers(queues)
    return Outlook(
        operation.under_way,
        operation.done,
        tuple(islice(_times(operation, queues), _SHOWN)),
        tuple(islice(_people(queues, consumers), _SHOWN)),
        sum(consumers.values()),
        _seconds(operation, queues),
    )


def _queues(operation: Operation) -> list[str]:
    """The queues of its messages; a dead letter without one went onto that of its event type's name."""
    if to := operation.parameters.get("to_queue"):
        return [to]
    parts = OperationPart.objects.filter(operation=operation)
    return sorted(set(parts.values_list("queue", flat=True)))


def _consumers(queues: Collection[str]) -> dict[str, int]:
    """Count the live consumers of each queue; one that has stopped reports no handlers."""
    numbers = dict.fromkeys(queues, 0)
    for report in known_handlers.live():
        if report.is_consumer and (report.event_types or report.role == known_handlers.SQL):
            for queue in numbers.keys() & set(report.queues):
                numbers[queue] += 1
    return numbers


def _times(operation: Operation, queues: Sequence[str]) -> Iterator[str]:
    """The obstacles that pass by themselves, with their end if known."""
    if operation.undo_until is not None and operation.released_at is None:
        if operation.undo_until > database_now():
            yield _("held back for the undo until {time}").format(time=moment(operation.undo_until))
        else:
            groups = slowed_groups(operation)
            over = _("the undo window is over, they go out by and by")
            yield f"{over} ({groups[0].sentence})" if groups else over
    for state in {each.key: each for each in blocked_by_breaker(queues).values()}.values():
        yield describe(state).rstrip(".")


def _people(queues: Sequence[str], consumers: dict[str, int]) -> Iterator[str]:
    """The obstacles for people. The consumers of another system's queue are not known here."""
    paused_queues = set(Queue.objects.filter(name__in=queues, paused=True).values_list("name", flat=True))
    without_handler, _reports = unhandled_messages(queues)
    handed_over = ForwardedMessage.objects.filter(queue__in=queues, is_watched=False)
    for name in handed_over.values_list("queue", flat=True).distinct():
        yield _("{name} does not say what becomes of what was handed over to it").format(
            name=visible(name)[:80]
        )
    for name in filter(holds_messages, queues):
        label = visible(name)[:80]
        if name in paused_queues:
            yield _("the queue {name} is paused").format(name=label)
        elif not consumers[name] and is_ours(name):
            yield _("no consumer of {name} is running").format(name=label)
        for row in without_handler.get(name, []):
            if not row["handled"]:
                yield _("no consumer of {name} has a handler for {event_type}").format(
                    name=label, event_type=visible(row["event_type"])[:80]
                )


def _seconds(operation: Operation, queues: Collection[str]) -> float | None:
    """Estimate the seconds by the messages handled so far, or by the consumers' best minute: the faster rate.

    The messages may have stood on a paused queue most of the time.
    """
    start = max(filter(None, (operation.started_at, operation.undo_until)), default=operation.created_at)
    since = (database_now() - start).total_seconds()
    own = (operation.done - operation.under_way) / since if since > 0 else 0.0
    rate = max(own, queue_metrics.most_completed_per_minute(queues, LATELY) / 60)
    return operation.under_way / rate if rate > 0 else None
