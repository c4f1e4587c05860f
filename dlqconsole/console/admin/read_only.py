"""What all pages of Django's admin have in common: they are for looking."""

import json
from collections.abc import Iterator
from typing import Any

from django.db.models import Model, QuerySet
from django.db.models.query import ModelIterable
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.safestring import SafeString

from dlqconsole.console.access.reaches import reach_of
from dlqconsole.console.admin.parameters import Narrow
from dlqconsole.engine.gate import shown, shown_json
from dlqconsole.engine.reach import Reach
from dlqconsole.processing.hidden_characters import visible


class _MaskedRows(ModelIterable):  # type: ignore[type-arg]
    """Rows whose texts have gone through the gate: nobody changes them here, so nothing can be saved back."""

    def __iter__(self) -> Iterator[Any]:
        for row in super().__iter__():
            for name, value in list(vars(row).items()):
                if name != "_state":
                    setattr(row, name, masked_value(value))
            yield row


def masked_value(value: Any) -> Any:
    """Texts, and texts within JSON, as a person may see them."""
    if isinstance(value, str):
        return shown(value)
    if isinstance(value, (dict, list)):
        return json.loads(shown_json(json.dumps(value, default=str)))
    return value


class ReadOnly(Narrow):
    """Look, do not touch: what changes these rows is audited, and stands elsewhere.

    ``within`` says which rows somebody sees who is limited; a page without one shows them none.
    """

    show_full_result_count = False
    list_per_page = 50
    list_max_show_all = 200
    actions: tuple[str, ...] = ()

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """All that the admin shows of a row comes through here, so that no column can be forgotten."""
        rows, reach = self.rows(request), reach_of(request)
        return masked_rows(self.within(rows, reach) if reach.is_limited else rows)

    def rows(self, request: HttpRequest) -> QuerySet[Any]:
        """All of them, as this page reads them."""
        return super().get_queryset(request)

    def within(self, rows: QuerySet[Any], reach: Reach) -> QuerySet[Any]:
        """Those that lie within somebody's reach."""
        return rows.none()

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


def masked_rows(rows: QuerySet[Any]) -> QuerySet[Any]:
    """The same rows, each masked as it is read."""
    masked = rows.all()
    masked._iterable_class = _MaskedRows
    return masked


def preformatted(text: str) -> SafeString:
    """Text set out as it is, masked, with what cannot be seen made visible."""
    return format_html("<pre>{}</pre>", visible(shown(text)))
