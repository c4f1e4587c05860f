"""That this worker has to stop: a byte that its processes share, for a run in a child of the pool to see it.

Made when the module is imported, which is before a worker forks its pool.
"""

import mmap
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_told = mmap.mmap(-1, 1)


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
