"""Failure groups: one cause, many dead letters; the page of each, and people's work on it."""

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from dlqconsole.console.access.permissions import actor, require, viewer_required
from dlqconsole.console.groups.forms import SNOOZES, TEXTS, GroupForm, form_from_post, page_forms
from dlqconsole.console.groups.page import Standing, group_context
from dlqconsole.console.parts.responses import page
from dlqconsole.console.parts.sorting import Heading, heading, sort_of
from dlqconsole.console.parts.tables import group_rows
from dlqconsole.console.parts.visitors import names_visitors
from dlqconsole.core.errors import InvalidMerge
from dlqconsole.core.lifecycle.states import GroupState
from dlqconsole.engine.counts import groups as group_figures
from dlqconsole.engine.groups import merging
from dlqconsole.engine.models import FailureGroup
from dlqconsole.hosting.wording import gettext_lazy, translated
from dlqconsole.triage import changes as group_life
from dlqconsole.triage import claims
from dlqconsole.triage.changes import GroupConflict, GroupEditor, InvalidGroup

MOST = 200
LONGEST_OWNER = 100
CLAIMED_FOR = timedelta(hours=2)
_STATES = {
    "": (GroupState.OPEN, GroupState.REGRESSED),
    "regressed": (GroupState.REGRESSED,),
    "snoozed": (GroupState.SNOOZED,),
    "resolved": (GroupState.RESOLVED,),
    "all": tuple(GroupState),
}
_LABELS = {
    "": gettext_lazy("Open"),
    "regressed": gettext_lazy("Regressed"),
    "snoozed": gettext_lazy("Snoozed"),
    "resolved": gettext_lazy("Resolved"),
    "all": gettext_lazy("All"),
}
type FormValues = Mapping[str, Any]


@viewer_required
@require_safe
def groups(request: HttpRequest) -> HttpResponse:
    """Groups in a state, the most urgent first; snoozed and resolved ones have tabs of their own."""
    text = request.GET.get("state", "")
    state = text if text in _STATES else ""
    owner = request.GET.get("owner", "").replace("\x00", "")[:LONGEST_OWNER]
    sort = sort_of(request.GET.get("sort", ""), group_figures.SORTS, group_figures.BURNING)
    rows = group_figures.list_groups(_STATES[state], owner, MOST, sort)
    matching = rows[0]["matching"] if rows else 0
    here = {"state": state, "owner": owner, "sort": "" if sort == group_figures.BURNING else sort}
    context = {
        "groups": group_rows(rows),
        "more": matching - len(rows),
        "state": state,
        "owner": owner,
        "owners": group_figures.owners(),
        "sort": here["sort"],
        "headings": _headings(sort, here),
        "tabs": _tabs(here),
    }
    return page(request, "console/groups/list.html", context, part="console/groups/table.html")


def _headings(sort: str, here: dict[str, str]) -> dict[str, Heading]:
    """A link for each column that sorts, the largest and newest first."""

    def url_of(text: str) -> str:
        return _url(here | {"sort": "" if text == group_figures.BURNING else text})

    return {name: heading(name, f"-{name}", sort, url_of) for name in group_figures.SORTS}


def _tabs(here: dict[str, str]) -> list[dict[str, Any]]:
    counts = group_figures.count_by_state()
    return [
        {
            "label": _LABELS[name],
            "count": sum(counts[state] for state in states),
            "url": _url(here | {"state": name}),
            "current": name == here["state"],
        }
        for name, states in _STATES.items()
    ]


def _url(values: dict[str, str]) -> str:
    query = urlencode({name: value for name, value in values.items() if value})
    return reverse("dlq:groups") + (f"?{query}" if query else "")


@viewer_required
@require_http_methods(["GET", "HEAD", "POST"])
@names_visitors
def group(request: HttpRequest, group_id: int) -> HttpResponseBase:
    """One group; a POST changes its state or its notes."""
    if request.method == "POST":
        require(request, "operator")
        return _change(request, group_id)
    return _page(request, group_id)


def _change(request: HttpRequest, group_id: int) -> HttpResponseBase:
    form = form_from_post(request.POST, _get(group_id))
    if form.is_valid():
        try:
            sentence = act(group_id, form, actor(request))
        except GroupConflict as conflict:
            return _page(request, group_id, form, conflict)
        except (InvalidGroup, InvalidMerge) as refusal:
            form.add_error(None, translated(refusal))
        else:
            messages.success(request, sentence)
            return redirect("dlq:group", group_id)
    return _page(request, group_id, form)


def _page(
    request: HttpRequest,
    group_id: int,
    invalid: GroupForm | None = None,
    conflict: GroupConflict | None = None,
) -> HttpResponse:
    group, standing = _get(group_id), Standing.of(group_id)
    figures = group_figures.group(group_id)
    if figures is None:
        raise Http404(_("There is no group {group_id}.").format(group_id=group_id))
    context = group_context(request, group, standing, figures) | page_forms(
        group, merging.merged_into(group_id) if figures["is_whole"] else [], invalid
    )
    context |= {"conflict": str(conflict or ""), "theirs": conflict.current if conflict else None}
    status = 409 if conflict else invalid.status if invalid else 200
    return page(request, "console/groups/detail.html", context, status=status)


def _get(group_id: int) -> FailureGroup:
    group = FailureGroup.objects.filter(pk=group_id).first()
    if group is None:
        raise Http404(_("There is no group {group_id}.").format(group_id=group_id))
    return group


def act(group_id: int, form: GroupForm, actor: str) -> str:
    """Do the action of a valid form; return the sentence for the person.

    Raises GroupConflict, InvalidGroup or InvalidMerge.
    """
    values = form.cleaned_data
    if values["verb"] == "merge" and not all(group_figures.visibility(values["into"])):
        raise InvalidMerge(
            _("There is no group {into}, or some of it lies outside your scope.").format(into=values["into"])
        )
    change, sentence = _ACTS[values["verb"]]
    change(group_id, GroupEditor(actor, values["version"], values["reason"]), values)
    return sentence


def _describe(group_id: int, who: GroupEditor, values: FormValues) -> None:
    group_life.describe(group_id, who, **{name: values[name] for name in TEXTS})


def _claim(group_id: int, who: GroupEditor, values: FormValues) -> None:
    claims.claim(group_id, who, values["until"] or CLAIMED_FOR)


def _release(group_id: int, who: GroupEditor, values: FormValues) -> None:
    claims.release(group_id, who)


def _resolve(group_id: int, who: GroupEditor, values: FormValues) -> None:
    group_life.resolve(group_id, who)


def _reopen(group_id: int, who: GroupEditor, values: FormValues) -> None:
    group_life.reopen(group_id, who)


def _snooze(group_id: int, who: GroupEditor, values: FormValues) -> None:
    conditions = {name: values[name] for name in SNOOZES}
    if isinstance(conditions["until"], timedelta):
        conditions["until"] = group_life.clock() + conditions["until"]
    group_life.snooze(group_id, who, **conditions)


def _merge(group_id: int, who: GroupEditor, values: FormValues) -> None:
    merging.merge([group_id], values["into"], actor=who.actor, reason=who.reason)


def _split(group_id: int, who: GroupEditor, values: FormValues) -> None:
    merging.split(values["fingerprint"], group_id, actor=who.actor, reason=who.reason)


_ACTS: dict[str, tuple[Callable[[int, GroupEditor, FormValues], None], str]] = {
    "describe": (_describe, "Saved."),
    "claim": (_claim, gettext_lazy("You work on it now: everybody who opens it reads so.")),
    "release": (_release, gettext_lazy("Nobody works on it now.")),
    "resolve": (_resolve, gettext_lazy("Resolved. If it fails again, it is marked as regressed.")),
    "reopen": (_reopen, gettext_lazy("Open again.")),
    "snooze": (_snooze, gettext_lazy("Snoozed. It wakes by itself.")),
    "merge": (
        _merge,
        gettext_lazy(
            "Merged: new failures go to the other group. Re-classify what is here to bring it along."
        ),
    ),
    "split": (
        _split,
        gettext_lazy(
            "Taken apart: new failures get a group of their own. Re-classify what is here to part it, too."
        ),
    ),
}
