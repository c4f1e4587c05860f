"""A handler may take its time, and no more."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from dlqconsole.processing.errors import TransientError
from dlqconsole.processing.events import Event
from dlqconsole.processing.handlers import Registry
from dlqconsole.processing.limits import Limits
from dlqconsole.processing.outcomes import Failed, Outcome, attempt


class HandlerTimeout(TransientError):
    """The handler did not finish in its time."""


def attempt_in_time(registry: Registry, event: Event, limits: Limits, seconds: float) -> Outcome:
    """Run the event's handler; after so many seconds it has failed. Needs `interruptible` around it."""
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        return attempt(registry, event, limits)
    except HandlerTimeout as error:  # it fell just after the handler had ended
        return Failed.from_error(error)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


@contextmanager
def interruptible(seconds: float) -> Iterator[None]:
    """Let the timer raise HandlerTimeout in this block. Only a main thread can be interrupted."""

    def expire(signum: int, frame: FrameType | None) -> None:
        raise HandlerTimeout(f"the handler did not finish within {seconds:g} s")

    if threading.current_thread() is not threading.main_thread():
        raise RuntimeError("handlers run in the main thread of a worker, where a timer can stop them")
    previous = signal.signal(signal.SIGALRM, expire)
    try:
        yield
    finally:
        signal.signal(signal.SIGALRM, previous)
