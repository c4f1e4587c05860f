"""The jobs that can be asked for: who asks for one, shows one or starts one asks here.

A further job is one file beside these, its import and its line below.
"""

from collections.abc import Iterator

from dlqconsole.processing.inputs.plain_text import quoted
from dlqconsole.runs.errors import RunRefused
from dlqconsole.runs.jobs.archive import Archive
from dlqconsole.runs.jobs.base import Field, Job
from dlqconsole.runs.jobs.ingest import Ingest
from dlqconsole.runs.jobs.rehearse import Rehearse
from dlqconsole.runs.jobs.replay import Replay
from dlqconsole.runs.jobs.report import Report

__all__ = ["Field", "Job", "every", "find", "get"]

_OURS = (
    Ingest,
    Report,
    Rehearse,
    Replay,
    Archive,
)
_JOBS: dict[str, Job] = {job.name: job() for job in _OURS}


def every() -> Iterator[Job]:
    """All jobs, in the order in which they are offered."""
    yield from _JOBS.values()


def find(name: str) -> Job | None:
    """The job of that name; None for what is only begun on a command line, or is gone."""
    return _JOBS.get(name)


def get(name: str) -> Job:
    """The job of that name. Raises RunRefused."""
    try:
        return _JOBS[name]
    except KeyError:
        raise RunRefused(f"A job is one of {', '.join(_JOBS)}; not {quoted(name)}.") from None
