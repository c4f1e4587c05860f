"""The sampling policy of each event type; the limits of kept samples, their counts, and their erasure."""

from typing import Any

from django.conf import settings
from django.db.models import QuerySet
from django.db.models.functions import Now

from dlqconsole.contrib.insight.models import SampledType, SuccessSample
from dlqconsole.contrib.insight.samples.sampling import SamplePolicy
from dlqconsole.contrib.insight.sql import sql
from dlqconsole.core.errors import EngineError
from dlqconsole.core.named_sql import execute, fetch_dicts
from dlqconsole.engine import audit
from dlqconsole.hosting.database import transaction
from dlqconsole.people.actions import PersonAction
from dlqconsole.processing.inputs.fields import Text, WholeNumber, YesNo, read_all

TYPE_LIMIT = 255
POLICY = (
    WholeNumber(
        name="one_in",
        what="One in how many",
        high=1_000_000,
        is_required=False,
        empty_word="usual",
        help="one success in so many is kept; 0: none",
    ),
    YesNo(name="masked", is_required=False, empty_word="usual", help="whether samples are kept masked"),
)
SELECTION = (
    Text(name="event_type", limit=TYPE_LIMIT, flags=("--type",), help="all of an event type"),
    Text(name="source", limit=1_024, help="all of a source; with --key the one of an event"),
    Text(name="source_key", limit=1_024, flags=("--key",), help="the event's id in its source"),
)

LIST = PersonAction(
    name="list", help="how many there are of each type, and how each is sampled", role="viewer"
)
SET = PersonAction(
    name="set",
    help="how an event type is sampled from now on. What you leave out stays; usual: as the settings say",
    role="admin",
    fields=POLICY,
)
ERASE = PersonAction(name="erase", help="delete samples", role="admin", fields=SELECTION)

ACTIONS = (LIST, SET, ERASE)
# samples of one event type and day
MOST_PER_DAY = 2_000


class InvalidSampling(EngineError):
    """Samples cannot be kept or erased as asked; the sentence says why."""


def usual() -> SamplePolicy:
    """Return the settings' policy, for types without one of their own."""
    return SamplePolicy(settings.DLQ_SAMPLE_ONE_IN)


def stored_policies() -> dict[str, SamplePolicy]:
    """Return people's policies by event type, completed by the settings."""
    default = usual()
    rows = SampledType.objects.values_list("event_type", "one_in", "masked")
    return {name: default.but(one_in, is_masked) for name, one_in, is_masked in rows}


def change(event_type: str, *, actor: str, reason: str, **values: int | bool | None) -> SamplePolicy:
    """Set how a type is sampled from now on: ``one_in`` and ``masked``. None: as the settings say.

    A value that is left out stays as it was, and so do existing samples: erase them, too, if you want them
    gone. Raises InvalidInput and InvalidSampling.
    """
    if not event_type or len(event_type) > TYPE_LIMIT or "\0" in event_type:
        raise InvalidSampling(f"An event type has 1 to {TYPE_LIMIT} characters.")
    if not reason.strip():
        raise InvalidSampling("A reason is needed: the audit log keeps it.")
    changes = read_all(POLICY, values)
    with transaction.atomic():
        SampledType.objects.get_or_create(event_type=event_type)
        row = SampledType.objects.select_for_update().get(pk=event_type)
        for name, value in changes.items():
            setattr(row, name, value)
        row.updated_at = Now()
        detail = {"one_in": row.one_in, "masked": row.masked}
        if row.one_in is None and row.masked is None:
            row.delete()
        else:
            row.save()
        audit.record(actor, "sampling changed", f"event_type:{event_type}", reason=reason, detail=detail)
    return usual().but(row.one_in, row.masked)


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
