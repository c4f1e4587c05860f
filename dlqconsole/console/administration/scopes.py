"""The scopes of an account or a role, on its page in Django's admin."""

import re
from typing import TYPE_CHECKING, Any

from django.contrib import admin, messages
from django.core.exceptions import ValidationError
from django.forms import ModelForm
from django.http import HttpRequest

from dlqconsole.engine.access_scope import AccessScope, asking_as
from dlqconsole.engine.counts import summaries
from dlqconsole.engine.dead_letters.filters import DeadLetterFilter
from dlqconsole.people.models import PATTERN, Scope
from dlqconsole.processing.inputs.plain_text import quoted

# the heading over the lines
ABOUT = "Scopes: none means not limited. A name, the beginning of one (orders.*), or * for all"
NOTHING = "Nothing is there now that lies within {words}. Is it spelt right?"
RULE = (
    "{what} must be a name (orders), the beginning of one with a star behind it (orders.*), or * alone for"
    " all; it is {given}."
)
NUMBER = "{number} dead letters lie within {words} now."

if TYPE_CHECKING:
    _Inline = admin.TabularInline[Scope, Any]
    _Form = ModelForm[Scope]
else:
    _Inline, _Form = admin.TabularInline, ModelForm


class ScopeAdminForm(_Form):
    """A form of one scope. A star stands at the end of a pattern, or alone."""

    class Meta:
        model = Scope
        fields = ("queue", "event_type")

    def clean_queue(self) -> str:
        return self._pattern("queue", "The queue")

    def clean_event_type(self) -> str:
        return self._pattern("event_type", "The event type")

    def _pattern(self, name: str, what: str) -> str:
        """Return the pattern. Raises ValidationError beside the field; the table's own check names none."""
        pattern: str = self.cleaned_data[name]
        if not re.fullmatch(PATTERN, pattern):
            raise ValidationError(RULE.format(what=what, given=quoted(pattern)), code="invalid")
        return pattern


class Scopes(_Inline):
    """The scopes, one a line, each with the number of dead letters in it."""

    model = Scope
    form = ScopeAdminForm
    extra = 0
    verbose_name_plural = ABOUT
    readonly_fields = ("dead_letters",)

    @admin.display(description="dead letters now")
    def dead_letters(self, scope: Scope) -> str:
        return _number(scope) if scope.pk else ""


def report_size(request: HttpRequest, scope: Scope) -> None:
    """Tell how much lies within a new scope: a name may be mistyped."""
    number, words = _number(scope), _access_of(scope).words()
    if number == "0":
        messages.warning(request, NOTHING.format(words=words))
    else:
        messages.info(request, NUMBER.format(number=number, words=words))


def _number(scope: Scope) -> str:
    with asking_as(_access_of(scope)):
        return str(summaries.count_matching(DeadLetterFilter()))


def _access_of(scope: Scope) -> AccessScope:
    return AccessScope.of([(scope.queue, scope.event_type)])
