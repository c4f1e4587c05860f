"""Pages: what a group's dead letters have in common, and how payloads have changed."""

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from dlqconsole.console.access.guard import require_unlimited
from dlqconsole.console.access.permissions import viewer_required
from dlqconsole.console.parts.responses import page
from dlqconsole.contrib.insight import drift as finding
from dlqconsole.contrib.insight.common import ground_of
from dlqconsole.contrib.insight.pages.changes import change_rows
from dlqconsole.contrib.insight.pages.ground import common_context
from dlqconsole.contrib.insight.samples import keeping
from dlqconsole.engine.counts import groups as group_figures
from dlqconsole.engine.models import FailureGroup

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
    return page(request, "insight/drift.html", context)


@viewer_required
@require_safe
def common_ground(request: HttpRequest, group_id: int) -> HttpResponse:
    """The values that its dead letters have in common, for the group's page or as a page of its own."""
    group = FailureGroup.objects.filter(pk=group_id).first()
    if group is None:
        raise Http404(f"There is no group {group_id}.")
    if not all(group_figures.visibility(group_id)):
        raise Http404("Some of this group lies outside your scope; this speaks of all of it.")
    context = common_context(group_id, ground_of(group_id)) | {"record": group}
    return page(request, "insight/common_ground.html", context, part="insight/common_ground_table.html")
