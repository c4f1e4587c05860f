"""The demo's files, prepared once for all processes of a run."""

from functools import cache
from pathlib import Path

from examples.flights.preparation import prepare
from tests.once import once


@cache
def prepared_directory() -> Path:
    """Return a directory with the demo's tables and events; it goes with the run's servers."""
    return once("flights", _prepare)


def _prepare(directory: Path) -> None:
    directory.mkdir(exist_ok=True)
    prepare(directory)
