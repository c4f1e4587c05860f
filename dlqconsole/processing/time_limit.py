"""A handler may take its time, and no more."""

import asyncio
import ctypes
import signal
import threading
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from functools import lru_cache
from types import FrameType, TracebackType
from typing import Any, ClassVar, Self

from .categories import TRANSIENT

# A handler that swallows the first interruption meets another, and another.
AGAIN_SECONDS = 1.0

_own = threading.local()


class HandlerTimeout(BaseException):
    """The handler did not finish in its time. It passes a handler's ``except Exception``."""

    category: ClassVar[str] = TRANSIENT


class TimeLimit:
    """Within this block ``run`` can interrupt what it runs.

    Only a main thread can be interrupted: on entering, any other raises RuntimeError.
    """

    def __init__(self) -> None:
        self._seconds = 0.0
        # by time.monotonic(); None while nothing runs
        self._ends_at: float | None = None

    def __enter__(self) -> Self:
        if threading.current_thread() is not threading.main_thread():
            raise RuntimeError("handlers run in the main thread, where a timer can stop them")
        self._previous = signal.signal(signal.SIGALRM, self._expire)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, self._previous)

    def run[T](self, seconds: float, function: Callable[[], T]) -> T:
        """Return the function's result. After ``seconds`` HandlerTimeout is raised in it, until it ends."""
        self._seconds, self._ends_at = seconds, time.monotonic() + seconds
        try:
            try:
                signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN_SECONDS)
                return function()
            finally:
                self._ends_at = None
        except HandlerTimeout:
            self._ends_at = None  # it may have fallen just before the line above
            raise

    def _expire(self, signum: int, frame: FrameType | None) -> None:
        if self._ends_at is None:  # of what has ended: the timer is set anew for each, and stopped for none
            signal.setitimer(signal.ITIMER_REAL, 0)
        elif time.monotonic() >= self._ends_at:
            raise HandlerTimeout(_sentence(self._seconds))


class ThreadTimeLimit:
    """The limit of a thread that called ``begin_thread``: another one calls ``expire_if_due`` now and then.

    It is interrupted between two steps of Python only, not while it waits for the system.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._thread: ctypes.c_ulong | None = None
        self._seconds = 0.0
        # by time.monotonic(); None while nothing runs
        self._expires_at: float | None = None
        self._has_expired = False

    def begin_thread(self) -> None:
        """Limit the calling thread."""
        self._thread = ctypes.c_ulong(threading.get_ident())

    def run[T](self, seconds: float, function: Callable[[], T]) -> T:
        """Return the function's result. After ``seconds`` HandlerTimeout is raised in it, until it ends."""
        self._seconds, self._expires_at = seconds, time.monotonic() + seconds
        try:
            try:
                return function()
            finally:
                self._end()
        except HandlerTimeout:
            self._end()  # it may have fallen just before the line above
            raise

    def expire_if_due(self) -> None:
        """Interrupt the thread where its time is over."""
        with self._lock:
            if self._expires_at is not None and time.monotonic() > self._expires_at:
                self._expires_at = time.monotonic() + AGAIN_SECONDS
                self._has_expired = True
                self._raise(ctypes.py_object(_timeout_after(self._seconds)))

    def _end(self) -> None:
        with self._lock:
            self._expires_at = None
            if self._has_expired:
                self._has_expired = False
                self._raise(None)  # what was not raised yet is not for the next one

    def _raise(self, error: object) -> None:
        ctypes.pythonapi.PyThreadState_SetAsyncExc(self._thread, error)


@contextmanager
def cancel_after(seconds: float) -> Iterator[None]:
    """Cancel the task that runs in this block after ``seconds``, until it ends: see ``why_cancelled``."""
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    assert task is not None  # noqa: S101
    timers: list[asyncio.TimerHandle] = []

    def expire() -> None:
        task.cancel(HandlerTimeout(_sentence(seconds)))
        timers.append(loop.call_later(AGAIN_SECONDS, expire))

    timers.append(loop.call_later(seconds, expire))
    try:
        yield
    finally:
        timers[-1].cancel()


def why_cancelled(error: asyncio.CancelledError) -> BaseException:
    """Return the HandlerTimeout for which a task was cancelled, from where it was; else the error itself."""
    cause = error.args[0] if error.args else None
    return cause.with_traceback(error.__traceback__) if isinstance(cause, HandlerTimeout) else error


@lru_cache(maxsize=8)
def _timeout_after(seconds: float) -> type[HandlerTimeout]:
    """A thread is interrupted by a class, of which the system makes the error."""

    def __init__(self: HandlerTimeout) -> None:  # noqa: N807
        BaseException.__init__(self, _sentence(seconds))

    return type("HandlerTimeout", (HandlerTimeout,), {"__init__": __init__})


def _sentence(seconds: float) -> str:
    return f"the handler did not finish within {seconds:g} s"


def await_here[T](coroutine: Coroutine[Any, Any, T]) -> T:
    """Return the coroutine's result. A HandlerTimeout of this thread cancels it: see ``why_cancelled``."""
    loop = getattr(_own, "loop", None)
    if loop is None:
        loop = _own.loop = asyncio.new_event_loop()
    task: asyncio.Task[T] = loop.create_task(coroutine)
    try:
        return loop.run_until_complete(task)
    except HandlerTimeout as error:
        if task.done():  # it fell in the coroutine
            raise
        task.cancel(error)
        return loop.run_until_complete(task)
