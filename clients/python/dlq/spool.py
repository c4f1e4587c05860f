"""The spool: reports that are not at the console yet, in files that outlive their process.

Each process appends to files of its own, one JSON text a line, and holds a lock on each as long as it lives.
A file whose lock is free is a dead process's: whoever finds it first sends it. A file whose reports are all
sent is removed, so that after a crash at most one file is sent twice.
"""

from __future__ import annotations

import os
import stat
import tempfile
import threading
from collections import deque
from typing import Protocol

try:
    import fcntl
except ImportError:  # Windows: reports wait in memory there
    fcntl = None  # type: ignore[assignment]

BATCH_LINES, SUFFIX = 100, ".jsonl"


class Spool(Protocol):
    """Where reports wait. One thread appends, another one takes."""

    def append(self, line: bytes) -> bool:
        """Keep a line; False if there is no room."""

    def batch(self) -> list[bytes]:
        """Return the oldest lines, as long as they are not done the same ones. The last may be torn."""

    def done(self, lines: list[bytes]) -> None:
        """Forget these lines, which `batch` has returned."""

    def pending(self) -> bool:
        """Tell whether there is anything to send."""

    def pending_own(self) -> bool:
        """Tell whether there is anything of this process to send."""

    def adopt(self) -> bool:
        """Take over what dead processes left; tell whether there is anything to send now."""

    def close(self) -> None:
        """Let go of the files, which stay."""

    def anew(self) -> Spool:
        """Return, in the child of a fork, a spool that is its own."""


class MemorySpool:
    """Where no folder can be written to: nothing outlives the process."""

    def __init__(self, limit: int) -> None:
        self._limit, self._size = limit, 0
        self._lines: deque[bytes] = deque()
        self._lock = threading.Lock()

    def append(self, line: bytes) -> bool:
        with self._lock:
            if self._size + len(line) > self._limit:
                return False
            self._lines.append(line)
            self._size += len(line)
            return True

    def batch(self) -> list[bytes]:
        with self._lock:
            return [self._lines[place] for place in range(min(BATCH_LINES, len(self._lines)))]

    def done(self, lines: list[bytes]) -> None:
        with self._lock:
            for line in lines:
                self._lines.popleft()
                self._size -= len(line)

    def pending(self) -> bool:
        return bool(self._lines)

    pending_own = adopt = pending

    def close(self) -> None:
        """Nothing: what was not sent is lost with the process."""

    def anew(self) -> Spool:
        return MemorySpool(self._limit)


def open_spool(folder: str | None, destination: str, limit: int) -> tuple[Spool, str]:
    """Return a spool for what goes there, and a sentence where it cannot be a folder, or another one waits.

    A folder that is named is one console's, whatever its address becomes.
    """
    others = ""
    try:
        if fcntl is None:
            raise OSError("this system has no locks for files")
        if folder is None:
            folder = os.path.join(tempfile.gettempdir(), f"dlq-{os.geteuid()}")
            _make_private(folder)
            others = _others(folder, destination)
        else:
            destination = "reports"
        path = os.path.join(folder, f"{destination}-{os.geteuid()}")
        _make_private(path)
    except OSError as problem:
        return MemorySpool(limit), f"no spool outlives this process: {problem}"
    from .spool_files import FileSpool

    return FileSpool(path, limit), others


def _others(folder: str, destination: str) -> str:
    """Tell of reports in the folder that wait for another address, which perhaps was this console's."""
    waiting = [
        place.name.rpartition("-")[0]
        for place in os.scandir(folder)
        if place.is_dir() and not place.name.startswith(f"{destination}-")
        if any(file.stat().st_size for file in os.scandir(place) if file.name.endswith(SUFFIX))
    ]
    if not waiting:
        return ""
    return f"reports for {' and '.join(waiting)} wait in {folder}, until dlq.init names that address"


def _make_private(path: str) -> None:
    """Make the folder for this user alone; refuse one that somebody else could have put there."""
    os.makedirs(path, mode=0o700, exist_ok=True)
    status = os.lstat(path)
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid() or status.st_mode & 0o022:
        raise OSError(f"{path} is not this user's alone")
    if not os.access(path, os.W_OK | os.X_OK):
        raise OSError(f"{path} cannot be written to")
