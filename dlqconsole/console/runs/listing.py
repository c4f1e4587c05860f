"""The list of runs: all, or those of one job or one end, the newest first, a page at a time."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.db.models import QuerySet
from django.urls import reverse

from dlqconsole.console.parts.tables import pipeline_row
from dlqconsole.engine.reach import Reach
from dlqconsole.processing.inputs.numbers import as_id
from dlqconsole.runs import jobs
from dlqconsole.runs.models import OPEN, PipelineRun, RunStatus

PAGE = 50
_STANDINGS = {
    "open": ("Waiting or running", OPEN),
    "failed": ("Failed", (RunStatus.FAILED,)),
    "cancelled": ("Cancelled", (RunStatus.CANCELLED,)),
    "completed": ("Completed", (RunStatus.COMPLETED,)),
}
# begun by people's own Spark jobs, not from here
_OTHERS = {"spark": "Spark jobs"}


@dataclass(frozen=True, slots=True)
class Asked:
    """What the address asks for. What it does not know matches nothing, rather than everything."""

    standing: str = ""
    job: str = ""
    before: int | None = None

    @classmethod
    def read(cls, given: Mapping[str, str]) -> "Asked":
        """``status``, ``job`` and ``before``, a run's number, as the address has them."""
        return cls(given.get("status", ""), given.get("job", ""), as_id(given.get("before", "")))

    def url(self, **changes: Any) -> str:
        """The list's address with something else asked."""
        asked = {"status": self.standing, "job": self.job, **changes}
        query = urlencode({name: value for name, value in asked.items() if value})
        return reverse("runs") + (f"?{query}" if query else "")


def run_list(asked: Asked, reach: Reach) -> dict[str, Any]:
    """A page of runs with its tabs. A run is about everything that it reads: the limited see none."""
    found = PipelineRun.objects.none() if reach.is_limited else _matching(asked)
    rows = list(found.order_by("-id")[: PAGE + 1])
    more, rows = rows[PAGE:], rows[:PAGE]
    return {
        "pipeline_runs": [pipeline_row(run) for run in rows],
        "standings": _choices(asked, "status", {name: label for name, (label, _) in _STANDINGS.items()}),
        "kinds": _choices(asked, "job", _kinds()),
        "is_filtered": bool(asked.standing or asked.job),
        "older_url": asked.url(before=rows[-1].pk) if more else "",
        "newest_url": asked.url() if asked.before else "",
    }


def _matching(asked: Asked) -> QuerySet[PipelineRun]:
    found = PipelineRun.objects.all()
    if asked.standing:
        found = found.filter(status__in=_STANDINGS[asked.standing][1] if asked.standing in _STANDINGS else ())
    if asked.job:
        found = found.filter(kind=asked.job) if asked.job in _kinds() else found.none()
    return found.filter(pk__lt=asked.before) if asked.before else found


def _kinds() -> dict[str, str]:
    return {job.name: job.label for job in jobs.every()} | _OTHERS


def _choices(asked: Asked, name: str, labels: Mapping[str, str]) -> list[dict[str, Any]]:
    now = asked.standing if name == "status" else asked.job
    return [
        {"label": label, "url": asked.url(**{name: value}), "current": value == now}
        for value, label in {"": "All", **labels}.items()
    ]
