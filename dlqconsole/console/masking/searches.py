"""Audit entries of searches for values in reasons and payloads: the operator, and a hash of each value."""

from datetime import timedelta

from django.db.models.functions import Now

from dlqconsole.engine import audit
from dlqconsole.engine.access_scope import current_access
from dlqconsole.engine.dead_letters.filters import DeadLetterFilter
from dlqconsole.engine.gate import hash_mark, is_masking
from dlqconsole.engine.models import AuditEntry

SEARCH, TARGET = "search", "dead_letters"
# its pages, tabs, counts and live updates are the same search
_ONE_SEARCH = timedelta(hours=1)


def note_search(letter_filter: DeadLetterFilter, person: str) -> None:
    """Record a person's search for values: once a search, not once a page of it."""
    if not (letter_filter.is_search and current_access().searches_values and is_masking()):
        return
    detail = {"filter": {name: hash_mark(text) for name, text in letter_filter.searched_parameters().items()}}
    entries = AuditEntry.objects.filter(actor=person, action=SEARCH, target=TARGET, detail=detail)
    if not entries.filter(at__gt=Now() - _ONE_SEARCH).exists():
        audit.record(person, SEARCH, TARGET, detail=detail)
