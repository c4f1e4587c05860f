"""The progress in a file from before: how far it was read, and how to know that it is still the same."""

import os
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import PurePosixPath
from uuid import UUID

from .files import SourceFile
from .names import read_name

DIGEST_BYTES = 16
# Inside of so short a time a file may change twice and keep all its times: what is younger proves nothing.
SETTLED_NS = 2_000_000_000
_LARGEST = 2**63 - 1


@dataclass(frozen=True, slots=True)
class DiskState:
    """The disk's facts about a file without reading it. Whoever writes to it changes the last of these."""

    inode: int
    size: int
    modified_ns: int
    changed_ns: int

    @classmethod
    def of(cls, status: os.stat_result) -> "DiskState":
        return cls(status.st_ino & _LARGEST, status.st_size, status.st_mtime_ns, status.st_ctime_ns)

    def had_settled(self, now_ns: int) -> bool:
        """Tell whether a change since then would show."""
        return now_ns - max(self.modified_ns, self.changed_ns) > SETTLED_NS


@dataclass(frozen=True, slots=True)
class Stretch:
    """Whole lines of a file that are done: the bytes from ``start`` to ``end``, ``lines`` of them by then.

    ``digest`` is of everything up to ``end``: a file that begins with the same bytes holds the same lines.
    """

    known_as: str
    start: int
    end: int
    lines: int
    digest: bytes


@dataclass(frozen=True, slots=True)
class ReadProgress:
    """The progress in a file. ``whole``: nothing of it is left to read, not even an open last line."""

    file: SourceFile
    state: DiskState
    stretch: Stretch
    whole: bool = False


@dataclass(frozen=True, slots=True)
class LedgerRecord:
    """Progress as it was written down. ``seen_as``: the file's name then.

    ``state``: as the disk gave it then. ``whole``: nothing was left to read, and a change would show.
    """

    seen_as: str
    state: DiskState
    whole: bool
    stretch: Stretch


def place(file: SourceFile) -> UUID:
    """The same for the same name in the same folder."""
    return _uuid(file.root, file.name)


def family(file: SourceFile) -> UUID:
    """The same for a file and what rotation and packing make of it: where to look for what is known of it."""
    path = PurePosixPath(file.name)
    log = str(path.parent / read_name(path.name).event_type)
    return _uuid(file.root, log)


def _uuid(*names: str) -> UUID:
    text = "\0".join(names).encode("utf-8", "surrogateescape")
    return UUID(bytes=blake2b(text, digest_size=DIGEST_BYTES).digest())
