"""Memory, threads and children of a process, and their limits. Where the system does not tell, none hold."""

import _thread
import os
import resource
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

# Looking takes as long as a quick handler does: after a call quicker than this, which can have left little,
# only now and then.
QUICK_SECONDS = 0.0001
LOOK_SECONDS = 0.002
# A thread that was waited for is gone from the system's list a moment later.
MOMENT_SECONDS = 0.002
_PAGE = os.sysconf("SC_PAGE_SIZE")
_MAXRSS_UNIT = 1 if sys.platform == "darwin" else 1024


def resident_bytes(pid: int | str = "self") -> int:
    """Return the bytes that a process has in memory now; 0 where the system does not tell."""
    return _pages(pid, 1) * _PAGE


def count_threads() -> int:
    """Return the number of threads of this process, those of libraries included."""
    try:
        return max(os.stat("/proc/self/task").st_nlink - 2, 1)  # quicker than its list
    except OSError:
        return threading.active_count()


def limit_growth(limit: int) -> None:
    """Let this process take ``limit`` bytes more than it has now; then its allocations fail (MemoryError)."""
    data = _pages("self", 5) * _PAGE
    if limit and data:
        _soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
        new_limit = data + limit
        soft = new_limit if hard == resource.RLIM_INFINITY else min(new_limit, hard)
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))


@contextmanager
def limited_growth(limit: int) -> Iterator[None]:
    """The same for a block."""
    before = resource.getrlimit(resource.RLIMIT_DATA)
    limit_growth(limit)
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, before)


class LeftoverChecks:
    """Says after which calls to look at what they may have left: what leaves much takes its time."""

    def __init__(self) -> None:
        self._look_at = 0.0

    def is_due(self, begun_at: float) -> bool:
        """Tell whether to look after a call that began then (by time.monotonic()) and has just ended."""
        now = time.monotonic()
        if now - begun_at < QUICK_SECONDS and now < self._look_at:
            return False
        self._look_at = now + LOOK_SECONDS
        return True


class Growth:
    """The growth of this process since its first call, which reads tables and fills caches."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._first = 0

    def is_too_much(self) -> bool:
        """Tell whether it has grown too much; asked after a call."""
        if not self._most:
            return False
        if not self._first:
            self._first = resident_bytes()
        # the most that it ever had is known at once
        return _most_resident() - self._first > self._most and resident_bytes() - self._first > self._most


class Leftovers:
    """Threads and processes that a call leaves behind, and that could end its process during a later one."""

    def __init__(self) -> None:
        self._threads, self._threads_of_python = count_threads(), _thread._count()
        self._had_children = _has_children()

    def are_there(self, *, with_care: bool = True) -> bool:
        """Tell whether there is a thread or a process that was not there before; asked after each call.

        Without care only Python's own threads are counted: nothing else is made so quickly.
        """
        if not with_care and _thread._count() <= self._threads_of_python:
            return False
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
        self._threads, self._threads_of_python = now, _thread._count()
        return False


def _most_resident() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _MAXRSS_UNIT


def _has_children() -> bool:
    """Tell whether there are children, also ended ones that nobody has waited for."""
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True


def _pages(pid: int | str, field: int) -> int:
    try:
        with open(f"/proc/{pid}/statm", "rb") as file:
            return int(file.read().split()[field])
    except (OSError, ValueError, IndexError):
        return 0
