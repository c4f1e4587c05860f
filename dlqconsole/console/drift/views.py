"""Drift: paths of payloads that have appeared, vanished, or changed their type."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from dlqconsole.console.access.guard import require_unlimited
from dlqconsole.console.access.permissions import viewer_required
from dlqconsole.console.parts.changes import change_rows
from dlqconsole.console.parts.responses import page
from dlqconsole.engine.samples import keeping
from dlqconsole.insight import drift as finding

DAYS, MOST = 30, 200


@viewer_required
@require_safe
def drift(request: HttpRequest) -> HttpResponse:
    """The changes of the last thirty days, and the samples behind them."""
    require_unlimited()
    context = {
        "changes": change_rows(finding.newest(DAYS, MOST)),
        "days": DAYS,
        "samples": keeping.count_samples(),
        "looked_until": finding.looked_until(),
        "left_out": finding.left_out(),
    }
    return page(request, "console/drift/list.html", context, part="")
