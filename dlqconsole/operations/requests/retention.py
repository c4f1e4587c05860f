"""Retention: closed dead letters are purged when nothing has changed them for DLQ_RETENTION_DAYS.

Off (0) by default: nothing is ever deleted by surprise. The machine requests the same purge as a person, with
a receipt, as the actor "retention"; the policy itself is its approval.
"""

import hashlib
from datetime import UTC, datetime, timedelta
from typing import Protocol
from uuid import NAMESPACE_URL, uuid5

from django.conf import settings
from django.utils import timezone
from django.utils.translation import ngettext

from dlqconsole.core.lifecycle.states import PURGEABLE
from dlqconsole.core.named_sql import fetch_column
from dlqconsole.engine import moments
from dlqconsole.engine.access_scope import EVERYTHING, asking_as
from dlqconsole.engine.counts.summaries import Count
from dlqconsole.operations.kinds.purge import Purge
from dlqconsole.operations.models import OPEN, Operation
from dlqconsole.operations.requests import service
from dlqconsole.operations.requests.request import OperationRequest
from dlqconsole.operations.requests.scope import IDS_LIMIT, Rows
from dlqconsole.operations.sql import sql
from dlqconsole.processing.quantities import counted

ACTOR = "retention"


class RetainedLetter(Protocol):
    """The columns of a dead letter that retention reads."""

    status: str
    updated_at: datetime


def remaining(letter: RetainedLetter) -> timedelta | None:
    """The time until a closed dead letter is purged, not below zero; None: it is kept for ever."""
    return time_left(letter.status, letter.updated_at)


def time_left(status: str, updated_at: datetime) -> timedelta | None:
    """The same for a row of a list."""
    if not settings.DLQ_RETENTION_DAYS or status not in PURGEABLE:
        return None
    kept_until = updated_at + timedelta(days=settings.DLQ_RETENTION_DAYS)
    return max(kept_until - timezone.now(), timedelta(0))


def countdown(left: timedelta | None) -> str:
    """The time until it is deleted for ever: ``29 days``, ``3 h``; empty where it is kept."""
    if left is None:
        return ""
    if not left.days:
        return moments.duration(left.total_seconds())
    return ngettext("{number:,} day", "{number:,} days", left.days).format(number=left.days)


def purge_expired() -> Operation | None:
    """Request a purge of dead letters that are too old, 10,000 at a time; None when there are none."""
    days = settings.DLQ_RETENTION_DAYS
    if not days or Operation.objects.filter(actor=ACTOR, kind=Purge.name, status__in=OPEN).exists():
        return None
    values = {"purgeable": [str(status) for status in PURGEABLE], "days": days, "limit": IDS_LIMIT}
    ids = fetch_column(sql("purging.expired"), values)
    if not ids:
        return None
    reason = f"closed, and unchanged for {counted(days, 'days')} (DLQ_RETENTION_DAYS)"
    key = uuid5(NAMESPACE_URL, _once_a_day(ids))
    count, scope = Count(len(ids)), Rows.of(ids)
    request = OperationRequest(Purge.name, scope, reason, seen=count, key=key)
    with asking_as(EVERYTHING):
        return service.request_operation(request, actor=ACTOR, by_policy=True)


def _once_a_day(ids: list[int]) -> str:
    """A key for these ids and this day: two ticks request one operation; after a cancel, one tomorrow."""
    digest = hashlib.sha256(",".join(map(str, ids)).encode()).hexdigest()
    return f"retention:{datetime.now(UTC):%Y-%m-%d}:{digest}"
