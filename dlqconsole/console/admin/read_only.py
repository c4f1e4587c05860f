"""What all pages of Django's admin have in common: they are for looking."""

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.safestring import SafeString

from dlqconsole.console.parts.hidden_characters import visible

if TYPE_CHECKING:
    _ModelAdmin = admin.ModelAdmin[Any]
else:
    _ModelAdmin = admin.ModelAdmin


class ReadOnly(_ModelAdmin):
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
