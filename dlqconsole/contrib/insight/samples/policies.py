"""The sampling policy of each event type: from the settings, or a person's."""

from django.conf import settings
from django.db.models.functions import Now

from dlqconsole.contrib.insight.errors import InvalidSampling
from dlqconsole.contrib.insight.models import SampledType
from dlqconsole.contrib.insight.samples.actions import POLICY, TYPE_LIMIT
from dlqconsole.contrib.insight.samples.sampling import SamplePolicy
from dlqconsole.engine import audit
from dlqconsole.hosting.database import transaction
from dlqconsole.processing.inputs.fields import read_all


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
