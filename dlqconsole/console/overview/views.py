"""The first page: the state of everything, the most urgent problems, and the next actions."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from dlqconsole.console.access.permissions import viewer_required
from dlqconsole.console.overview.burning import burning_rows
from dlqconsole.console.overview.machinery import machinery
from dlqconsole.console.overview.next_actions import next_actions
from dlqconsole.console.parts.breakers import visible_breakers
from dlqconsole.console.parts.feature_cards import actions, cards
from dlqconsole.console.parts.later import with_later
from dlqconsole.console.parts.responses import page
from dlqconsole.console.parts.tables import (
    bar_rows,
    figure,
    group_rows,
    operation_rows,
    pipeline_rows,
    pipeline_run_of,
    queue_row,
    status_tabs,
)
from dlqconsole.core.lifecycle.states import REVIVABLE
from dlqconsole.engine.access_scope import current_access
from dlqconsole.engine.counts import buckets
from dlqconsole.engine.counts import groups as group_figures
from dlqconsole.engine.counts.buckets import BUCKETS, USUAL, Bucket
from dlqconsole.engine.dead_letters.filters import DeadLetterFilter
from dlqconsole.operations import visibility
from dlqconsole.operations.models import OPEN, Operation
from dlqconsole.operations.outcomes import handed_over
from dlqconsole.operations.receipts.outlook import outlook
from dlqconsole.operations.requests import workers
from dlqconsole.retries import beat_heartbeats
from dlqconsole.runs import jobs, service
from dlqconsole.transports import queue_overview, unwatched

QUEUES, OPERATIONS = 12, 5  # shown here; all of them have a page


@viewer_required
@require_safe
def overview(request: HttpRequest) -> HttpResponse:
    """Everything at a glance; the counts are kept up to date elsewhere, so that none of it takes long."""
    counts = status_tabs(DeadLetterFilter())
    coming = sum(tab["coming"] for tab in counts if tab["status"] in REVIVABLE)
    burning, breakers = burning_rows(), visible_breakers()
    operations = _operations()
    runs = pipeline_rows(5)
    queues, number = _queues()
    figures = {tab["status"]: tab["count"] for tab in counts}
    feature_cards, count_cards = cards("overview", request), cards("overview counts", request)
    context = {
        "status_counts": counts,
        "count_cards": count_cards,
        "burning": burning,
        "loading": next((run for run in runs if run["kind"] == "ingest" and run["is_live"]), None),
        "is_new": not current_access().is_limited and not runs and not any(figures.values()),
        "regressed": group_rows(group_figures.regressed()),
        "machinery": machinery(breakers),
        **_chart(request, BUCKETS.get(request.GET.get("per", ""), USUAL)),
        "queues": queues[:QUEUES],
        "queues_in_all": number if len(queues) > QUEUES else None,
        "operations": operations,
        "pipeline_runs": runs[:3],
        "feature_cards": feature_cards,
        "next_actions": next_actions(
            figures,
            burning,
            _without_live_run(operations),
            [*runs, *_repeated_runs()],
            queues,
            coming,
            actions([*count_cards, *feature_cards]),
            breakers,
            beat_heartbeats.too_many(),
            workers.warning(),
            unwatched.unwatched(),
        ),
    }
    return page(request, "console/overview/overview.html", context, part="console/overview/figures.html")


def _chart(request: HttpRequest, bucket: Bucket) -> dict[str, Any]:
    """The bars of the chosen bucket, and the buckets to choose from."""
    url, chart = reverse("dlq:overview"), bar_rows(buckets.counts(bucket))
    return {
        "chart": chart,
        "chart_cards": cards("chart", request, chart=chart, within={}),
        "bucket": bucket,
        "bucket_choices": [
            {"words": one.words, "url": f"{url}?per={one.name}#per", "current": one is bucket}
            for one in BUCKETS.values()
        ],
    }


def _operations() -> list[Operation]:
    """The newest open ones; after those at work, those whose messages are still to be handled."""
    visible = visibility.operations().order_by("-id")
    at_work = operation_rows(visible.filter(status__in=OPEN)[:OPERATIONS])
    following = operation_rows(handed_over(visible)[: OPERATIONS - len(at_work)])
    for row in following:
        row.outlook = outlook(row)  # type: ignore[attr-defined]
    return [*at_work, *following]


def _without_live_run(operations: list[Operation]) -> list[Operation]:
    """The operations without a live run of the pipeline: their note about the run is no reason to look."""
    runs = ((operation, pipeline_run_of(operation)) for operation in operations)
    return [operation for operation, run in runs if not (run and run["is_live"])]


def _repeated_runs() -> list[dict[str, Any]]:
    """The newest run of each job that repeats, however many other runs came since."""
    names = [] if current_access().is_limited else [job.name for job in jobs.every() if job.repeats]
    return [run for name in names if (run := service.newest(name))]


def _queues() -> tuple[list[dict[str, Any]], str | int]:
    """A page of our queues and the first of other systems, by name; the number of queues."""
    ours, elsewhere = queue_overview.page(), queue_overview.elsewhere(most=QUEUES)
    rows = sorted([*ours.rows, *elsewhere], key=lambda row: str(row["name"]))
    number = len(ours.rows) + queue_overview.number_elsewhere()
    return [queue_row(row) for row in with_later(rows)], figure(number, more=bool(ours.next))
