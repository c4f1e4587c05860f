"""The limits of kept samples, their counts, and their erasure on request."""

from typing import Any

from django.conf import settings
from django.db.models import QuerySet

from dlqconsole.contrib.insight.errors import InvalidSampling
from dlqconsole.contrib.insight.models import SuccessSample
from dlqconsole.contrib.insight.sql import sql
from dlqconsole.core.named_sql import execute, fetch_dicts
from dlqconsole.engine import audit
from dlqconsole.hosting.database import transaction

# samples of one event type and day
MOST_PER_DAY = 2_000


def tidy() -> int:
    """Delete samples that are too old, and those beyond the limit of a type and day. Return their number."""
    count = execute(sql("samples.forget"), {"days": settings.DLQ_SAMPLE_DAYS})
    return count + execute(sql("samples.thin"), {"most": MOST_PER_DAY})


def all_samples() -> QuerySet[SuccessSample]:
    """Return the query set of all samples."""
    return SuccessSample.objects.all()


def count_samples() -> list[dict[str, Any]]:
    """Return the samples' counts: event_type, samples, masked, oldest, newest."""
    return fetch_dicts(sql("samples.counted"), {})


def erase(*, event_type: str = "", source: str = "", source_key: str = "", actor: str, reason: str) -> int:
    """Delete samples of a type, or of one event. Return their number. Raises InvalidSampling."""
    if not reason.strip():
        raise InvalidSampling("A reason is needed: the audit log keeps it.")
    fields = {"event_type": event_type, "source": source, "source_key": source_key}
    conditions = {name: text for name, text in fields.items() if text}
    if not conditions or any("\0" in text for text in conditions.values()):
        raise InvalidSampling(
            "Name an event type, a source, or a source and a key: everything is never meant."
        )
    with transaction.atomic():
        count, _ = SuccessSample.objects.filter(**conditions).delete()
        target = f"event_type:{event_type}" if event_type else "samples:of one source"
        audit.record(actor, "samples erased", target, reason=reason, detail={"samples": count})
    return count
