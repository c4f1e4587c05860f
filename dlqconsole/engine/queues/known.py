"""The queues that exist: those with a row, messages or dead letters; and all of them, page by page."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from django.utils.translation import gettext as _

from dlqconsole.configuration.program import PROGRAM
from dlqconsole.core.errors import InvalidQueue, UnknownQueue
from dlqconsole.core.lifecycle.states import OPEN
from dlqconsole.core.named_sql import fetch_column, fetch_dicts
from dlqconsole.engine.access_scope import EVERYTHING, asking_as
from dlqconsole.engine.counts import rollups
from dlqconsole.engine.dead_letters.filters import DeadLetterFilter
from dlqconsole.engine.models import Queue, QueueActivity
from dlqconsole.engine.queues import metrics as queue_metrics
from dlqconsole.engine.queues.metrics import END, Later, Place, Row
from dlqconsole.engine.queues.obstacles import blocked_by_breaker
from dlqconsole.engine.queues.policy import check_new_name, quote
from dlqconsole.engine.sql import sql
from dlqconsole.processing.inputs.plain_text import is_storable

SIZE = 1_000


def require_known(name: str) -> None:
    """Raise UnknownQueue unless there is a queue of that name."""
    if not is_known(name):
        raise unknown_queue(name)


def unknown_queue(name: str) -> UnknownQueue:
    """Return the refusal where there is no queue of that name, or none within the scope."""
    return UnknownQueue(
        _(
            "There is no queue {name}. `{program} queues` lists those there are; `{program}"
            " queues create` or the first message makes one."
        ).format(name=quote(name), program=PROGRAM)
    )


def is_known(name: str) -> bool:
    """Tell whether anything of a queue exists: its row, messages, consumers' traces, dead letters."""
    if not _storable(name):
        return False
    return (
        Queue.objects.filter(pk=name).exists()
        or holds_messages(name)
        or QueueActivity.objects.filter(queue=name).exists()
        or _holds_dead_letters(name)
        or name in blocked_by_breaker([name])
    )


def check_usable_name(name: str) -> str:
    """Return the name, if a queue may have it, or if there is one already. Raises InvalidQueue.

    The database is asked only about a name that no new queue may have: plain SQL may have put messages there.
    """
    try:
        return check_new_name(name)
    except InvalidQueue:
        if not is_known(name):
            raise
    return name


def holds_messages(name: str) -> bool:
    """Tell whether there is any message on the queue, in flight included."""
    return bool(fetch_column(sql("purging.any"), {"queue": name})[0])


def _holds_dead_letters(name: str) -> bool:
    # whoever asks: a queue's name is taken, or it is not
    with asking_as(EVERYTHING):
        return DeadLetterFilter(queue=name).queryset().exists()


def _storable(name: str) -> bool:
    return bool(name) and len(name) <= 255 and is_storable(name)


@dataclass(frozen=True, slots=True)
class QueuePage:
    """A page of queues, as in ``engine.queues.metrics``. ``next``: the name where the next page begins."""

    rows: list[Row]
    next: str = ""


def page(first: str = "", size: int = SIZE, *, without: Collection[str] = ()) -> QueuePage:
    """Return the first ``size`` queues from a name on, without some.

    A queue is one that has a policy, messages or dead letters, or was busy in the last hour.
    """
    return _Known(without).page(first, size)


def metrics(size: int = SIZE, *, without: Collection[str] = ()) -> Iterator[Row]:
    """Yield a row for each queue, by name; they are read a page at a time."""
    for current in _Known(without).pages(size):
        yield from current.rows


def names(size: int = 10 * SIZE) -> Iterator[str]:
    """Yield all names, without any figures."""
    queues, first = _Known(()), ""
    while True:
        places, first = queues.places(first, size)
        yield from places
        if not first:
            return


@dataclass
class _Known:
    """The queues that other tables than that of messages know, read once for all pages."""

    without: Collection[str]
    dead: dict[str, int] = field(default_factory=lambda: rollups.by_queue(OPEN))
    scheduled: dict[str, Later] = field(default_factory=queue_metrics.scheduled_messages)
    busy: list[str] = field(default_factory=lambda: fetch_column(sql("queue_metrics.busy"), {}))

    def pages(self, size: int) -> Iterator[QueuePage]:
        current = self.page("", size)
        yield current
        while current.next:
            current = self.page(current.next, size)
            yield current

    def page(self, first: str, size: int) -> QueuePage:
        places, following = self.places(first, size)
        rows = queue_metrics.rows_at(places, self.scheduled) if places else []
        whole = [queue_metrics.with_warnings(row, self.dead.get(row["name"], 0)) for row in rows]
        return QueuePage(whole, following)

    def places(self, first: str, size: int) -> tuple[dict[str, Place], str]:
        """Return queues by name, each with the place of its first live message; and the name after them."""
        rows = fetch_dicts(sql("queue_metrics.names"), {
            "first": first,
            "most": size + 1,
            "walk": size + 1 + len(self.without),
            "others": [*{*self.dead, *self.scheduled, *self.busy}],
            "without": list(self.without),
        })  # fmt: skip
        following = rows.pop()["name"] if len(rows) > size else ""
        return {
            row["name"]: END if row["id"] is None else (row["turn"], row["id"]) for row in rows
        }, following
