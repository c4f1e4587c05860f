"""The list of runs: all, or those of one job or one end, the newest first, a page at a time."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.db.models import QuerySet
from django.urls import reverse
from django.utils.translation import gettext as _

from dlqconsole.console.parts.tables import pipeline_row
from dlqconsole.engine.access_scope import current_access
from dlqconsole.hosting.wording import gettext_lazy
from dlqconsole.processing.inputs.numbers import as_id
from dlqconsole.runs import jobs
from dlqconsole.runs.models import OPEN, PipelineRun, RunStatus

PAGE = 50
_STANDINGS = {
    "open": (gettext_lazy("Waiting or running"), OPEN),
    "failed": (gettext_lazy("Failed"), (RunStatus.FAILED,)),
    "cancelled": (gettext_lazy("Cancelled"), (RunStatus.CANCELLED,)),
    "completed": (gettext_lazy("Completed"), (RunStatus.COMPLETED,)),
}
# runs of people's own Spark jobs
_OTHERS = {"spark": gettext_lazy("Spark jobs")}


@dataclass(frozen=True, slots=True)
class RunFilter:
    """The filter in the address. An unknown value matches nothing, rather than everything."""

    standing: str = ""
    job: str = ""
    before: int | None = None

    @classmethod
    def read(cls, query: Mapping[str, str]) -> "RunFilter":
        """``status``, ``job`` and ``before``, a run's number, from the address."""
        return cls(query.get("status", ""), query.get("job", ""), as_id(query.get("before", "")))

    def url(self, **changes: Any) -> str:
        """The list's address with other values."""
        parameters = {"status": self.standing, "job": self.job, **changes}
        query = urlencode({name: value for name, value in parameters.items() if value})
        return reverse("dlq:runs") + (f"?{query}" if query else "")


def run_list(query: RunFilter) -> dict[str, Any]:
    """A page of runs with its tabs. A run is about all that it reads: a person with a scope sees none."""
    runs = PipelineRun.objects.none() if current_access().is_limited else _matching(query)
    rows = list(runs.order_by("-id")[: PAGE + 1])
    more, rows = rows[PAGE:], rows[:PAGE]
    return {
        "pipeline_runs": [pipeline_row(run) for run in rows],
        "standings": _choices(
            query, "status", {name: label for name, (label, _states) in _STANDINGS.items()}
        ),
        "kinds": _choices(query, "job", _kinds()),
        "is_filtered": bool(query.standing or query.job),
        "older_url": query.url(before=rows[-1].pk) if more else "",
        "newest_url": query.url() if query.before else "",
    }


def _matching(query: RunFilter) -> QuerySet[PipelineRun]:
    runs = PipelineRun.objects.all()
    if query.standing:
        runs = runs.filter(status__in=_STANDINGS[query.standing][1] if query.standing in _STANDINGS else ())
    if query.job:
        runs = runs.filter(kind=query.job) if query.job in _kinds() else runs.none()
    return runs.filter(pk__lt=query.before) if query.before else runs


def _kinds() -> dict[str, str]:
    return {job.name: job.label for job in jobs.every()} | _OTHERS


def _choices(query: RunFilter, name: str, labels: Mapping[str, str]) -> list[dict[str, Any]]:
    now = query.standing if name == "status" else query.job
    return [
        {"label": label, "url": query.url(**{name: value}), "current": value == now}
        for value, label in {"": _("All"), **labels}.items()
    ]
