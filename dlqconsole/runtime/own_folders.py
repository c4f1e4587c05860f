"""Temporary folders that end with the run that made them; what a killed run left, the next one removes.

The owner holds a lock on a file in its folder, which the kernel opens with the process, however that ends.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from pathlib import Path

from .errors import RuntimeProblem

# of one whole run of the tests, with what Spark and the browser write meanwhile
NEEDED_BYTES = 3 * 1024**3
_LOCK = "owner.lock"


def own_folder(prefix: str) -> Path:
    """A new folder, ours as long as this process lives."""
    folder = Path(tempfile.mkdtemp(prefix=prefix))
    unlocked = folder / "owner.new"
    # left open until the process ends
    descriptor = os.open(unlocked, os.O_CREAT | os.O_RDWR, 0o600)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    # under the name by which others find it, it is locked from the first moment
    unlocked.rename(folder / _LOCK)
    return folder


def remove_forsaken(prefix: str) -> None:
    """Remove the folders of this kind whose owner has died. What was not made here is left alone."""
    for lock in Path(tempfile.gettempdir()).glob(f"{prefix}*/{_LOCK}"):
        if _is_free(lock):
            shutil.rmtree(lock.parent, ignore_errors=True)


def _is_free(lock: Path) -> bool:
    try:
        with lock.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        # held, of another user, or removed by somebody else at this moment
        return False
    return True


def check_room() -> None:
    """Raise RuntimeProblem where the temporary folder is too full for a run."""
    folder = tempfile.gettempdir()
    free = shutil.disk_usage(folder).free
    if free < NEEDED_BYTES:
        raise RuntimeProblem(
            f"{folder} has {free / 1024**3:.1f} GiB free, and this needs {NEEDED_BYTES / 1024**3:g}:"
            " remove something there, or set TMPDIR to a folder with more room"
        )
