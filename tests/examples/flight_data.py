"""The demo's files, prepared once for all tests of a run."""

import atexit
import shutil
import tempfile
from functools import cache
from pathlib import Path

from examples.flights.preparation import prepare


@cache
def prepared_directory() -> Path:
    """Return a directory with the demo's tables and events; it goes when the tests end."""
    directory = Path(tempfile.mkdtemp(prefix="flights-"))
    atexit.register(shutil.rmtree, directory, ignore_errors=True)
    prepare(directory)
    return directory
