"""What is made once for all processes of a run, and goes with the run's servers."""

import fcntl
import os
from collections.abc import Callable
from pathlib import Path


def once(name: str, make: Callable[[Path], None]) -> Path:
    """The path of that name, which ``make`` has filled in one of the processes; the others wait for it."""
    run = Path(os.environ["DLQ_TEST_HOME"])
    path, done = run / name, run / f"{name}.done"
    with (run / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists():
            make(path)
            done.touch()
    return path
