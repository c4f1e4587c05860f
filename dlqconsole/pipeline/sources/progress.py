"""The progress in a file from before: how far it was read, and how to know that it is still the same.

One file's progress counts for another where that was rotated, or packed, and is the same. Two files may begin
alike and be two all the same. What is taken for done by mistake is lost; what is read again by mistake is
recognised, or doubled at worst. So a doubt means that it is read.
"""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path, PurePosixPath
from uuid import UUID

from .files import SourceFile
from .names import read_name

DIGEST_BYTES = 16
# Inside of so short a time a file may change twice and keep all its times: what is younger proves nothing.
SETTLED_NS = 2_000_000_000
_LARGEST = 2**63 - 1
# equal bytes that cannot be chance
ENOUGH_BYTES = 1024
_SECOND_NS = 1_000_000_000


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


def is_done(file: SourceFile, state: DiskState, records: Iterable[LedgerRecord]) -> bool:
    """Tell whether nothing was left to read of the file, and nobody has written to it since."""
    return any(one.whole and one.state == state and one.seen_as == file.name for one in records)


def stretches(file: SourceFile, state: DiskState, records: Iterable[LedgerRecord]) -> tuple[Stretch, ...]:
    """Return what may be done of the file; its bytes must still prove it."""
    return tuple(one.stretch for one in records if _may_be(file, state, one))


def _may_be(file: SourceFile, state: DiskState, record: LedgerRecord) -> bool:
    if record.seen_as == file.name:
        return True
    if _same_time(state.modified_ns, record.state.modified_ns):
        same = record.state.inode == state.inode or read_name(PurePosixPath(file.name).name).is_packed
    else:
        same = record.stretch.end >= ENOUGH_BYTES and _may_have_become(file.name, record.seen_as)
    return same and not _is_still_there(file.root, record)


def _same_time(now_ns: int, then_ns: int) -> bool:
    """Tell whether two times are one: some that pack files keep only the seconds."""
    return now_ns == then_ns or now_ns == then_ns // _SECOND_NS * _SECOND_NS


def _is_still_there(root: str, record: LedgerRecord) -> bool:
    """Tell whether it stands where it was. A file that was copied away and emptied does not."""
    try:
        now = DiskState.of(os.lstat(Path(root, record.seen_as)))
    except OSError:
        return False
    return now.inode == record.state.inode and now.size >= record.stretch.end


def _may_have_become(name: str, before: str) -> bool:
    """Rotation and packing change the end of a name. Of two days, two files may hold the same."""
    now, then = PurePosixPath(name), PurePosixPath(before)
    if now.parent != then.parent or read_name(now.name).event_type != read_name(then.name).event_type:
        return False
    day = read_name(then.name).day
    return not day or day == read_name(now.name).day
