"""The logs of the demo's processes: each has two files of a bounded size, the older beside the newer."""

from __future__ import annotations

import os
from io import BufferedWriter
from pathlib import Path

LIMIT = 20 * 1024 * 1024


def open_log(file: Path) -> BufferedWriter:
    """Open a log for a process, which appends to it."""
    return file.open("ab")


def turn(file: Path, limit: int = LIMIT) -> bool:
    """Put the end of a log that is full aside, and begin it anew; tell whether it was full.

    Whoever writes keeps its file open and appends, so it goes on at the new end. What it writes just between
    the copy and the cut is lost.
    """
    try:
        size = file.stat().st_size
    except OSError:
        return False
    if size <= limit:
        return False
    with file.open("rb+") as log:
        log.seek(size - limit)
        _older(file).write_bytes(log.read(limit))
        os.truncate(log.fileno(), 0)
    return True


def _older(file: Path) -> Path:
    return file.with_suffix(".log.1")
