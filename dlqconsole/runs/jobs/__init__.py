"""The registry of the jobs that can be requested: forms, pages and the starter look jobs up here.

A further job is one file beside these, its import and its line below.
"""

from collections.abc import Iterator

from dlqconsole.processing.inputs.plain_text import quoted
from dlqconsole.runs.errors import RunRefused
from dlqconsole.runs.jobs.archive import ArchiveJob
from dlqconsole.runs.jobs.base import Job
from dlqconsole.runs.jobs.ingest import IngestJob
from dlqconsole.runs.jobs.rehearse import RehearseJob
from dlqconsole.runs.jobs.replay import ReplayJob
from dlqconsole.runs.jobs.report import ReportJob

__all__ = ["Job", "every", "find", "get"]

_OURS = (
    IngestJob,
    ReportJob,
    RehearseJob,
    ReplayJob,
    ArchiveJob,
)
_JOBS: dict[str, Job] = {job.name: job() for job in _OURS}


def every() -> Iterator[Job]:
    """All jobs, in the order in which they are offered."""
    yield from _JOBS.values()


def find(name: str) -> Job | None:
    """The job of that name; None for a job of the command line alone, or one that is gone."""
    return _JOBS.get(name)


def get(name: str) -> Job:
    """The job of that name. Raises RunRefused."""
    try:
        return _JOBS[name]
    except KeyError:
        raise RunRefused(f"A job is one of {', '.join(_JOBS)}; not {quoted(name)}.") from None
