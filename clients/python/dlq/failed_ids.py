"""The ids of what failed on this host lately: a success of another one need not be told to the console."""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile

_SIZE = 8
# of each of two files
_MOST = 20_000


class FailedIds:
    """A file of digests in a folder, which all processes of the host append to, and the one before it."""

    def __init__(self, folder: str | None) -> None:
        folder = folder or os.path.join(tempfile.gettempdir(), f"dlq-{os.geteuid()}")
        self._paths = [os.path.join(folder, name) for name in ("failed-ids", "failed-ids.before")]
        self._known, self._before = set[bytes](), set[bytes]()
        self._file, self._read = 0, 0

    def add(self, identity: str) -> None:
        """Note one that failed. A host whose disk is full forgets it, and nothing else fails for that."""
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW
        with contextlib.suppress(OSError):
            descriptor = os.open(self._paths[0], flags, 0o600)
            try:
                os.write(descriptor, _digest(identity))
                if os.fstat(descriptor).st_size >= _MOST * _SIZE:
                    os.replace(*self._paths)
            finally:
                os.close(descriptor)

    def __contains__(self, identity: str) -> bool:
        with contextlib.suppress(OSError):
            status = os.stat(self._paths[0])
            if status.st_ino != self._file:
                self._file, self._read = status.st_ino, 0
                self._known, self._before = set(), _digests(self._paths[1])
            if status.st_size > self._read:
                self._known |= _digests(self._paths[0], self._read)
                self._read = status.st_size
        digest = _digest(identity)
        return digest in self._known or digest in self._before


def _digest(identity: str) -> bytes:
    return hashlib.blake2b(identity.encode(errors="replace"), digest_size=_SIZE).digest()


def _digests(path: str, begin: int = 0) -> set[bytes]:
    try:
        with open(path, "rb") as file:
            file.seek(begin)
            data = file.read()
    except OSError:
        return set()
    return {data[place : place + _SIZE] for place in range(0, len(data) - _SIZE + 1, _SIZE)}
