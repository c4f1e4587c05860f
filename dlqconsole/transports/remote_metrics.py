"""The figures of attached queues, asked of their own systems, with a time limit.

Systems that are away are asked in a thread each, beside one another; one that lives in our database is asked
here, within a limit of the database's. A system that has not answered in time is left behind: until its
thread comes back, nobody else waits for that system.
"""

import threading
import time
from collections.abc import Iterable, Sequence
from datetime import timedelta
from itertools import groupby
from operator import attrgetter

from django.db import connections
from django.db.models import Q
from django.db.models.functions import Now

from dlqconsole.core.errors import EngineError
from dlqconsole.engine.counts.summaries import TooSlow, time_budget
from dlqconsole.hosting.database import transaction
from dlqconsole.transports.models import AttachedQueue
from dlqconsole.transports.registry import system_of
from dlqconsole.transports.target import QueueMetrics, Transport

SECONDS = 1.0  # in which all systems together have to answer
LEAST_SECONDS = 0.25  # for one queue of our own database, while there is time
REMEMBERED_EVERY = timedelta(seconds=5)

# a queue's figures, or the sentence why nobody knows them
type Answer = QueueMetrics | str


def look(queues: Iterable[AttachedQueue], seconds: float = SECONDS) -> dict[str, Answer]:
    """Return each queue's figures by name, or a sentence why they are unknown; in about so many seconds."""
    deadline = time.monotonic() + seconds
    requests: list[_Request] = []
    answers: dict[str, Answer] = {}
    here: list[tuple[Transport, list[AttachedQueue]]] = []
    for transport, group in groupby(sorted(queues, key=attrgetter("transport")), attrgetter("transport")):
        of_one = list(group)
        try:
            system = system_of(transport).open()
        except EngineError as problem:
            answers |= dict.fromkeys((queue.name for queue in of_one), str(problem))
            continue
        if system.commits_with_us:
            here.append((system, of_one))
        else:
            requests.append(_Request(transport, system, of_one, deadline))
    for system, of_one in here:
        answers |= _ask_here(system, of_one, deadline)
    for request in requests:
        answers |= request.answers()
    remember([name for name, answer in answers.items() if isinstance(answer, QueueMetrics)])
    return answers


def remember(names: Sequence[str]) -> None:
    """Note that these queues' systems answered. Waits for nobody: a relay may hold the row just now."""
    stale = Q(seen_at=None) | Q(seen_at__lt=Now() - REMEMBERED_EVERY)
    due = AttachedQueue.objects.filter(stale, name__in=names)
    if names and due.exists():
        with transaction.atomic():
            free = due.select_for_update(skip_locked=True).values_list("name", flat=True)
            AttachedQueue.objects.filter(name__in=list(free)).update(seen_at=Now())


class _Request:
    """A system that is asked for its queues, one after the other, in a thread of its own."""

    _left_behind: dict[str, "_Request"] = {}

    def __init__(
        self, transport: str, system: Transport, queues: Sequence[AttachedQueue], deadline: float
    ) -> None:
        self._transport, self._system, self._queues = transport, system, queues
        self._began, self._deadline = time.monotonic(), deadline
        self._answers: dict[str, Answer] = {}
        self._ended = threading.Event()
        before = self._left_behind.get(transport)
        self._before = None if before is None or before._ended.is_set() else before
        if self._before is None:
            threading.Thread(target=self._ask, name=f"looks at {transport}", daemon=True).start()

    def answers(self) -> dict[str, Answer]:
        """Return the answers so far at the deadline, and a sentence for the rest."""
        waited_for = self._before or self
        if self._before is None and not self._ended.wait(max(0.0, self._deadline - time.monotonic())):
            self._left_behind[self._transport] = self
        seconds = time.monotonic() - waited_for._began
        late = f"It has not answered for {seconds:.1f} s; nobody waits for it longer."
        return {queue.name: self._answers.get(queue.name, late) for queue in self._queues}

    def _ask(self) -> None:
        try:
            for queue in self._queues:
                if time.monotonic() > self._deadline:
                    break
                self._answers[queue.name] = _ask_system(self._system, queue)
        except (
            Exception
        ) as error:  # another's system may raise anything; it is said where its figures would be
            self._answers |= dict.fromkeys(
                (queue.name for queue in self._queues if queue.name not in self._answers),
                f"It cannot be looked at: {type(error).__name__}.",
            )
        finally:
            self._ended.set()
            self._system.close()
            connections.close_all()


def _ask_system(system: Transport, queue: AttachedQueue) -> Answer:
    try:
        return system.metrics(queue.remote_name)
    except EngineError as problem:
        return str(problem)


def _ask_here(system: Transport, queues: Sequence[AttachedQueue], deadline: float) -> dict[str, Answer]:
    """Ask a system in our own database. A long or locked queue leaves time for the others."""
    answers: dict[str, Answer] = {}
    for number, queue in enumerate(queues):
        remaining = deadline - time.monotonic()
        if remaining <= 0:
            answers[queue.name] = "It was not looked at: counting the others took all the time there was."
            continue
        share = min(remaining, max(remaining / (len(queues) - number), LEAST_SECONDS))
        try:
            with time_budget(max(1, round(share * 1000))):
                answers[queue.name] = _ask_system(system, queue)
        except TooSlow:
            answers[queue.name] = f"Counting what stands on it takes longer than {share:.1f} s."
    return answers
