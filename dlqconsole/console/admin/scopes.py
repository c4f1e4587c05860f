"""What somebody is limited to, on the page of an account or a role in Django's admin."""

from typing import TYPE_CHECKING, Any

from django.contrib import admin, messages
from django.forms import ModelForm
from django.http import HttpRequest

from dlqconsole.engine.counts import summaries
from dlqconsole.engine.dead_letters.filters import DeadLetterFilter
from dlqconsole.engine.reach import Reach
from dlqconsole.people.models import Scope

# the heading over the lines
ABOUT = "Scopes: none means not limited. A name, the beginning of one (orders.*), or * for all"
NOTHING = "Nothing is there now that lies within {words}. Is it spelt right?"
NUMBER = "{number} dead letters lie within {words} now."

if TYPE_CHECKING:
    _Inline = admin.TabularInline[Scope, Any]
    _Form = ModelForm[Scope]
else:
    _Inline, _Form = admin.TabularInline, ModelForm


class ScopeForm(_Form):
    """A star stands at the end of a pattern, or alone."""

    class Meta:
        model = Scope
        fields = ("queue", "event_type")


class Scopes(_Inline):
    """A line each, and how much it is."""

    model = Scope
    form = ScopeForm
    extra = 0
    verbose_name_plural = ABOUT
    readonly_fields = ("dead_letters",)

    @admin.display(description="dead letters now")
    def dead_letters(self, scope: Scope) -> str:
        return _number(scope) if scope.pk else ""


def say(request: HttpRequest, scope: Scope) -> None:
    """How much lies within a scope that was just written: a name may be mistyped."""
    number, words = _number(scope), _reach(scope).words()
    if number == "0":
        messages.warning(request, NOTHING.format(words=words))
    else:
        messages.info(request, NUMBER.format(number=number, words=words))


def _number(scope: Scope) -> str:
    return str(summaries.count_matching(DeadLetterFilter(), _reach(scope)))


def _reach(scope: Scope) -> Reach:
    return Reach.of([(scope.queue, scope.event_type)])
