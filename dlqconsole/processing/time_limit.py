"""A handler may take its time, and no more."""

import signal
import threading
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import ClassVar, Self

from .categories import TRANSIENT

# A handler that swallows the first interruption meets another, and another.
AGAIN_SECONDS = 1.0


class HandlerTimeout(BaseException):
    """The handler did not finish in its time. It passes a handler's ``except Exception``."""

    category: ClassVar[str] = TRANSIENT


class TimeLimit:
    """Within this block ``run`` can interrupt what it runs.

    Only a main thread can be interrupted: on entering, any other raises RuntimeError.
    """

    def __init__(self) -> None:
        self._seconds = 0.0

    def __enter__(self) -> Self:
        if threading.current_thread() is not threading.main_thread():
            raise RuntimeError("handlers run in the main thread, where a timer can stop them")
        self._previous = signal.signal(signal.SIGALRM, self._expire)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        signal.signal(signal.SIGALRM, self._previous)

    def run[T](self, seconds: float, function: Callable[[], T]) -> T:
        """Return the function's result. After ``seconds`` HandlerTimeout is raised in it, until it ends."""
        self._seconds = seconds
        try:
            try:
                signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN_SECONDS)
                return function()
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
        except HandlerTimeout:
            signal.setitimer(signal.ITIMER_REAL, 0)  # it may have fallen just before the line above
            raise

    def _expire(self, signum: int, frame: FrameType | None) -> None:
        raise HandlerTimeout(f"the handler did not finish within {self._seconds:g} s")
