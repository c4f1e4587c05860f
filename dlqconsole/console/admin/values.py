"""Which values the parameters of an admin's list may have: Django passes over what it does not understand."""

import re
from collections.abc import Callable
from typing import Any

from django.contrib.admin.utils import get_fields_from_path
from django.contrib.admin.views.main import ORDER_VAR, PAGE_VAR, ChangeList
from django.db.models import BooleanField, Model
from django.http import QueryDict

from dlqconsole.processing.inputs.numbers import as_id
from dlqconsole.processing.inputs.plain_text import quoted

# whether a parameter may have this value
type Understood = Callable[[str], bool]

_COLUMN = re.compile(r"-?([0-9]{1,3})")
_YES_NO = ("True", "False", "1", "0")


class Refused(Exception):
    """What is asked for is nothing that this list has; the sentence says what."""


def any_text(text: str) -> bool:
    """Whatever else reads it has its own sentence."""
    return True


def of_column(model: type[Model], path: str) -> dict[str, Understood]:
    """How the admin's own filter asks for a column."""
    field: Any = get_fields_from_path(model, path)[-1]
    found = dict([_exactly(field, path)])
    if field.null or field.many_to_many:
        found[f"{path}__isnull"] = _YES_NO.__contains__
    return found


def _exactly(field: Any, path: str) -> tuple[str, Understood]:
    if field.remote_field:
        return f"{path}__{field.target_field.name}__exact", _is_number
    if isinstance(field, BooleanField):
        return f"{path}__exact", _YES_NO.__contains__
    if field.flatchoices:
        return f"{path}__exact", {str(value) for value, _label in field.flatchoices}.__contains__
    return path, any_text


def _is_number(text: str) -> bool:
    return as_id(text) is not None


def check_place(shown: ChangeList, asked: QueryDict) -> None:
    """Raise Refused for a page, or a column to order by, that the list does not have."""
    page, last = asked.get(PAGE_VAR, "1"), shown.paginator.num_pages
    if not 0 < (as_id(page) or 0) <= last:
        raise Refused(f"This list has no page {quoted(page)}; its last one is {last:,}.")
    for column in filter(None, asked.get(ORDER_VAR, "").split(".")):
        if not _can_order(shown, column):
            raise Refused(f"This list has no column {quoted(column)} to order by.")


def _can_order(shown: ChangeList, column: str) -> bool:
    found = _COLUMN.fullmatch(column)
    number = int(found[1]) if found else len(shown.list_display)
    if number >= len(shown.list_display):
        return False
    return shown.get_ordering_field(shown.list_display[number]) is not None
