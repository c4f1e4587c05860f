"""The pipeline's runs: the list, one with its log, and the form for another."""

from datetime import timedelta
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from dlqconsole.console.access.guard import require_unlimited
from dlqconsole.console.access.permissions import actor, operator_required, require, viewer_required
from dlqconsole.console.parts.fields import ReasonField, inputs
from dlqconsole.console.parts.forms import ConsoleForm
from dlqconsole.console.parts.responses import page
from dlqconsole.console.parts.run_offers import again, offers, refusal
from dlqconsole.console.parts.tables import pipeline_row
from dlqconsole.console.runs.listing import RunFilter, run_list
from dlqconsole.engine.moments import duration_in_two
from dlqconsole.hosting.wording import gettext_lazy, pgettext_lazy, translated
from dlqconsole.people.names import named
from dlqconsole.processing.inputs.numbers import as_id
from dlqconsole.runs import jobs, service
from dlqconsole.runs.errors import RunRefused
from dlqconsole.runs.jobs import Job
from dlqconsole.runs.models import PipelineRun

# before that, its rate says nothing
_FIRST_SECONDS = 3.0
# what the jobs of ours count
_COUNTS = {
    "read": pgettext_lazy("number of a run", "Read"),
    "blank": pgettext_lazy("number of a run", "Blank"),
    "enriched": pgettext_lazy("number of a run", "Enriched"),
    "dead_lettered": pgettext_lazy("number of a run", "Dead lettered"),
    "unchanged": pgettext_lazy("number of a run", "Unchanged"),
    "other_bytes": pgettext_lazy("number of a run", "Other bytes"),
    "failed_again": pgettext_lazy("number of a run", "Failed again"),
}


class JobForm(ConsoleForm):
    """The fields of one job."""

    ids = "run"

    reason = ReasonField(required=False, label=gettext_lazy("Why? It goes into the audit (may stay empty)"))

    def __init__(self, *arguments: Any, job: Job, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.fields = inputs(job.fields()) | self.fields

    @property
    def arguments(self) -> dict[str, str]:
        """The filled-in values, as the job reads them."""
        values = {name: value for name, value in self.cleaned_data.items() if name != "reason"}
        return {name: str(value) for name, value in values.items() if value not in (None, "")}


@viewer_required
@require_safe
def runs(request: HttpRequest) -> HttpResponseBase:
    """The runs that match the filter, newest first, and the jobs that can be started."""
    context = run_list(RunFilter.read(request.GET)) | {"jobs": offers(request)}
    return page(request, "console/runs/list.html", context)


@viewer_required
@require_safe
def run(request: HttpRequest, run_id: int) -> HttpResponseBase:
    """One run, as it goes on, and the next step."""
    row = _get(run_id)
    context = {"run": run_page(row), "again": again(request, row)}
    return page(request, "console/runs/run.html", context)


@operator_required
@require_http_methods(["GET", "HEAD", "POST"])
def new(request: HttpRequest, job: str) -> HttpResponseBase:
    """Request a run of a job: a worker starts it. ``like``: a run whose arguments it copies."""
    require_unlimited()
    chosen_job = next((each for each in jobs.every() if each.name == job and each.asked_for), None)
    if chosen_job is None:
        raise Http404(_("There is no job {job}.").format(job=job))
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
            form.add_error(None, translated(problem))
            in_the_way = problem.run_id
        else:
            begins = "" if service.why_waiting() else _(" A worker begins it.")
            messages.success(
                request,
                _("{label} {run_id} is asked for.{begins}").format(
                    label=chosen_job.label, run_id=run_id, begins=begins
                ),
            )
            return redirect("dlq:run", run_id)
    context = {"form": form, "job": chosen_job, "refusal": why_not, "no_worker": service.starter_warning()}
    context["in_the_way"] = in_the_way
    # a POST in spite of that is refused like an invalid form
    status = 422 if data and why_not else form.status
    return page(request, "console/runs/new.html", context, status=status)


@operator_required
@require_POST
def cancellation(request: HttpRequest, run_id: int) -> HttpResponseBase:
    """Stop it; committed work stays."""
    require_unlimited()
    row = _get(run_id)
    if service.cancel(row.pk, actor(request)):
        messages.success(request, _("It stops soon. Its commits stay."))
    else:
        messages.info(request, _("It was stopping already, or had ended; nothing was changed."))
    return redirect("dlq:run", row.pk)


def _get(run_id: int) -> PipelineRun:
    row = PipelineRun.objects.filter(pk=run_id).first()
    if row is None:
        raise Http404(_("There is no run {run_id}.").format(run_id=run_id))
    return row


def _like(request: HttpRequest, job: jobs.Job) -> dict[str, Any]:
    """The arguments of the run in ``like``; empty if it is of another job, or missing."""
    number = as_id(request.GET.get("like", ""))
    like = PipelineRun.objects.filter(pk=number, kind=job.name).first() if number else None
    return dict(like.arguments) if like else {}


def run_page(run: PipelineRun) -> dict[str, Any]:
    """The context of the page of one run."""
    job = jobs.find(run.kind)
    row = pipeline_row(run)
    return row | {
        "label": job.label if job else run.kind.capitalize(),
        "asked_by": named(run.asked_by),
        "cancelled_by": named(run.cancelled_by),
        "asked_at": run.asked_at,
        "operation_id": run.operation_id,
        "is_open": run.is_open,
        "can_cancel": run.status in ("asked", "running"),
        "heartbeat_at": run.heartbeat_at,
        "finished_at": run.finished_at,
        "exit_status": run.exit_status,
        "process": _("{pid} on {host}").format(pid=run.pid, host=run.host) if run.pid else "",
        "figures": [
            (_COUNTS.get(name) or _words(name), n) for name, n in run.counts.items() if isinstance(n, int)
        ],
        "log": run.log,
        "live": 2 if run.is_open else 0,
        "spoken": _("{percent} percent").format(percent=row["percent"] // 10 * 10)
        if row["is_live"] and run.total
        else "",
        **_pace(run, row["unit"], is_live=row["is_live"]),
    }


def _pace(run: PipelineRun, unit: str, *, is_live: bool) -> dict[str, str]:
    """Its rate since it began, and the remaining time at that rate."""
    end = run.finished_at or timezone.now()
    seconds = (end - run.started_at) / timedelta(seconds=1)
    if not run.done or seconds < _FIRST_SECONDS:
        return {"rate": "", "eta": ""}
    rate = run.done / seconds
    remaining = run.total - run.done
    eta = duration_in_two(remaining / rate) if is_live and remaining > 0 else ""
    return {"rate": _("{rate:,.0f} {unit} a second").format(rate=rate, unit=unit), "eta": eta}


def _words(name: str) -> str:
    return name.replace("_", " ").capitalize()
