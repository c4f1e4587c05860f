"""Who sees what unmasked: one person, one dead letter or message, ten minutes, with a reason in the audit.

The person's session names the audit entry, and the entry's own moment says how long it holds: PostgreSQL's
clock, and no other session.
"""

from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import QuerySet
from django.db.models.functions import Now
from django.http import HttpRequest

from dlqconsole.console.access.permissions import VIEWERS, actor, can_operate
from dlqconsole.console.masking.texts import ShownTexts
from dlqconsole.engine import audit
from dlqconsole.engine.gate import masker
from dlqconsole.engine.models import AuditEntry

MINUTES = 10
REVEAL, DOWNLOAD = "reveal", "download payload"
_HOLDS = timedelta(minutes=MINUTES)
_SESSION_KEY = "revelations"
_REMEMBERED = 50


class Seen:
    """How this person sees it now: ``texts`` masks or does not; the rest is what the page says about it."""

    def __init__(self, request: HttpRequest, target: str) -> None:
        self.until = _until(request, target) if settings.DLQ_MASKING else None
        self.is_masked: bool = settings.DLQ_MASKING and self.until is None
        self.why_not = "" if can_operate(request) else VIEWERS
        self.texts = ShownTexts(masker() if self.is_masked else None)


def reveal(request: HttpRequest, target: str, reason: str) -> None:
    """Note who wants to see it and why; from now on this session sees it unmasked, until the entry is old."""
    entry = audit.record(actor(request), REVEAL, target, reason=reason, detail={"minutes": MINUTES})
    known = dict(request.session.get(_SESSION_KEY, {}))
    known.pop(target, None)
    request.session[_SESSION_KEY] = dict([*known.items(), (target, entry.pk)][-_REMEMBERED:])


def note_download(request: HttpRequest, target: str, seen: Seen) -> None:
    """Who saved a payload unmasked; one that is masked shows no more than the page."""
    if settings.DLQ_MASKING and not seen.is_masked:
        audit.record(actor(request), DOWNLOAD, target)


def _until(request: HttpRequest, target: str) -> datetime | None:
    noted = request.session.get(_SESSION_KEY, {}).get(target)
    if noted is None or not can_operate(request):
        return None
    entry = _recent(actor(request), REVEAL, target).filter(pk=noted).first()
    return entry.at + _HOLDS if entry else None


def _recent(person: str, action: str, target: str) -> QuerySet[AuditEntry]:
    return AuditEntry.objects.filter(actor=person, action=action, target=target, at__gt=Now() - _HOLDS)
