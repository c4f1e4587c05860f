"""The rules by which one file's progress counts for another: it was rotated, or packed, and is the same.

Two files may begin alike and be two all the same. What is taken for done by mistake is lost; what is read
again by mistake is recognised, or doubled at worst. So a doubt means that it is read.
"""

import os
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from .files import SourceFile
from .names import read_name
from .read_progress import DiskState, LedgerRecord, Stretch

# equal bytes that cannot be chance
ENOUGH_BYTES = 1024
_SECOND_NS = 1_000_000_000


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
