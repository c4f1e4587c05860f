"""The executors of handlers in a Spark worker: itself, at no cost, or processes that a handler may harm.

A worker that dies of a handler, or has to be ended, takes its whole piece of a file with it. Spark has that
piece read again, and then each event has its handler run in a process of its own kind.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from dlqconsole.processing.events import Event
from dlqconsole.processing.handlers import load_handlers
from dlqconsole.processing.isolation import HandlerProcesses, ProcessLimits, grace_of
from dlqconsole.processing.isolation.deaths import MOST_DEATHS, failure_of, has_no_memory
from dlqconsole.processing.isolation.usage import limited_growth
from dlqconsole.processing.outcomes import Failed, Outcome, attempt
from dlqconsole.processing.time_limit import HandlerTimeout, TimeLimit

from .watchdog import Watchdog
from .work import RunWork

# A worker's own need for a batch of events, beside its handlers'.
OWN_BYTES = 256 * 1024 * 1024

type Attempt = Callable[[Event], Outcome]


@contextmanager
def in_place(work: RunWork) -> Iterator[Attempt]:
    """Run handlers here. One that does not stop in time, or takes too much memory, ends this process.

    Raises RuntimeError in another than the main thread: it could not be interrupted.
    """
    handlers, seconds = load_handlers(work.handlers), work.handler_timeout
    room = work.handler_memory and work.handler_memory + OWN_BYTES
    with TimeLimit() as limit, Watchdog(seconds + grace_of(seconds)) as watchdog, limited_growth(room):

        def run(event: Event) -> Outcome:
            watchdog.began()
            try:
                outcome = limit.run(
                    handlers.seconds_for(event.type, seconds), lambda: attempt(handlers, event, work.limits)
                )
            except HandlerTimeout as error:  # it fell just after the handler had ended
                outcome = Failed.from_error(error)
            finally:
                watchdog.ended()
            if room and has_no_memory(outcome):  # it need not be this event that has taken it
                watchdog.end_process("its handlers have used up the memory of their process")
            return outcome

        yield run


@contextmanager
def apart(work: RunWork) -> Iterator[Attempt]:
    """Run handlers in another process. An event of which that died three times is quarantined."""
    handlers, longest = load_handlers(work.handlers), work.handler_timeout
    limits = ProcessLimits(work.handler_memory, grace_of(longest))
    with HandlerProcesses("dlqconsole.pipeline.sink.child:call", 1, limits) as processes:

        def run(event: Event) -> Outcome:
            for _death in range(MOST_DEATHS):
                result = processes.run(event.id, (work, event), handlers.seconds_for(event.type, longest))
                outcome: Outcome = failure_of(result.death) if result.death else result.value
                if not isinstance(outcome, Failed) or not outcome.fatal:
                    break
            return outcome

        yield run
