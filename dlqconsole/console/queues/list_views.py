"""Queues: the messages on each, the health of the database, and the form for a new one."""

from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from dlqconsole.console.access.permissions import actor, asks_for, viewer_required
from dlqconsole.console.parts.responses import page
from dlqconsole.console.parts.sorting import sort_of
from dlqconsole.console.parts.tables import queue_row
from dlqconsole.console.queues.actions import CREATE
from dlqconsole.console.queues.forms import FromForm, NewQueueForm
from dlqconsole.console.queues.sorting import BY_NAME, SORTS, headings, in_order
from dlqconsole.core.errors import InvalidQueue
from dlqconsole.engine.access_scope import current_access
from dlqconsole.engine.database import health as database_health
from dlqconsole.engine.queues import changes as service
from dlqconsole.engine.queues import policy as queue_policy
from dlqconsole.hosting.wording import translated
from dlqconsole.transports import queue_overview, registry, unwatched

PAGE, UNWATCHED = 200, 100


@viewer_required
@require_safe
def queues(request: HttpRequest) -> HttpResponse:
    """Each queue's messages and dead letters, by name, from one name on."""
    form = FromForm(request.GET)
    queue_page = queue_overview.page(form.first, PAGE)
    # what is on another page cannot be sorted in: then they stand by name
    has_all = not (form.first or queue_page.next)
    sort = sort_of(request.GET.get("sort", ""), SORTS, BY_NAME) if has_all else BY_NAME
    context = {
        "queues": [queue_row(row) for row in in_order(queue_page.rows, sort)],
        "headings": headings(sort) if has_all else {},
        "form": form,
        "begun": bool(form.first),
        "next_url": "?" + urlencode({"from": queue_page.next}) if queue_page.next else "",
        "attached": [queue_row(row) for row in queue_overview.elsewhere()],
        "other_systems": registry.others(),
        "unwatched": unwatched.unwatched()[:UNWATCHED],
        "looks": unwatched.looks(),
        # the health concerns all rows of the tables
        "health": None if current_access().is_limited else database_health.health(),
    }
    return page(request, "console/queues/list.html", context, part="console/queues/table.html")


def _check_within(name: str) -> None:
    access = current_access()
    if not access.sees_queue(name):
        raise InvalidQueue(
            _("A queue of this name lies outside your scope ({words}).").format(words=access.words())
        )


@asks_for(CREATE)
@require_http_methods(["GET", "HEAD", "POST"])
def new(request: HttpRequest) -> HttpResponseBase:
    """The form for another queue; a POST makes it."""
    form = NewQueueForm.from_request(request, policy=queue_policy.DEFAULTS)
    if form.is_valid():
        name, reason = form.cleaned_data["name"], form.cleaned_data["reason"]
        try:
            _check_within(name)
            service.create(name, actor=actor(request), reason=reason, **form.policy)
        except InvalidQueue as refusal:
            form.add_error(None, translated(refusal))
        else:
            return redirect("dlq:queue", name)
    context = {"name": "", "form": form}
    return page(request, "console/queues/policy.html", context, status=form.status)
