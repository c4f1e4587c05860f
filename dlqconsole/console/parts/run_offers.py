"""The pipeline runs that a person can start from a page, and the reasons why not."""

from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _

from dlqconsole.console.access.guard import UNLIMITED
from dlqconsole.console.access.permissions import VIEWERS, role_of
from dlqconsole.engine.access_scope import current_access
from dlqconsole.people.roles import may
from dlqconsole.runs import jobs
from dlqconsole.runs.models import PipelineRun

type Offer = dict[str, Any]


def offers(request: HttpRequest) -> list[Offer]:
    """Every job that people can start."""
    return [_offer(request, job) for job in jobs.every() if job.asked_for]


def offer_of(request: HttpRequest, name: str) -> Offer:
    """The job of this name: ``url`` of its form, ``label``, ``about``, and its ``refusal``, if any."""
    return _offer(request, jobs.get(name))


def again(request: HttpRequest, run: PipelineRun) -> Offer | None:
    """The same run once more; None while the run is open, or if nobody can start it."""
    job = jobs.find(run.kind)
    if run.is_open or job is None or not job.asked_for:
        return None
    offer = _offer(request, job)
    return offer | {"url": f"{offer['url']}?{urlencode({'like': run.pk})}"}


def refusal(request: HttpRequest, job: jobs.Job) -> str:
    """The reason why this person cannot start it now; empty if they can."""
    access = current_access()
    if not may(role_of(request), job.role):
        return (
            VIEWERS if job.role == "operator" else _("Only an {role} may start this.").format(role=job.role)
        )
    return UNLIMITED.format(scope=access.words()) if access.is_limited else job.why_not()


def _offer(request: HttpRequest, job: jobs.Job) -> Offer:
    return {
        "label": job.label,
        "about": job.about,
        "refusal": refusal(request, job),
        "url": reverse("dlq:run_new", args=[job.name]),
    }
