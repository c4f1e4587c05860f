"""Retention: closed dead letters are purged when nothing has changed them for DLQ_RETENTION_DAYS.

Off (0) unless people say how long: nothing is ever deleted by surprise. The machine asks for the same purge
as a person, with a receipt, as the actor "retention"; the policy itself is its approval.
"""

import hashlib
from datetime import UTC, datetime, timedelta
from typing import Protocol
from uuid import NAMESPACE_URL, uuid5

from django.conf import settings
from django.utils import timezone

from dlqconsole.engine.counts.summaries import Count
from dlqconsole.engine.lifecycle.states import PURGEABLE
from dlqconsole.engine.named_sql import fetch_column
from dlqconsole.engine.reach import EVERYTHING
from dlqconsole.operations import service
from dlqconsole.operations.kinds.purge import Purge
from dlqconsole.operations.models import OPEN, Operation
from dlqconsole.operations.request import OperationRequest
from dlqconsole.operations.scope import IDS_LIMIT, Rows
from dlqconsole.operations.sql import sql
from dlqconsole.processing.plurals import counted

ACTOR = "retention"


class Kept(Protocol):
    """A dead letter, as far as retention looks at it."""

    status: str
    updated_at: datetime


def remaining(letter: Kept) -> timedelta | None:
    """How long a closed dead letter will be kept, not below zero; None for what is kept for ever."""
    return left(letter.status, letter.updated_at)


def left(status: str, updated_at: datetime) -> timedelta | None:
    """The same for a row of a list."""
    if not settings.DLQ_RETENTION_DAYS or status not in PURGEABLE:
        return None
    kept_until = updated_at + timedelta(days=settings.DLQ_RETENTION_DAYS)
    return max(kept_until - timezone.now(), timedelta(0))


def purge_expired() -> Operation | None:
    """Ask for a purge of what is too old, 10,000 at a time; None when there is nothing to ask for."""
    days = settings.DLQ_RETENTION_DAYS
    if not days or Operation.objects.filter(actor=ACTOR, kind=Purge.name, status__in=OPEN).exists():
        return None
    values = {"purgeable": [str(status) for status in PURGEABLE], "days": days, "limit": IDS_LIMIT}
    ids = fetch_column(sql("purging.expired"), values)
    if not ids:
        return None
    reason = f"closed, and unchanged for {counted(days, 'days')} (DLQ_RETENTION_DAYS)"
    key = uuid5(NAMESPACE_URL, _once_a_day(ids))
    seen, scope = Count(len(ids)), Rows.of(ids)
    request = OperationRequest(Purge.name, scope, reason, reach=EVERYTHING, seen=seen, key=key)
    return service.request_operation(request, actor=ACTOR, by_policy=True)


def _once_a_day(ids: list[int]) -> str:
    """Two ticks at once ask for one operation; what a person cancelled is asked for again tomorrow."""
    chosen = hashlib.sha256(",".join(map(str, ids)).encode()).hexdigest()
    return f"retention:{datetime.now(UTC):%Y-%m-%d}:{chosen}"
