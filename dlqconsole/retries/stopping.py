"""What the processes of one worker share: that it has to stop, and that one of them is in a run.

Both are made when the module is imported, which is before a worker forks its pool.
"""

import fcntl
import mmap
import signal
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_told = mmap.mmap(-1, 1)
_busy = tempfile.TemporaryFile()  # noqa: SIM115  (as long as the process)


def tell() -> None:
    """The worker is told to stop: runs in it come to an end."""
    _told[0] = 1


def forget() -> None:
    """It is not, any more."""
    _told[0] = 0


def is_told() -> bool:
    """Whether this worker has to stop."""
    return bool(_told[0])


@contextmanager
def one_of_this_worker() -> Iterator[bool]:
    """Whether no other process of this worker is in such a block. One that dies in it leaves it."""
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
    """In the block SIGTERM and Ctrl-C end a run in good order, and not this process at once."""
    before = {number: signal.signal(number, _tell) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        forget()


def _tell(_number: int, _frame: FrameType | None) -> None:
    tell()
