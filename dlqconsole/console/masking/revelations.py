"""Unmasked texts for one person, of one dead letter or message, for ten minutes, audited with a reason.

The person's session names the audit entry. The entry's own time, by PostgreSQL's clock, decides how long it
is valid, and no other session gains anything.
"""

from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import QuerySet
from django.db.models.functions import Now
from django.http import HttpRequest

from dlqconsole.console.access.permissions import VIEWERS, actor, can_operate
from dlqconsole.console.masking.texts import ShownTexts
from dlqconsole.engine import audit
from dlqconsole.engine.access_scope import current_access
from dlqconsole.engine.dead_letters.filters import DeadLetterFilter
from dlqconsole.engine.gate import hash_mark, is_masking, masker
from dlqconsole.engine.models import AuditEntry

MINUTES = 10
REVEAL, DOWNLOAD = "reveal", "download payload"
_VALID_FOR = timedelta(minutes=MINUTES)
_SESSION_KEY = "revelations"
_REMEMBERED = 50
SEARCH, TARGET = "search", "dead_letters"
# its pages, tabs, counts and live updates are the same search
_ONE_SEARCH = timedelta(hours=1)


class RevealState:
    """The texts as this person may see them now: ``texts`` masks or does not; the page shows the rest."""

    def __init__(self, request: HttpRequest, target: str) -> None:
        self.until = _until(request, target) if settings.DLQ_MASKING else None
        self.is_masked: bool = settings.DLQ_MASKING and self.until is None
        self.why_not = "" if can_operate(request) else VIEWERS
        self.texts = ShownTexts(masker() if self.is_masked else None)


def reveal(request: HttpRequest, target: str, reason: str) -> None:
    """Record the person and the reason; this session then sees it unmasked until the entry is old."""
    entry = audit.record(actor(request), REVEAL, target, reason=reason, detail={"minutes": MINUTES})
    entry_ids = dict(request.session.get(_SESSION_KEY, {}))
    entry_ids.pop(target, None)
    request.session[_SESSION_KEY] = dict([*entry_ids.items(), (target, entry.pk)][-_REMEMBERED:])


def note_download(request: HttpRequest, target: str, reveal_state: RevealState) -> None:
    """Record that a person saved a payload unmasked; a masked one shows no more than the page."""
    if settings.DLQ_MASKING and not reveal_state.is_masked:
        audit.record(actor(request), DOWNLOAD, target)


def _until(request: HttpRequest, target: str) -> datetime | None:
    entry_id = request.session.get(_SESSION_KEY, {}).get(target)
    if entry_id is None or not can_operate(request):
        return None
    entry = _recent(actor(request), REVEAL, target).filter(pk=entry_id).first()
    return entry.at + _VALID_FOR if entry else None


def _recent(person: str, action: str, target: str) -> QuerySet[AuditEntry]:
    return AuditEntry.objects.filter(actor=person, action=action, target=target, at__gt=Now() - _VALID_FOR)


def note_search(letter_filter: DeadLetterFilter, person: str) -> None:
    """Record a person's search for values: once a search, not once a page of it."""
    if not (letter_filter.is_search and current_access().searches_values and is_masking()):
        return
    detail = {"filter": {name: hash_mark(text) for name, text in letter_filter.searched_parameters().items()}}
    entries = AuditEntry.objects.filter(actor=person, action=SEARCH, target=TARGET, detail=detail)
    if not entries.filter(at__gt=Now() - _ONE_SEARCH).exists():
        audit.record(person, SEARCH, TARGET, detail=detail)
