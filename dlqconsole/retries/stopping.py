"""The state that the processes of one worker share: it has to stop, and one of them is in a run.

Both are made anew when a worker starts, which is before it forks its pool.
"""

import fcntl
import mmap
import signal
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import IO

_stop_flag: mmap.mmap | None = None
_busy: IO[bytes] | None = None


def tell() -> None:
    """Tell the worker to stop: its runs come to an end."""
    if _stop_flag is None:
        forget()
    assert _stop_flag is not None  # noqa: S101 - made by now
    _stop_flag[0] = 1


def forget() -> None:
    """Begin anew: this process, and each fork of it from here on, shares a signal of its own."""
    global _stop_flag, _busy
    _stop_flag, _busy = mmap.mmap(-1, 1), tempfile.TemporaryFile()  # noqa: SIM115


def is_told() -> bool:
    """Tell whether this worker has to stop."""
    return _stop_flag is not None and bool(_stop_flag[0])


@contextmanager
def one_of_this_worker() -> Iterator[bool]:
    """Yield True if no other process of this worker is in such a block. A process that dies leaves it."""
    if _busy is None:
        forget()
    assert _busy is not None  # noqa: S101 - made by now
    try:
        fcntl.lockf(_busy, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        yield False
        return
    try:
        yield True
    finally:
        fcntl.lockf(_busy, fcntl.LOCK_UN)


@contextmanager
def on_sigterm() -> Iterator[None]:
    """Make SIGTERM and Ctrl-C end a run in good order within the block, not this process at once."""
    forget()
    before = {number: signal.signal(number, _tell) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        forget()


def _tell(_number: int, _frame: FrameType | None) -> None:
    tell()
