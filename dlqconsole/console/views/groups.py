"""Failure groups: one cause, many dead letters."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_safe

from dlqconsole.console.access import viewer_required
from dlqconsole.console.responses import page
from dlqconsole.console.shown_filter import list_url
from dlqconsole.console.tables import group_rows
from dlqconsole.engine import summaries
from dlqconsole.engine.models import FailureGroup


@viewer_required
@require_safe
def groups(request: HttpRequest) -> HttpResponse:
    """All groups, those that burn first."""
    rows, only_newest = summaries.groups()
    context = {"groups": group_rows(rows), "only_newest": only_newest}
    return page(request, "console/groups.html", context)


@viewer_required
@require_safe
def group(request: HttpRequest, group_id: int) -> HttpResponse:
    """A group's dead letters: the list, with that filter."""
    if not FailureGroup.objects.filter(pk=group_id).exists():
        raise Http404(f"There is no group {group_id}.")
    return redirect(list_url(f"group={group_id}"))
