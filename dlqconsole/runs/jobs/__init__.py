"""The registry of the jobs that can be requested: forms, pages and the starter look jobs up here.

A further job is one file beside these, its import and its line below; or declared by a feature.
"""

from collections.abc import Iterator
from functools import cache

from django.utils.module_loading import import_string
from django.utils.translation import gettext as _

from dlqconsole.features import features
from dlqconsole.processing.inputs.plain_text import quoted
from dlqconsole.runs.errors import RunRefused
from dlqconsole.runs.jobs.base import Job
from dlqconsole.runs.jobs.ingest import IngestJob
from dlqconsole.runs.jobs.replay import ReplayJob
from dlqconsole.runs.jobs.report import ReportJob

__all__ = ["Job", "every", "find", "get"]

_OURS = (
    IngestJob,
    ReportJob,
    ReplayJob,
)


@cache
def _jobs() -> dict[str, Job]:
    # when first asked for: those of features import the base class, and with it this module
    brought = (import_string(path) for feature in features() for path in feature.jobs)
    return {job.name: job() for job in (*_OURS, *brought)}


def every() -> Iterator[Job]:
    """All jobs, in the order in which they are offered."""
    yield from _jobs().values()


def find(name: str) -> Job | None:
    """The job of that name; None for a job of the command line alone, or one that is gone."""
    return _jobs().get(name)


def get(name: str) -> Job:
    """The job of that name. Raises RunRefused."""
    try:
        return _jobs()[name]
    except KeyError:
        raise RunRefused(
            _("A job is one of {names}; not {name}.").format(names=", ".join(_jobs()), name=quoted(name))
        ) from None
