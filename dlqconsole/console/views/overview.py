"""The first page: what stands where, what burns, what runs, what to do next."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from dlqconsole.console.access import viewer_required
from dlqconsole.console.hidden_characters import visible
from dlqconsole.console.responses import page
from dlqconsole.console.shown_filter import list_url
from dlqconsole.console.tables import group_rows, operation_rows, pipeline_rows, queue_rows, status_tabs
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
        "queues": queue_rows(at_once=True)[:12],
        "operations": operation_rows(Operation.objects.filter(status__in=LIVE).order_by("-id")[:5]),
        "pipeline_runs": pipeline_rows(5),
        "next_action": _next_actions({tab["status"]: tab["count"] for tab in counts}, burning),
    }
    return page(request, "console/overview.html", context, part="live")


def _next_actions(counts: dict[str, int], burning: list[dict[str, Any]]) -> list[dict[str, str]]:
    """What is worth doing, worst first."""
    found = []
    if quarantined := counts["QUARANTINED"]:
        text = f"Look at {quarantined:,} quarantined dead letters: no machine touches them again."
        found.append({"text": text, "url": list_url("status=QUARANTINED"), "tone": "danger"})
    if exhausted := counts["EXHAUSTED"]:
        text = f"Decide about {exhausted:,} exhausted dead letters: their retries are used up."
        found.append({"text": text, "url": list_url("status=EXHAUSTED"), "tone": "warning"})
    if burning:
        text = f"Open the group that burns most: {visible(burning[0]['title'][:120])}"
        found.append({"text": text, "url": burning[0]["url"], "tone": "warning"})
    if pending := counts["PENDING"]:
        text = f"{pending:,} wait; the schedule retries those that can heal by themselves."
        found.append({"text": text, "url": reverse("schedules"), "tone": "info"})
    return found
