"""What may stand in the address of a list: what a list would pass over, or look up by itself, is refused.

Django's own lists take every column as a lookup (``payload__contains``, ``error_reason__regex``), by which
anybody could read what is masked; and ours would show fewer rows than an action on all of them takes. What
is ticked in a list is refused as well, where it is no row's number: Django would look it up all the same.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.admin.options import IncorrectLookupParameters, ShowFacets
from django.contrib.admin.views.main import ALL_VAR, ORDER_VAR, PAGE_VAR, SEARCH_VAR
from django.http import HttpRequest, HttpResponse, QueryDict

from dlqconsole.console.admin.values import Refused, Understood, any_text, check_place, of_column
from dlqconsole.console.errors.views import refused
from dlqconsole.processing.inputs.numbers import as_id
from dlqconsole.processing.inputs.plain_text import is_storable, quoted

if TYPE_CHECKING:
    _ModelAdmin = admin.ModelAdmin[Any]
else:
    _ModelAdmin = admin.ModelAdmin

_PAGING = (PAGE_VAR, ORDER_VAR, ALL_VAR)
_ACROSS = "select_across"


class Narrow(_ModelAdmin):
    """A list that does nothing at all when its address has a part that it does not know."""

    # the link “Show counts” would count each choice of each filter over the whole table
    show_facets = ShowFacets.NEVER

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """The list, or 400 with a sentence; no action is run then either."""
        try:
            self._check(request)
            _check_posted(request.POST)
            return super().changelist_view(request, extra_context)
        except Refused as problem:
            return refused(request, f"{problem} Nothing was changed.")

    def get_changelist_instance(self, request: HttpRequest) -> Any:
        """Django would lead to the list without its filter, where the next action takes every row."""
        try:
            found = super().get_changelist_instance(request)
        except IncorrectLookupParameters as problem:
            raise Refused(str(problem) or "The address has a value that cannot be understood.") from problem
        check_place(found, request.GET)
        return found

    def lookup_allowed(self, lookup: str, value: Any, request: HttpRequest) -> bool:
        return lookup in self.filter_parameters()

    def filter_parameters(self) -> dict[str, Understood]:
        """What the filters beside the list, and its search box, put into the address."""
        found: dict[str, Understood] = {SEARCH_VAR: any_text} if self.search_fields else {}
        for each in self.list_filter:
            found |= of_column(self.model, each) if isinstance(each, str) else {_own(each): any_text}
        return found

    def _check(self, request: HttpRequest) -> None:
        known = self.filter_parameters()
        for name, values in request.GET.lists():
            if name not in known and name not in _PAGING:
                raise Refused(f"This list has no parameter {quoted(name)}. It has {_listed(known)}.")
            if len(values) > 1:
                raise Refused(f"{name} is given twice.")
            if "\x00" in values[0] or not is_storable(values[0]):
                raise Refused(f"{name} holds a character that no row can contain.")
            if name in known and not known[name](values[0]):
                raise Refused(f"{name} cannot be {quoted(values[0])}.")


def _check_posted(posted: QueryDict) -> None:
    # Django reads any other word as “all of them”
    if (across := posted.get(_ACROSS, "")) not in ("", "0", "1"):
        raise Refused(f"{_ACROSS} cannot be {quoted(across)}.")
    for text in posted.getlist(ACTION_CHECKBOX_NAME):
        if as_id(text) is None:
            raise Refused(
                f"A ticked row has no valid number: {quoted(text)}. Reload the list and tick again."
            )


def _own(filter_class: Any) -> str:
    return str(filter_class.parameter_name)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(names)) or "none"
