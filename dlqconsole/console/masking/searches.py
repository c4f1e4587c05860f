"""Searches in unmasked texts: for operators, and the audit log says who looked for what, as a hash."""

from datetime import timedelta

from django.db.models.functions import Now
from django.http import HttpRequest

from dlqconsole.console.access.permissions import actor, can_operate
from dlqconsole.engine import audit
from dlqconsole.engine.dead_letters.filters import DeadLetterFilter
from dlqconsole.engine.dead_letters.searching import secret_words
from dlqconsole.engine.errors import InvalidFilter
from dlqconsole.engine.models import AuditEntry

SEARCH, TARGET = "search", "dead_letters"
OPERATORS = (
    "raw: only operators may search unmasked texts. The search box finds masked texts and whole values."
)
_SAID_ONCE = timedelta(minutes=10)


def allow(matching: DeadLetterFilter, request: HttpRequest) -> None:
    """Raise InvalidFilter where this person may not search so; else let the audit log know."""
    if not matching.raw:
        return
    if not can_operate(request):
        raise InvalidFilter([OPERATORS])
    note(matching, actor(request))


def note(matching: DeadLetterFilter, person: str) -> None:
    """Say in the audit what somebody looks for in unmasked texts."""
    if not matching.raw:
        return
    detail = {"term": secret_words(matching.raw)}
    said = AuditEntry.objects.filter(actor=person, action=SEARCH, target=TARGET, detail=detail)
    if not said.filter(at__gt=Now() - _SAID_ONCE).exists():
        audit.record(person, SEARCH, TARGET, detail=detail)
