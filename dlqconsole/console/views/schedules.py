"""The schedule: the lock, the runs, what is due, the next run, and why the rest is not retried."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from dlqconsole.console.access import viewer_required
from dlqconsole.console.responses import page


@viewer_required
@require_safe
def schedules(request: HttpRequest) -> HttpResponse:
    """What the schedule does and will do."""
    return page(request, "console/schedules.html", {})
