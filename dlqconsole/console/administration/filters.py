"""The admin's list filters: the same parameters, with the same meaning, as the console's.

The console's filter has already filtered the queryset; these classes only offer the choices.
"""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from dlqconsole.core.lifecycle.states import Category, DeadLetterStatus
from dlqconsole.engine.counts import summaries
from dlqconsole.engine.models import DeadLetter

_NAMES = ("status", "category", "type", "queue", "since", "q")


def as_parameters(request: HttpRequest) -> dict[str, str]:
    """The console's filter parameters in the address of the admin's list."""
    return {name: request.GET[name] for name in _NAMES if name in request.GET}


class _Choice(admin.SimpleListFilter):
    def queryset(self, request: HttpRequest, queryset: QuerySet[DeadLetter]) -> QuerySet[DeadLetter]:
        return queryset


class StatusFilter(_Choice):
    title, parameter_name = "status", "status"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return DeadLetterStatus.choices()


class CategoryFilter(_Choice):
    title, parameter_name = "category", "category"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return Category.choices()


class TypeFilter(_Choice):
    title, parameter_name = "event type", "type"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(name, name) for name in summaries.event_types(50)]


class QueueFilter(_Choice):
    title, parameter_name = "queue", "queue"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(name, name) for name in summaries.queue_names(50)]


class DateFilter(_Choice):
    title, parameter_name = "failed since", "since"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("1h", "an hour ago"), ("24h", "a day ago"), ("7d", "a week ago"), ("30d", "30 days ago")]


FILTERS = (StatusFilter, CategoryFilter, TypeFilter, QueueFilter, DateFilter)
