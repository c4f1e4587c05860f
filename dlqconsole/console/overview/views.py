"""The first page: what stands where, what burns, what runs, what to do next."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from dlqconsole.console.access.permissions import viewer_required
from dlqconsole.console.overview.next_actions import next_actions
from dlqconsole.console.parts.responses import page
from dlqconsole.console.parts.tables import (
    figure,
    group_rows,
    hour_rows,
    operation_rows,
    pipeline_rows,
    queue_row,
    status_tabs,
)
from dlqconsole.engine.counts import groups as group_figures
from dlqconsole.engine.counts import summaries
from dlqconsole.engine.dead_letters.filters import DeadLetterFilter
from dlqconsole.operations.models import OPEN, Operation
from dlqconsole.transports import standings

QUEUES = 12  # shown here; all of them have a page


@viewer_required
@require_safe
def overview(request: HttpRequest) -> HttpResponse:
    """Everything at a glance; what is counted is kept counted, so that none of it takes long."""
    counts = status_tabs(DeadLetterFilter())
    burning = group_rows(group_figures.burning())
    operations = operation_rows(Operation.objects.filter(status__in=OPEN).order_by("-id")[:5])
    runs = pipeline_rows(5)
    queues, number = _queues()
    by_status = {tab["status"]: tab["count"] for tab in counts}
    context = {
        "status_counts": counts,
        "burning": burning,
        "is_loading": any(run["kind"] == "ingest" and run["is_live"] for run in runs),
        "is_new": not runs and not any(by_status.values()),
        "regressed": group_rows(group_figures.regressed()),
        "hourly": hour_rows(summaries.hourly()),
        "queues": queues[:QUEUES],
        "queues_in_all": number if len(queues) > QUEUES else None,
        "operations": operations,
        "pipeline_runs": runs[:3],
        "next_actions": next_actions(by_status, burning, operations, runs, queues),
    }
    return page(request, "console/overview/overview.html", context, part="live")


def _queues() -> tuple[list[dict[str, Any]], str | int]:
    """A page of queues of ours and the first of other systems, by name; how many queues there are."""
    ours, elsewhere = standings.page(), standings.elsewhere(most=QUEUES)
    rows = sorted([*ours.rows, *elsewhere], key=lambda row: str(row["name"]))
    number = len(ours.rows) + standings.number_elsewhere()
    return [queue_row(row) for row in rows], figure(number, more=bool(ours.next))
