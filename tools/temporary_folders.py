"""Temporary folders that end with the run that made them; the next run removes those of a killed run.

The owner holds a lock on a file in its folder, which the kernel opens with the process, however that ends.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from pathlib import Path

from dlqconsole.system.errors import RuntimeProblem
from dlqconsole.system.memory import free_memory

# of one whole run of the tests, with what Spark and the browser write meanwhile
NEEDED_BYTES = 3 * 1024**3
# … of its databases alone; they have a few hundred MB, and the tests their own memory
NEEDED_MEMORY = 8 * 1024**3
# Linux keeps what is written here in memory
MEMORY = Path("/dev/shm")  # noqa: S108 - folders in it are made with names that nobody can foresee
_LOCK = "owner.lock"


def temporary_folder(prefix: str, within: Path | None = None) -> Path:
    """A new folder, ours as long as this process lives; ``within``: where, if not among temporary files."""
    folder = Path(tempfile.mkdtemp(prefix=prefix, dir=within))
    new_file = folder / "owner.new"
    # left open until the process ends
    descriptor = os.open(new_file, os.O_CREAT | os.O_RDWR, 0o600)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    # under the name by which others find it, it is locked from the first moment
    new_file.rename(folder / _LOCK)
    return folder


def remove_forsaken(prefix: str) -> None:
    """Remove the folders of this kind whose owner has died. What was not made here is left alone."""
    for place in (Path(tempfile.gettempdir()), MEMORY):
        for lock in place.glob(f"{prefix}*/{_LOCK}"):
            if _is_free(lock):
                shutil.rmtree(lock.parent, ignore_errors=True)


def memory_folder() -> Path | None:
    """Return a folder whose files stay in memory; None where there is none, or too little room."""
    try:
        free = min(shutil.disk_usage(MEMORY).free, free_memory())
    except OSError:
        return None
    return MEMORY if free >= NEEDED_MEMORY and os.access(MEMORY, os.W_OK | os.X_OK) else None


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
