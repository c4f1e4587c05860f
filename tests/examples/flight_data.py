"""The demo's files, prepared once for all processes of a run."""

import fcntl
import os
from functools import cache
from pathlib import Path

from examples.flights.preparation import prepare


@cache
def prepared_directory() -> Path:
    """Return a directory with the demo's tables and events; it goes with the run's servers."""
    run = Path(os.environ["DLQ_TEST_GROUPS"]).parent
    directory, done = run / "flights", run / "flights.prepared"
    with (run / "flights.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # whoever comes second waits for the first
        if not done.exists():
            directory.mkdir(exist_ok=True)
            prepare(directory)
            done.touch()
    return directory
