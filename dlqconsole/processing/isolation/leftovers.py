"""Threads and processes that a call leaves behind, and that could end its process during a later call."""

import os
import time

from .memory import count_threads

# A thread that was waited for is gone from the system's list a moment later.
MOMENT_SECONDS = 0.002


class Leftovers:
    """Knows what this process had before its first call."""

    def __init__(self) -> None:
        self._threads = count_threads()
        self._had_children = _has_children()

    def are_there(self) -> bool:
        """Tell whether a call has left a thread or a process that was not there before.

        Ask after each call.
        """
        return self._has_threads() or (not self._had_children and _has_children())

    def _has_threads(self) -> bool:
        if not self._has_more_threads():
            return False
        time.sleep(MOMENT_SECONDS)
        return self._has_more_threads()

    def _has_more_threads(self) -> bool:
        now = count_threads()
        if now > self._threads:
            return True
        self._threads = now
        return False


def _has_children() -> bool:
    """Tell whether there are children, also ended ones that nobody has waited for."""
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True
