"""The files of the spool, and their locks."""

from __future__ import annotations

import contextlib
import fcntl
import os
import threading
import time
import uuid
from collections import deque

from .spool import BATCH_LINES, SUFFIX, MemorySpool, Spool

_FILE_BYTES, _BATCH_BYTES = 1024 * 1024, 512 * 1024
# other processes write to the folder too: how old may be what we know of it
_SECONDS_BETWEEN_LOOKS = 1.0


class _File:
    """A file of the spool that this process has locked."""

    def __init__(self, path: str, descriptor: int) -> None:
        self.path, self.descriptor = path, descriptor
        self.size, self.read = os.fstat(descriptor).st_size, 0

    def usable(self) -> bool:
        """Tell whether more belongs into it: what cleans temporary folders may have removed it."""
        return self.size < _FILE_BYTES and os.fstat(self.descriptor).st_nlink > 0

    def lines(self) -> list[bytes]:
        size = _BATCH_BYTES
        while True:
            part = os.pread(self.descriptor, min(size, self.size - self.read), self.read)
            lines = part.splitlines(keepends=True)
            # the end of it may be the end of a line, or of what a process could write before it died
            if len(part) < self.size - self.read and lines and not lines[-1].endswith(b"\n"):
                lines.pop()
            if lines or not part:
                return lines[:BATCH_LINES]
            size *= 4

    def remove(self) -> None:
        with contextlib.suppress(OSError):
            os.unlink(self.path)
        os.close(self.descriptor)


class FileSpool:
    """A folder of such files, shared by the processes of a host.

    What a disk does not take waits in memory: the console may well answer while the disk is full.
    """

    def __init__(self, folder: str, limit: int) -> None:
        self._folder, self._limit = folder, limit
        self._own: deque[_File] = deque()
        self._adopted: deque[_File] = deque()
        self._current: _File | None = None
        self._memory = MemorySpool(limit)
        self._lock = threading.Lock()
        self._folder_size, self._looked = 0, 0.0

    def append(self, line: bytes) -> bool:
        with self._lock:
            try:
                if self._size() + len(line) > self._limit:
                    return False
                if self._write(line):
                    return True
            except OSError:  # the disk is full, or its folder is gone
                pass
            return self._memory.append(line)

    def _write(self, line: bytes) -> bool:
        file = self._own[-1] if self._own and self._own[-1].usable() else self._new()
        written = os.write(file.descriptor, line)
        if written < len(line):
            os.ftruncate(file.descriptor, file.size)
            return False
        file.size += written
        self._folder_size += written
        return True

    def batch(self) -> list[bytes]:
        with self._lock:
            for files, kept in ((self._adopted, 0), (self._own, 1)):
                while files:
                    self._current = files[0]
                    if lines := self._current.lines():
                        return lines
                    if len(files) == kept:
                        break
                    files.popleft().remove()
            self._current = None
            return self._memory.batch()

    def done(self, lines: list[bytes]) -> None:
        with self._lock:
            file = self._current
            if file is None:
                return self._memory.done(lines)
            if file not in (*self._own, *self._adopted):  # closed meanwhile
                return
            file.read += sum(map(len, lines))
            if file.read < file.size:
                return
            self._folder_size -= file.size
            if len(self._own) == 1 and file is self._own[0]:
                os.ftruncate(file.descriptor, 0)
                file.size = file.read = 0
            else:
                (self._own if file in self._own else self._adopted).popleft()
                file.remove()

    def pending(self) -> bool:
        with self._lock:
            files = (*self._adopted, *self._own)
            return any(file.read < file.size for file in files) or self._memory.pending()

    def pending_own(self) -> bool:
        with self._lock:
            return any(file.read < file.size for file in self._own) or self._memory.pending()

    def adopt(self) -> bool:
        with contextlib.suppress(OSError):  # no folder, nothing to adopt
            for name in sorted(os.listdir(self._folder)):
                if name.endswith(SUFFIX):
                    self._adopt(os.path.join(self._folder, name))
        return self.pending()

    def _adopt(self, path: str) -> None:
        if any(file.path == path for file in (*self._own, *self._adopted)):
            return
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_NOFOLLOW)
        except OSError:  # gone meanwhile, or somebody else's
            return
        if not _locked(descriptor) or not os.fstat(descriptor).st_nlink:
            os.close(descriptor)
            return
        with self._lock:
            self._adopted.append(_File(path, descriptor))

    def close(self) -> None:
        with self._lock:
            for file in (*self._adopted, *self._own):
                if file.read < file.size:
                    os.close(file.descriptor)
                else:
                    file.remove()
            self._own.clear()
            self._adopted.clear()

    def anew(self) -> Spool:
        # no lock: a thread that is not here may hold it. The parent's locks end with its own descriptors.
        for file in (*self._adopted, *self._own):
            with contextlib.suppress(OSError):
                os.close(file.descriptor)
        return FileSpool(self._folder, self._limit)

    def _new(self) -> _File:
        """Lock the file before it has a name that others look for."""
        path = os.path.join(self._folder, f"{os.getpid()}-{uuid.uuid4().hex}{SUFFIX}")
        descriptor = os.open(f"{path}.new", os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_EXCL, 0o600)
        _locked(descriptor)
        os.rename(f"{path}.new", path)
        self._own.append(_File(path, descriptor))
        return self._own[-1]

    def _size(self) -> int:
        if time.monotonic() - self._looked > _SECONDS_BETWEEN_LOOKS:
            os.makedirs(self._folder, mode=0o700, exist_ok=True)
            self._folder_size = sum(_size_of(entry) for entry in os.scandir(self._folder))
            self._looked = time.monotonic()
        return self._folder_size


def _locked(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _size_of(entry: os.DirEntry[str]) -> int:
    try:
        return entry.stat(follow_symlinks=False).st_size
    except OSError:  # sent meanwhile
        return 0
