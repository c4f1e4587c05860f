"""What all pages of Django's admin have in common: they are for looking."""

from typing import Any

from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.safestring import SafeString

from dlqconsole.console.access.reaches import reach_of
from dlqconsole.console.admin.parameters import Narrow
from dlqconsole.engine.reach import Reach
from dlqconsole.processing.hidden_characters import visible


class ReadOnly(Narrow):
    """Look, do not touch: what changes these rows is audited, and stands elsewhere.

    ``within`` says which rows somebody sees who is limited; a page without one shows them none.
    """

    show_full_result_count = False
    list_per_page = 50
    list_max_show_all = 200
    actions: tuple[str, ...] = ()

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows, reach = self.rows(request), reach_of(request)
        return self.within(rows, reach) if reach.is_limited else rows

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


def preformatted(text: str) -> SafeString:
    """Text as it stands, with what cannot be seen made visible."""
    return format_html("<pre>{}</pre>", visible(text))
