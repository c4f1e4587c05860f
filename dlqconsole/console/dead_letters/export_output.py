"""The output of `manage.py deadletters export`."""

import os
import shutil
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from dlqconsole.processing.texts import visible

# names below these stand for something that is open: /dev/stdout, /proc/self/fd/3
_OPEN_ALREADY = ("/dev/", "/proc/")

STANDARD_OUTPUT = "-"


@contextmanager
def open_output(path: str) -> Iterator[BinaryIO]:
    """The standard output, or a file that appears once it is complete: Ctrl-C leaves none. Raises OSError."""
    if path == STANDARD_OUTPUT:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    try:
        with whole_file(path) as out:
            yield out
    except KeyboardInterrupt:
        raise KeyboardInterrupt(f"Interrupted: nothing was exported to {visible(path)}.") from None


@contextmanager
def whole_file(path: str) -> Iterator[BinaryIO]:
    """Write a file beside the place where it belongs; it takes that place when the block has ended well.

    A pipe, a device and what else is no plain file is written to as it is. Raises OSError.
    """
    if _is_written_to_as_it_is(path):
        with open(path, "wb") as out:
            yield out
        return
    # a link goes on to point to it
    target = Path(os.path.realpath(path))
    beside = target.with_name(f"{target.name[:200]}.{os.getpid()}.part")
    try:
        with open(beside, "xb") as out:
            yield out
        if target.exists():
            shutil.copymode(target, beside)
        beside.replace(target)
    except BaseException as error:
        with suppress(OSError):
            beside.unlink()
        if isinstance(error, OSError) and error.filename == str(beside):
            error.filename = path  # of the other nobody has heard
        raise


def _is_written_to_as_it_is(path: str) -> bool:
    if os.path.abspath(path).startswith(_OPEN_ALREADY):
        return True
    try:
        return not stat.S_ISREG(os.stat(path).st_mode)
    except FileNotFoundError:
        return False
