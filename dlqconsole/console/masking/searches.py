"""Searches for values in reasons and payloads: for operators; the audit log says who, and a hash of what."""

from datetime import timedelta

from django.db.models.functions import Now

from dlqconsole.engine import audit
from dlqconsole.engine.dead_letters.filters import DeadLetterFilter
from dlqconsole.engine.gate import hash_mark, is_masking
from dlqconsole.engine.models import AuditEntry
from dlqconsole.engine.reach import Reach

SEARCH, TARGET = "search", "dead_letters"
# its pages, tabs, counts and live updates are the same search
_SAID_ONCE = timedelta(hours=1)


def note(matching: DeadLetterFilter, person: str, reach: Reach) -> None:
    """Say in the audit what somebody looks for in values: once a search, not once a page of it."""
    if not (matching.is_search and reach.searches_values and is_masking()):
        return
    detail = {"filter": {name: hash_mark(text) for name, text in matching.searched_parameters().items()}}
    said = AuditEntry.objects.filter(actor=person, action=SEARCH, target=TARGET, detail=detail)
    if not said.filter(at__gt=Now() - _SAID_ONCE).exists():
        audit.record(person, SEARCH, TARGET, detail=detail)
