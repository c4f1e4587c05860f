"""The list of dead letters in the admin: its filters, and “All 60 selected” under it."""

from collections.abc import Mapping
from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponseBase

from dlqconsole.console.administration.parameters import BadQuery
from dlqconsole.console.operations.forms import RequestForm
from dlqconsole.console.operations.operation_intent import OperationIntent
from dlqconsole.console.operations.options_form import OptionsForm
from dlqconsole.console.operations.views import confirm_page
from dlqconsole.console.parts.forms import MOST
from dlqconsole.core.lifecycle.states import Category, DeadLetterStatus
from dlqconsole.engine.counts import summaries
from dlqconsole.engine.counts.summaries import Count, count_matching
from dlqconsole.engine.gate import Shown
from dlqconsole.engine.models import DeadLetter
from dlqconsole.operations.kinds.base import Kind
from dlqconsole.operations.requests import approval
from dlqconsole.operations.requests.request import has_typed_count
from dlqconsole.operations.requests.scope import Matching
from dlqconsole.processing.inputs.numbers import as_id

_NAMES = ("status", "category", "type", "queue", "since", "q")
# the field in which a list posts its number of dead letters (templates/admin/dead_letters.html)
SHOWN = "shown"
LOST = "The list lost the number of dead letters that it showed. Reload it and choose again."
CHANGED = "The list showed {shown} dead letters; {now} match now."
TYPED = "All {shown} that match are meant, so the count is typed."
NOTHING_YET = "Nothing was asked for yet: look at it again, then confirm."


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


def shown_count(request: HttpRequest) -> Count:
    """The number of dead letters that the list showed when all of them were chosen."""
    number = as_id(request.POST.get(SHOWN, ""), MOST)
    if number is None:
        raise BadQuery(LOST)
    return Count(number)


def confirmation_reason(kind: Kind, scope: Matching, options: Mapping[str, Any], count: Count) -> str:
    """The reason to confirm it on the console's page first, as a sentence; empty if there is none."""
    now = count_matching(scope.filter)
    if now != count:
        return CHANGED.format(shown=count, now=now)
    is_typed = has_typed_count(kind, scope) or approval.rule(kind, options, count.value) == approval.TYPED
    return TYPED.format(shown=count) if is_typed else ""


def show_confirmation(request: HttpRequest, kind: Kind, scope: Matching, why: str) -> HttpResponseBase:
    """Answer with the console's confirmation page, and the reason that was typed in the admin."""
    messages.warning(request, f"{why} {NOTHING_YET}")
    operation = OperationIntent(kind, scope, Shown(scope.filter.querystring))
    form = RequestForm(operation, request.POST, is_sent=False)
    return confirm_page(request, operation, form, OptionsForm(kind, {}, is_opened=True))
