"""The first page: what stands where, what burns, what runs, what to do next."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from dlqconsole.console.access import viewer_required
from dlqconsole.console.responses import page
from dlqconsole.console.shown_filter import list_url
from dlqconsole.console.tables import group_rows, pipeline_rows, queue_rows, status_tabs
from dlqconsole.engine import summaries
from dlqconsole.engine.filters import DeadLetterFilter
from dlqconsole.operations.models import LIVE, Operation


@viewer_required
@require_safe
def overview(request: HttpRequest) -> HttpResponse:
    """Everything at a glance; no figure here costs more than its time budget."""
    counts = status_tabs(DeadLetterFilter())
    burning = group_rows(summaries.burning())
    context = {
        "status_counts": counts,
        "burning": burning,
        "hourly": summaries.hourly(),
        "queues": queue_rows()[:12],
        "operations": Operation.objects.filter(status__in=LIVE).order_by("-id")[:5],
        "pipeline_runs": pipeline_rows(5),
        "next_action": _next_action({tab["status"]: tab["count"] for tab in counts}, burning),
    }
    return page(request, "console/overview.html", context, part="live")


def _next_action(counts: dict[str, int], burning: list[dict[str, Any]]) -> dict[str, str]:
    """The one thing worth doing first, worst first."""
    if quarantined := counts["QUARANTINED"]:
        text = f"Look at {quarantined:,} quarantined dead letters: no machine will touch them again."
        return {"text": text, "url": list_url("status=QUARANTINED"), "tone": "danger"}
    if exhausted := counts["EXHAUSTED"]:
        text = f"Decide about {exhausted:,} exhausted dead letters: their retries are used up."
        return {"text": text, "url": list_url("status=EXHAUSTED"), "tone": "warning"}
    if burning:
        text = f"Open the group that burns most: {burning[0]['title'][:120]}"
        return {"text": text, "url": burning[0]["url"], "tone": "warning"}
    if pending := counts["PENDING"]:
        text = f"{pending:,} dead letters wait; the schedule retries those that can heal by themselves."
        return {"text": text, "url": reverse("schedules"), "tone": "info"}
    return {"text": "Nothing waits for anybody.", "url": reverse("dead_letters"), "tone": "ok"}
