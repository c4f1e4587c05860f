"""Saved views: a filter, an order, columns and a grouping with a name, for one person or all.

Operators change what is shared, audited.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from django.contrib import messages
from django.contrib.auth import get_user_model
from django.db import IntegrityError
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from dlqconsole.console.access.permissions import actor, can_operate, viewer_required
from dlqconsole.console.models import SavedView
from dlqconsole.console.parts.list_layout import KEPT, ListLayout
from dlqconsole.console.parts.shown_filter import ShownFilter, list_url
from dlqconsole.core.errors import InvalidFilter
from dlqconsole.engine import audit, gate
from dlqconsole.engine.access_scope import current_access
from dlqconsole.engine.dead_letters import conditions, searching
from dlqconsole.engine.dead_letters.filters import DeadLetterFilter
from dlqconsole.engine.gate import Shown
from dlqconsole.hosting.database import transaction
from dlqconsole.hosting.wording import gettext_lazy, translated
from dlqconsole.processing.inputs import InvalidInput
from dlqconsole.processing.inputs.numbers import as_id
from dlqconsole.processing.inputs.plain_text import check_text

MOST = 100
LONGEST_NAME = 80
MASKED = gettext_lazy("This filter names a value that is masked: keep it for yourself, do not share it.")
ONLY_OPERATORS = gettext_lazy("Operators share views, and change shared ones. Save it for yourself.")
# who may not see the names of shared views cannot take one that is free
LIMITED = gettext_lazy("You see a part of the dead letters: save the view for yourself.")
TAKEN = gettext_lazy("There is a view “{name}” already: open and change that one, or take another name.")


class ViewRefused(InvalidInput):
    """A view that cannot be kept so; the sentence says why."""


def visible_views(request: HttpRequest) -> QuerySet[SavedView]:
    """The person's own, and those that others share; who sees a part of all gets no names of the rest."""
    own = Q(user_id=request.user.pk)
    if not current_access().is_limited:
        # two queries: the accounts may be in another database of the host's
        sharers = set(SavedView.objects.filter(is_shared=True).values_list("user_id", flat=True))
        active = get_user_model().objects.filter(pk__in=sharers, is_active=True).values_list("pk", flat=True)
        own |= Q(is_shared=True, user_id__in=list(active) if sharers else [])
    return SavedView.objects.filter(own).order_by("name", "pk")


@dataclass(frozen=True, slots=True)
class ReadableView:
    """A saved view, its filter and its layout."""

    view: SavedView
    matching: DeadLetterFilter
    layout: ListLayout

    @property
    def name(self) -> str:
        return self.view.name

    @property
    def is_shared(self) -> bool:
        return self.view.is_shared

    @property
    def url(self) -> str:
        """The address that opens it, with its number: what is changed there may be saved into it."""
        return list_url(Shown(replace(self.layout, view=self.view.pk).beside(self.matching)))

    def stands_at(self, search: ShownFilter) -> bool:
        """Tell whether the list is exactly as the view keeps it."""
        return (search.criteria.text, search.layout.kept()) == (self.view.filter, self.layout.kept())

    def is_current(self, search: ShownFilter) -> bool:
        """Tell whether it was opened, or without any opened whether the list is as it says."""
        opened = search.layout.view
        return self.view.pk == opened if opened else self.stands_at(search)


def readable_views(views: Iterable[SavedView]) -> Iterator[ReadableView]:
    """Yield those whose filter can still be read: a part of it may be gone with its feature."""
    for view in views:
        try:
            matching = DeadLetterFilter.from_canonical({"q": view.filter})
        except InvalidFilter:
            continue
        yield ReadableView(view, matching, ListLayout.read(vars(view), matching.status))


def shown_views(request: HttpRequest, search: ShownFilter) -> dict[str, Any]:
    """The menu: each view with its address, and which of them is the current one."""
    views = [
        {
            "id": each.view.pk,
            "name": each.name,
            "is_shared": each.is_shared,
            "is_grouped": each.layout.is_grouped,
            "url": each.url,
            "is_current": each.is_current(search),
            "is_changed": not each.stands_at(search),
            "may_change": _may_change(request, each.view),
        }
        for each in readable_views(visible_views(request)[:MOST])
    ]
    return {
        "views": views,
        "current_view": next((view for view in views if view["is_current"]), None),
        "may_share": can_operate(request) and not current_access().is_limited,
    }


@viewer_required
@require_POST
def saved_views(request: HttpRequest) -> HttpResponseBase:
    """Save the filter under a name, or delete a view; then show the list as it was saved."""
    number = as_id(request.POST.get("delete", ""))
    view = as_id(request.POST.get("view", ""))
    try:
        if number is None:
            message, view = _save(request, None if "as_new" in request.POST else view)
        else:
            message, view = _delete(request, number), None
        messages.success(request, message)
    except (InvalidInput, InvalidFilter) as problem:
        messages.error(request, translated(problem))
    return redirect(list_url(Shown(_asked(request, view))))


def _asked(request: HttpRequest, view: int | None) -> str:
    try:
        matching = DeadLetterFilter.parse({"q": request.POST.get("q", "")})
    except InvalidFilter:
        return ""
    return replace(ListLayout.read(request.POST, matching.status), view=view).beside(matching)


def _save(request: HttpRequest, number: int | None) -> tuple[str, int]:
    """Put the form into a view, or into a new one; return the sentence for the person, and its number."""
    name, is_shared = request.POST.get("name", "").strip(), request.POST.get("shared") == "1"
    if not name:
        raise ViewRefused(_("Give the view a name."))
    check_text(name, _("The name"), LONGEST_NAME)
    matching = DeadLetterFilter.parse({"q": request.POST.get("q", "")}).naming_what_is_there()
    layout = ListLayout.read(request.POST, matching.status).kept()
    if not (matching.text or layout):
        raise ViewRefused(_("Filter the list first: a view of everything needs no name."))
    if is_shared and not can_operate(request):
        raise ViewRefused(ONLY_OPERATORS)
    if is_shared and current_access().is_limited:
        raise ViewRefused(LIMITED)
    if is_shared and (_is_masked(matching) or gate.shown(name) != name):
        raise ViewRefused(MASKED)
    columns = {part: layout.get(part, "") for part in KEPT}
    values = {"name": name, "filter": matching.text, "is_shared": is_shared} | columns
    with transaction.atomic():
        old = None if number is None else _changeable(request, number)
        view = _keep(request, old, values)
        if is_shared or (old and old.is_shared):
            # of what is not shared the log keeps the name alone
            texts = {
                "filter": matching.text if is_shared else "",
                "was": old.filter if old and old.is_shared else "",
            }
            if old and old.is_shared and old.name != name:
                texts["was_name"] = old.name
            detail = {"name": name} | texts | (layout if is_shared else {})
            audit.record(actor(request), "save view", f"view:{view.pk}", detail=detail)
    return _("The view “{name}” is saved.").format(name=name), view.pk


def _keep(request: HttpRequest, old: SavedView | None, values: dict[str, Any]) -> SavedView:
    """Change the view, or make a new one. Raises ViewRefused where another has the name."""
    person = int(request.user.pk or 0)
    if old is None and SavedView.objects.filter(user_id=person).count() >= MOST:
        raise ViewRefused(_("You have {most} views; delete one first.").format(most=MOST))
    view = SavedView(user_id=person, **values)
    others = visible_views(request).filter(name=view.name)
    if old:
        others = others.exclude(pk=old.pk)
        view.pk, view.user_id, view.created_at = old.pk, old.user_id, old.created_at
    refusal = ViewRefused(TAKEN.format(name=view.name))
    if others.exists():
        raise refusal
    try:
        with transaction.atomic():
            view.save(force_update=old is not None)
    except IntegrityError as error:  # another request was quicker, or its owner has an own one of the name
        raise refusal from error
    return view


def _delete(request: HttpRequest, number: int) -> str:
    with transaction.atomic():
        view = _changeable(request, number)
        if view.is_shared:
            layout = {part: value for part in KEPT if (value := getattr(view, part))}
            detail = {"name": view.name, "filter": view.filter} | layout
            audit.record(actor(request), "delete view", f"view:{view.pk}", detail=detail)
        view.delete()
    return _("The view “{name}” is deleted.").format(name=view.name)


def _changeable(request: HttpRequest, number: int) -> SavedView:
    """The view, locked. Raises ViewRefused where there is none, or this person may not change it."""
    view = visible_views(request).select_for_update().filter(pk=number).first()
    if view is None:
        raise ViewRefused(_("There is no view {number} of yours.").format(number=number))
    if not _may_change(request, view):
        raise ViewRefused(ONLY_OPERATORS)
    return view


def _may_change(request: HttpRequest, view: SavedView) -> bool:
    return can_operate(request) if view.is_shared else view.user_id == request.user.pk


def _is_masked(matching: DeadLetterFilter) -> bool:
    """Tell whether its text holds anything that a mask hides."""
    hidden = any(searching.hides(path) for path, _term in conditions.paths(matching.tree))
    return hidden or gate.shown(matching.text) != matching.text
