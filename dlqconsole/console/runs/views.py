"""The pipeline's runs: the list, one with its log, and the form for another."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from dlqconsole.console.access.guard import require_unlimited
from dlqconsole.console.access.permissions import actor, operator_required, require, viewer_required
from dlqconsole.console.parts.responses import page
from dlqconsole.console.parts.run_offers import again, offers, refusal
from dlqconsole.console.runs.forms import JobForm
from dlqconsole.console.runs.listing import RunFilter, run_list
from dlqconsole.console.runs.rows import run_page
from dlqconsole.processing.inputs.numbers import as_id
from dlqconsole.runs import jobs, service, starters
from dlqconsole.runs.errors import RunRefused
from dlqconsole.runs.models import PipelineRun


@viewer_required
@require_safe
def runs(request: HttpRequest) -> HttpResponseBase:
    """The runs that match the filter, newest first, and the jobs that can be started."""
    context = run_list(RunFilter.read(request.GET)) | {"jobs": offers(request)}
    return page(request, "console/runs/list.html", context, part="")


@viewer_required
@require_safe
def run(request: HttpRequest, run_id: int) -> HttpResponseBase:
    """One run, as it goes on, and the next step."""
    row = _get(run_id)
    context = {"run": run_page(row), "again": again(request, row)}
    return page(request, "console/runs/run.html", context, part="")


@operator_required
@require_http_methods(["GET", "HEAD", "POST"])
def new(request: HttpRequest, job: str) -> HttpResponseBase:
    """Request a run of a job: a worker starts it. ``like``: a run whose arguments it copies."""
    require_unlimited()
    chosen_job = next((each for each in jobs.every() if each.name == job and each.asked_for), None)
    if chosen_job is None:
        raise Http404(f"There is no job {job}.")
    require(request, chosen_job.role)
    why_not = refusal(request, chosen_job)
    data = request.POST if request.method == "POST" else None
    form = JobForm(data, job=chosen_job, initial=_like(request, chosen_job))
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
            messages.success(request, f"{chosen_job.label} {run_id} is asked for.{begins}")
            return redirect("run", run_id)
    context = {"form": form, "job": chosen_job, "refusal": why_not, "no_worker": starters.warning()}
    context["in_the_way"] = in_the_way
    # a POST in spite of that is refused like an invalid form
    status = 422 if data and why_not else form.status
    return page(request, "console/runs/new.html", context, part="", status=status)


@operator_required
@require_POST
def cancellation(request: HttpRequest, run_id: int) -> HttpResponseBase:
    """Stop it; committed work stays."""
    require_unlimited()
    row = _get(run_id)
    if service.cancel(row.pk, actor(request)):
        messages.success(request, "It is told to stop. What it has committed stays.")
    else:
        messages.info(request, "It was stopping already, or had ended; nothing was changed.")
    return redirect("run", row.pk)


def _get(run_id: int) -> PipelineRun:
    row = PipelineRun.objects.filter(pk=run_id).first()
    if row is None:
        raise Http404(f"There is no run {run_id}.")
    return row


def _like(request: HttpRequest, job: jobs.Job) -> dict[str, Any]:
    """The arguments of the run in ``like``; empty if it is of another job, or missing."""
    number = as_id(request.GET.get("like", ""))
    like = PipelineRun.objects.filter(pk=number, kind=job.name).first() if number else None
    return dict(like.arguments) if like else {}
