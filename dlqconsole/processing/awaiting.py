"""Awaiting in a program that has no event loop of its own: one loop for each thread, kept."""

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any

from .time_limit import HandlerTimeout

_own = threading.local()


def await_here[T](coroutine: Coroutine[Any, Any, T]) -> T:
    """Return the coroutine's result. A HandlerTimeout of this thread cancels it: see ``why_cancelled``."""
    loop = getattr(_own, "loop", None)
    if loop is None:
        loop = _own.loop = asyncio.new_event_loop()
    task: asyncio.Task[T] = loop.create_task(coroutine)
    try:
        return loop.run_until_complete(task)
    except HandlerTimeout as error:  # it fell while all waited
        task.cancel(error)
        return loop.run_until_complete(task)
