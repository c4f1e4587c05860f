"""The base of all read-only pages of Django's admin."""

import json
from collections.abc import Iterator
from typing import Any

from django.db.models import Model, QuerySet
from django.db.models.query import ModelIterable
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.safestring import SafeString

from dlqconsole.console.administration.parameters import StrictListAdmin
from dlqconsole.engine.access_scope import current_access
from dlqconsole.engine.gate import shown, shown_json
from dlqconsole.processing.texts import visible


class _MaskedRows(ModelIterable):  # type: ignore[type-arg]
    """Rows with masked texts. They are never edited here, so no masked text can be saved back."""

    def __iter__(self) -> Iterator[Any]:
        for row in super().__iter__():
            for name, value in list(vars(row).items()):
                if name != "_state":
                    setattr(row, name, mask_value(value))
            yield row


def mask_value(value: Any) -> Any:
    """A text, or the texts within JSON, as a person may see them."""
    if isinstance(value, str):
        return shown(value)
    if isinstance(value, (dict, list)):
        return json.loads(shown_json(json.dumps(value, default=str)))
    return value


class ReadOnly(StrictListAdmin):
    """A page that only shows its rows: changes of them are audited, and happen elsewhere.

    ``within`` returns the rows that a person with a scope sees; a page without it shows them none.
    """

    show_full_result_count = False
    list_per_page = 50
    list_max_show_all = 200
    actions: tuple[str, ...] = ()

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Return masked rows within the scope. All rows of the admin come through here."""
        rows = self.rows(request)
        return mask_rows(self.within(rows) if current_access().is_limited else rows)

    def rows(self, request: HttpRequest) -> QuerySet[Any]:
        """All rows, as this page reads them."""
        return super().get_queryset(request)

    def within(self, rows: QuerySet[Any]) -> QuerySet[Any]:
        """The rows within a person's scope."""
        return rows.none()

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


def mask_rows(rows: QuerySet[Any]) -> QuerySet[Any]:
    """The same rows, each masked as it is read."""
    queryset = rows.all()
    queryset._iterable_class = _MaskedRows
    return queryset


def preformatted(text: str) -> SafeString:
    """A text with its line breaks, masked, with invisible characters made visible."""
    return format_html("<pre>{}</pre>", visible(shown(text)))
