"""The values that parameters of an admin's list may have: Django ignores those that it cannot read."""

import re
from collections.abc import Callable
from typing import Any

from django.contrib.admin.utils import get_fields_from_path
from django.contrib.admin.views.main import ORDER_VAR, PAGE_VAR, ChangeList
from django.db.models import BooleanField, Model
from django.http import QueryDict

from dlqconsole.processing.inputs.numbers import as_id
from dlqconsole.processing.inputs.plain_text import quoted

# tells whether a parameter may have this value
type ValueCheck = Callable[[str], bool]

_COLUMN = re.compile(r"-?([0-9]{1,3})")
_YES_NO = ("True", "False", "1", "0")


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
