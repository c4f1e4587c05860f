"""Parameters in the address of an admin's list: those that it would ignore or look up by itself are refused.

Django's own lists take every column as a lookup (``payload__contains``, ``error_reason__regex``), by which
anybody could read masked values; and ours would show fewer rows than an action on all of them takes. A
ticked row whose value is no row's number is refused as well: Django would look it up all the same.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.admin.options import IncorrectLookupParameters, ShowFacets
from django.contrib.admin.views.main import ALL_VAR, ORDER_VAR, PAGE_VAR, SEARCH_VAR
from django.http import HttpRequest, HttpResponse, QueryDict

from dlqconsole.console.administration.values import (
    BadQuery,
    ValueCheck,
    any_text,
    check_page_and_order,
    column_parameters,
)
from dlqconsole.console.errors.views import refuse
from dlqconsole.processing.inputs.numbers import as_id
from dlqconsole.processing.inputs.plain_text import is_storable, quoted

if TYPE_CHECKING:
    _ModelAdmin = admin.ModelAdmin[Any]
else:
    _ModelAdmin = admin.ModelAdmin

_PAGING = (PAGE_VAR, ORDER_VAR, ALL_VAR)
_ACROSS = "select_across"


class StrictListAdmin(_ModelAdmin):
    """A list that does nothing at all when its address has an unknown parameter."""

    # the link “Show counts” would count each choice of each filter over the whole table
    show_facets = ShowFacets.NEVER

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Return the list, or 400 with a sentence; then no action is run either."""
        try:
            self._check(request)
            _check_posted(request.POST)
            return super().changelist_view(request, extra_context)
        except BadQuery as problem:
            return refuse(request, f"{problem} Nothing was changed.")

    def get_changelist_instance(self, request: HttpRequest) -> Any:
        """Refuse a bad filter: Django would lead to the list without it, where an action takes every row."""
        try:
            change_list = super().get_changelist_instance(request)
        except IncorrectLookupParameters as problem:
            raise BadQuery(str(problem) or "The address has a value that cannot be understood.") from problem
        check_page_and_order(change_list, request.GET)
        return change_list

    def lookup_allowed(self, lookup: str, value: Any, request: HttpRequest) -> bool:
        return lookup in self.filter_parameters()

    def filter_parameters(self) -> dict[str, ValueCheck]:
        """The parameters of the filters beside the list, and of its search box, with the check of each."""
        checks: dict[str, ValueCheck] = {SEARCH_VAR: any_text} if self.search_fields else {}
        for each in self.list_filter:
            checks |= column_parameters(self.model, each) if isinstance(each, str) else {_own(each): any_text}
        return checks

    def _check(self, request: HttpRequest) -> None:
        checks = self.filter_parameters()
        for name, values in request.GET.lists():
            if name not in checks and name not in _PAGING:
                raise BadQuery(f"This list has no parameter {quoted(name)}. It has {_comma_list(checks)}.")
            if len(values) > 1:
                raise BadQuery(f"{name} is given twice.")
            if "\x00" in values[0] or not is_storable(values[0]):
                raise BadQuery(f"{name} holds a character that no row can contain.")
            if name in checks and not checks[name](values[0]):
                raise BadQuery(f"{name} cannot be {quoted(values[0])}.")


def _check_posted(form: QueryDict) -> None:
    # Django reads any other word as “all of them”
    if (across := form.get(_ACROSS, "")) not in ("", "0", "1"):
        raise BadQuery(f"{_ACROSS} cannot be {quoted(across)}.")
    for text in form.getlist(ACTION_CHECKBOX_NAME):
        if as_id(text) is None:
            raise BadQuery(
                f"A ticked row has no valid number: {quoted(text)}. Reload the list and tick again."
            )


def _own(filter_class: Any) -> str:
    return str(filter_class.parameter_name)


def _comma_list(names: Iterable[str]) -> str:
    return ", ".join(sorted(names)) or "none"
