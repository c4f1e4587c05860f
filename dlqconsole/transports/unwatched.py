"""Dead-letter queues of other systems that nobody watches: neither attached here nor consumed over there.

A tick looks at each system with an attached queue, and only reads. What it saw is kept, so that pages ask
nobody. Our own queues need no look: what fails on them is a dead letter here.
"""

import logging
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime

from django.db import Error
from django.db.models.functions import Now

from dlqconsole.configuration.program import PROGRAM
from dlqconsole.core.errors import EngineError
from dlqconsole.core.named_sql import fetch_column
from dlqconsole.core.transient_errors import sentence
from dlqconsole.engine.access_scope import current_access
from dlqconsole.processing.texts import one_line
from dlqconsole.transports.models import AttachedQueue, DeadLetterLook
from dlqconsole.transports.registry import system_of, systems
from dlqconsole.transports.sql import sql
from dlqconsole.transports.target import DeadLetterQueue

log = logging.getLogger(__name__)

EVERY_SECONDS = 600.0
LONGEST_PROBLEM = 500


@dataclass(frozen=True, slots=True)
class Unwatched:
    """A dead-letter queue that nobody watches. ``name``: to attach it; empty: what fails is lost."""

    name: str
    sources: Sequence[str]
    messages: int | None

    @property
    def command(self) -> str:
        """The command that attaches it."""
        return f"{PROGRAM} attach {shlex.quote(self.name)}"


@dataclass(frozen=True, slots=True)
class Look:
    """A look at a system. ``number``: its dead-letter queues, None where it cannot tell."""

    label: str
    looked_at: datetime | None
    problem: str
    number: int | None


def look() -> int:
    """Look at the systems whose turn it is. Return their number."""
    by_system: dict[str, list[str]] = {}
    for queue in AttachedQueue.objects.order_by("name"):
        by_system.setdefault(queue.transport, []).append(queue.remote_name)
    DeadLetterLook.objects.exclude(transport__in=by_system).delete()
    due = fetch_column(sql("unwatched.begin"), {"transports": list(by_system), "seconds": EVERY_SECONDS})
    for transport in due:
        _look_at(transport, by_system[transport])
    return len(due)


def unwatched() -> list[Unwatched]:
    """Return the dead-letter queues within the scope that nobody watches: the worst first."""
    attached = set(AttachedQueue.objects.values_list("name", flat=True))
    sees = current_access().sees_queue
    places = [
        replace(place, sources=[source for source in place.sources if sees(source)])
        for each in DeadLetterLook.objects.order_by("transport")
        for place in _unwatched_of(each)
        if place.name not in attached and sees(place.name or place.sources[0])
    ]
    return sorted(places, key=lambda place: (bool(place.name), -(place.messages or 0), place.name))


def looks() -> list[Look]:
    """Return the last look at each system, for people who see everything."""
    rows = [] if current_access().is_limited else DeadLetterLook.objects.order_by("transport")
    return [
        Look(
            _label(row.transport), row.looked_at, row.problem, None if row.queues is None else len(row.queues)
        )
        for row in rows
    ]


def _look_at(transport: str, attached: Sequence[str]) -> None:
    row = DeadLetterLook.objects.filter(transport=transport)
    try:
        system = system_of(transport).open()
        try:
            queues = system.dead_letter_queues(attached)
        finally:
            system.close()
    except (EngineError, Error) as error:
        row.update(problem=one_line(sentence(error), LONGEST_PROBLEM))
        return
    except Exception as error:  # another's system may raise anything; the others are looked at all the same
        log.exception("the look at %s failed", transport)
        row.update(problem=f"It cannot be looked at: {type(error).__name__}.")
        return
    rows = None if queues is None else [asdict(queue) for queue in queues]
    row.update(queues=rows, looked_at=Now(), problem="")


def _unwatched_of(row: DeadLetterLook) -> Iterator[Unwatched]:
    for queue in (DeadLetterQueue(**each) for each in row.queues or ()):
        if not queue.is_consumed:
            name = queue.queue and f"{row.transport}:{queue.queue}"
            sources = [f"{row.transport}:{source}" for source in queue.sources]
            yield Unwatched(name, sources, queue.messages)


def _label(transport: str) -> str:
    system = systems().get(transport)
    return transport if system is None else system.label
