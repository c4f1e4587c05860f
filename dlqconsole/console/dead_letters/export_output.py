"""The output of `manage.py deadletters export`."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

from dlqconsole.processing.hidden_characters import visible
from dlqconsole.processing.whole_files import whole_file

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
