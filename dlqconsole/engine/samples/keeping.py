"""How many samples are kept, for how long, and what goes when somebody asks for it."""

from typing import Any

from django.conf import settings
from django.db import transaction

from dlqconsole.engine import audit
from dlqconsole.engine.errors import InvalidSampling
from dlqconsole.engine.models import SuccessSample
from dlqconsole.engine.named_sql import execute, fetch_dicts
from dlqconsole.engine.sql import sql

# samples of one event type and day
MOST_PER_DAY = 2_000


def tidy() -> int:
    """Let go of what is too old, and of what is too much of a type and day; how many went."""
    gone = execute(sql("samples.forget"), {"days": settings.DLQ_SAMPLE_DAYS})
    return gone + execute(sql("samples.thin"), {"most": MOST_PER_DAY})


def counted() -> list[dict[str, Any]]:
    """What there is: event_type, samples, masked, oldest, newest."""
    return fetch_dicts(sql("samples.counted"), {})


def erase(*, event_type: str = "", source: str = "", source_key: str = "", actor: str, reason: str) -> int:
    """Delete a type's samples, or those of one event; how many there were. Raises InvalidSampling."""
    if not reason.strip():
        raise InvalidSampling("A reason is needed: the audit log keeps it.")
    named = {"event_type": event_type, "source": source, "source_key": source_key}
    wanted = {name: text for name, text in named.items() if text}
    if not wanted or any("\0" in text for text in wanted.values()):
        raise InvalidSampling(
            "Name an event type, a source, or a source and a key: everything is never meant."
        )
    with transaction.atomic():
        gone, _ = SuccessSample.objects.filter(**wanted).delete()
        target = f"event_type:{event_type}" if event_type else "samples:of one source"
        audit.record(actor, "samples erased", target, reason=reason, detail={"samples": gone})
    return gone
