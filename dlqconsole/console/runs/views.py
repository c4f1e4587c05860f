"""The pipeline's runs: what ran and runs, one of them with its log, and asking for another."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from dlqconsole.console.access.guard import require_unlimited
from dlqconsole.console.access.permissions import actor, operator_required, require, viewer_required
from dlqconsole.console.access.reaches import reach_of
from dlqconsole.console.parts.responses import page
from dlqconsole.console.parts.run_offers import again, offers, refusal
from dlqconsole.console.runs.forms import RunForm
from dlqconsole.console.runs.listing import Asked, run_list
from dlqconsole.console.runs.rows import run_page
from dlqconsole.processing.inputs.numbers import as_id
from dlqconsole.runs import jobs, service, starters
from dlqconsole.runs.errors import RunRefused
from dlqconsole.runs.models import PipelineRun


@viewer_required
@require_safe
def runs(request: HttpRequest) -> HttpResponseBase:
    """The runs that are asked for, newest first, and the jobs that can be started."""
    context = run_list(Asked.read(request.GET), reach_of(request)) | {"jobs": offers(request)}
    return page(request, "console/runs/list.html", context, part="")


@viewer_required
@require_safe
def run(request: HttpRequest, run_id: int) -> HttpResponseBase:
    """One run, as it goes on; what can be done next."""
    found = _found(run_id)
    context = {"run": run_page(found), "again": again(request, found)}
    return page(request, "console/runs/run.html", context, part="")


@operator_required
@require_http_methods(["GET", "HEAD", "POST"])
def new(request: HttpRequest, job: str) -> HttpResponseBase:
    """Ask for a run of a job: a worker starts it. ``like``: the run whose arguments it begins with."""
    require_unlimited(request)
    asked = next((each for each in jobs.every() if each.name == job and each.asked_for), None)
    if asked is None:
        raise Http404(f"There is no job {job}.")
    require(request, asked.role)
    why_not = refusal(request, asked)
    posted = request.POST if request.method == "POST" else None
    form = RunForm(posted, job=asked, initial=_like(request, asked))
    in_the_way = None
    if form.is_valid() and not why_not:
        try:
            run_id = service.ask(
                job, form.arguments, actor(request), reason=form.cleaned_data.get("reason") or ""
            )
        except RunRefused as problem:
            form.add_error(None, str(problem))
            in_the_way = problem.run_id
        else:
            begins = "" if starters.why_waiting() else " A worker begins it."
            messages.success(request, f"{asked.label} {run_id} is asked for.{begins}")
            return redirect("run", run_id)
    context = {"form": form, "job": asked, "refusal": why_not, "no_worker": starters.warning()}
    context["in_the_way"] = in_the_way
    # asked for all the same, it is refused as what is filled in wrongly
    status = 422 if posted and why_not else form.status
    return page(request, "console/runs/new.html", context, part="", status=status)


@operator_required
@require_POST
def cancellation(request: HttpRequest, run_id: int) -> HttpResponseBase:
    """Make it end; what it committed stays."""
    require_unlimited(request)
    found = _found(run_id)
    if service.cancel(found.pk, actor(request)):
        messages.success(request, "It is told to stop. What it has committed stays.")
    else:
        messages.info(request, "It was stopping already, or had ended; nothing was changed.")
    return redirect("run", found.pk)


def _found(run_id: int) -> PipelineRun:
    found = PipelineRun.objects.filter(pk=run_id).first()
    if found is None:
        raise Http404(f"There is no run {run_id}.")
    return found


def _like(request: HttpRequest, job: jobs.Job) -> dict[str, Any]:
    """What the run in ``like`` was asked for with; nothing where it is of another job, or none."""
    number = as_id(request.GET.get("like", ""))
    like = PipelineRun.objects.filter(pk=number, kind=job.name).first() if number else None
    return dict(like.arguments) if like else {}
