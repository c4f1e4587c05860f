"""The relay between our tables and attached queues: forward, dead-letter what nobody completes, watch.

Any number may run at the same time, each step being a compare-and-set in short transactions of its own. One
queue that fails is logged and does not stop the others.
"""

import functools
import logging
import time
from collections import Counter
from collections.abc import Callable

from django.db import Error

from dlqconsole.core.errors import EngineError, UnknownQueue
from dlqconsole.core.transient_errors import connection_lost, retry_transient, sentence
from dlqconsole.hosting.database import connection
from dlqconsole.transports import remote_metrics
from dlqconsole.transports.models import AttachedQueue
from dlqconsole.transports.registry import system_of
from dlqconsole.transports.relay import steps as usual_steps
from dlqconsole.transports.system import RelaySteps

log = logging.getLogger(__name__)

PAGE = 500
ROUND_SECONDS = 4.0


def run_once(seconds: float = ROUND_SECONDS) -> Counter[str]:
    """Serve each attached queue once, for about ``seconds`` in all. Return counts of what was done."""
    counts: Counter[str] = Counter()
    deadline = time.monotonic() + seconds
    for queue in AttachedQueue.objects.order_by("name"):
        try:
            serve(queue, counts, deadline)
        except (EngineError, Error) as error:
            if isinstance(error, UnknownQueue):
                counts["lost"] += _page(functools.partial(usual_steps.give_up, why=str(error)), queue)
            counts["failed"] += 1
            log.warning("the queue %s is not served: %s", queue.name, sentence(error))
            if isinstance(error, Error) and connection_lost(error):
                connection.close()
                break
    return counts


def serve(queue: AttachedQueue, counts: Counter[str], deadline: float) -> None:
    """Run the three steps for one queue, each page by page while there is time, and at least once.

    In this order: a message that comes back is a dead letter again before anybody asks whether it left. A
    message that cannot be forwarded does not stop the other steps; its error is raised in the end.
    """
    steps, refusal = _steps(queue), None
    try:
        counts["forwarded"] += _pages(functools.partial(_page, steps.forward, queue), deadline)
    except EngineError as error:
        refusal = error
    for word, step in (("dead-lettered", steps.dead_letter_exhausted), ("left", steps.watch)):
        counts[word] += _pages(functools.partial(_page, step, queue), deadline)
    if refusal:
        raise refusal
    if steps is not usual_steps or usual_steps.finds_exhausted(system_of(queue.transport).open()):
        remote_metrics.remember([queue.name])  # else nothing was asked of it


def _steps(queue: AttachedQueue) -> RelaySteps:
    system = system_of(queue.transport)
    return usual_steps if system.relay_steps is None else system.relay_steps()


def _page(step: Callable[[AttachedQueue, int], int], queue: AttachedQueue) -> int:
    return retry_transient(lambda: step(queue, PAGE))


def _pages(page: Callable[[], int], deadline: float) -> int:
    """Repeat a step until it does nothing more, or the time is used. Return the number of rows."""
    total = 0
    while count := page():
        total += count
        if time.monotonic() > deadline:
            break
    return total
