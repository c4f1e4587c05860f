"""Queues: what stands on each."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from dlqconsole.console.access import viewer_required
from dlqconsole.console.responses import page
from dlqconsole.console.tables import queue_rows


@viewer_required
@require_safe
def queues(request: HttpRequest) -> HttpResponse:
    """Every queue's messages and dead letters."""
    return page(request, "console/queues.html", {"queues": queue_rows()})
