"""The executors of handlers in a Spark worker: itself, at no cost, or processes that a handler may harm.

A worker that dies of a handler, or has to be ended, takes its whole piece of a file with it. Spark has that
piece read again, and then each event has its handler run in a process of its own kind.
"""

import faulthandler
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Never, Self

from dlqconsole.processing.events import Event
from dlqconsole.processing.handlers import load_handlers
from dlqconsole.processing.isolation import HandlerProcesses, ProcessLimits, grace_of, output
from dlqconsole.processing.isolation.deaths import MOST_DEATHS, failure_of, has_no_memory, reduce_for_sending
from dlqconsole.processing.isolation.usage import limited_growth
from dlqconsole.processing.outcomes import Failed, Outcome, attempt
from dlqconsole.processing.time_limit import HandlerTimeout, TimeLimit

from .work import RunWork

# A worker's own need for a batch of events, beside its handlers'.
OWN_BYTES = 256 * 1024 * 1024
type Attempt = Callable[[Event], Outcome]
LOOK_SECONDS = 1.0
EXIT_STATUS = 70


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
    with HandlerProcesses("dlqconsole.pipeline.sink.executors:call", 1, limits) as processes:

        def run(event: Event) -> Outcome:
            for _death in range(MOST_DEATHS):
                result = processes.run(event.id, (work, event), handlers.seconds_for(event.type, longest))
                outcome: Outcome = failure_of(result.death) if result.death else result.value
                if not isinstance(outcome, Failed) or not outcome.fatal:
                    break
            return outcome

        yield run


class Watchdog:
    """A thread that looks once a second, within this block, whether something has run for too long.

    While it looks it keeps winding up a timer that needs no Python: one ends this process, too, where a
    library holds the interpreter for ever.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._began = 0.0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="watchdog", daemon=True)

    def __enter__(self) -> Self:
        self._wind_up()
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._stop.set()
        self._thread.join()
        faulthandler.cancel_dump_traceback_later()

    def began(self) -> None:
        """Note that something runs from now on."""
        self._began = time.monotonic()

    def ended(self) -> None:
        """Note that nothing runs."""
        self._began = 0.0

    def end_process(self, why: str) -> Never:
        """End this process at once, with a line in its log."""
        print(
            f"dlqconsole: {why}: this worker ends, and its piece is read again", file=sys.stderr, flush=True
        )
        os._exit(EXIT_STATUS)

    def _run(self) -> None:
        while not self._stop.wait(LOOK_SECONDS):
            began = self._began
            if began and time.monotonic() - began > self._seconds:
                faulthandler.dump_traceback()
                self.end_process(f"a handler did not stop within {self._seconds:g} s")
            self._wind_up()

    def _wind_up(self) -> None:
        faulthandler.dump_traceback_later(2 * self._seconds + LOOK_SECONDS, exit=True)


def call(argument: tuple[RunWork, Event]) -> Outcome:
    """Run the handler of one event. Raises HandlerSetupError."""
    work, event = argument
    output.called(event.type, event.id)
    return reduce_for_sending(attempt(load_handlers(work.handlers), event, work.limits), work.handler_memory)
