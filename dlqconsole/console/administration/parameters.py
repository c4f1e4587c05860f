"""Parameters in the address of an admin's list: those that it would ignore or look up by itself are refused.

Django's own lists take every column as a lookup (``payload__contains``, ``error_reason__regex``), by which
anybody could read masked values; and ours would show fewer rows than an action on all of them takes. A
ticked row whose value is no row's number is refused as well: Django would look it up all the same.
"""

import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.admin.options import IncorrectLookupParameters, ShowFacets
from django.contrib.admin.utils import get_fields_from_path
from django.contrib.admin.views.main import ALL_VAR, ORDER_VAR, PAGE_VAR, SEARCH_VAR, ChangeList
from django.db.models import BooleanField, Model
from django.http import HttpRequest, HttpResponse, QueryDict

from dlqconsole.console.errors import refuse
from dlqconsole.hosting.wording import translated
from dlqconsole.processing.inputs.numbers import as_id
from dlqconsole.processing.inputs.plain_text import is_storable, quoted

# tells whether a parameter may have this value
type ValueCheck = Callable[[str], bool]

_COLUMN = re.compile(r"-?([0-9]{1,3})")
_YES_NO = ("True", "False", "1", "0")


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
            raise BadQuery(
                translated(problem) or "The address has a value that cannot be understood."
            ) from problem
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


class BadQuery(Exception):
    """A parameter or value that the list does not have; the message is a sentence."""


def any_text(text: str) -> bool:
    """Accept any text: the code that reads it has its own error."""
    return True


def column_parameters(model: type[Model], path: str) -> dict[str, ValueCheck]:
    """The parameters by which the admin's own filter asks for a column, with the check of each."""
    field: Any = get_fields_from_path(model, path)[-1]
    checks = dict([_exactly(field, path)])
    if field.null or field.many_to_many:
        checks[f"{path}__isnull"] = _YES_NO.__contains__
    return checks


def _exactly(field: Any, path: str) -> tuple[str, ValueCheck]:
    if field.remote_field:
        return f"{path}__{field.target_field.name}__exact", _is_number
    if isinstance(field, BooleanField):
        return f"{path}__exact", _YES_NO.__contains__
    if field.flatchoices:
        return f"{path}__exact", {str(value) for value, _label in field.flatchoices}.__contains__
    return path, any_text


def _is_number(text: str) -> bool:
    return as_id(text) is not None


def check_page_and_order(change_list: ChangeList, parameters: QueryDict) -> None:
    """Raise BadQuery for a page, or a column to order by, that the list does not have."""
    page, last = parameters.get(PAGE_VAR, "1"), change_list.paginator.num_pages
    if not 0 < (as_id(page) or 0) <= last:
        raise BadQuery(f"This list has no page {quoted(page)}; its last one is {last:,}.")
    for column in filter(None, parameters.get(ORDER_VAR, "").split(".")):
        if not _can_order(change_list, column):
            raise BadQuery(f"This list has no column {quoted(column)} to order by.")


def _can_order(change_list: ChangeList, column: str) -> bool:
    match = _COLUMN.fullmatch(column)
    number = int(match[1]) if match else len(change_list.list_display)
    if number >= len(change_list.list_display):
        return False
    return change_list.get_ordering_field(change_list.list_display[number]) is not None
