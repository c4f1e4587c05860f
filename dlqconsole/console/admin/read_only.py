"""What all pages of Django's admin have in common: they are for looking."""

from django.db.models import Model
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.safestring import SafeString

from dlqconsole.console.admin.parameters import Narrow
from dlqconsole.processing.hidden_characters import visible


class ReadOnly(Narrow):
    """Look, do not touch: what changes these rows is audited, and stands elsewhere."""

    show_full_result_count = False
    list_per_page = 50
    list_max_show_all = 200
    actions: tuple[str, ...] = ()

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


def preformatted(text: str) -> SafeString:
    """Text as it stands, with what cannot be seen made visible."""
    return format_html("<pre>{}</pre>", visible(text))
